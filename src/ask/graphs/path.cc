#include "ask/graphs/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/path/path_overlay.h"
#include "analyze/path/path_sheets.h"
#include "ask/graphs/hta_path.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/unprofiled.h"
#include "base/percent.h"
#include "causal/hta/critical_path.h"
#include "job/write/overlay_file.h"
#include "report/bar.h"
#include "report/counted.h"

namespace orrery::ask {

void tell_step_spread(report::Facts& facts, const std::optional<analyze::StepSpread>& spread) {
  facts.key("steps");
  if (!spread) {
    facts.null();
    return;
  }
  facts.begin_object().field("count", spread->steps).field("differ", spread->differ());
  facts.field("mean_us", to_us(spread->mean)).field("deviation_us", to_us(spread->deviation));
  facts.field("least_us", to_us(spread->least)).field("most_us", to_us(spread->most));
  facts.key("long");
  if (spread->long_label.empty()) {
    facts.null();
  } else {
    facts.begin_object().field("label", spread->long_label).field("span_us", to_us(spread->long_span));
    facts.field("verdict", spread->long_verdict).end_object();
  }
  facts.end_object();
}

namespace {

using analyze::Contributor;
using analyze::KindTotals;
using analyze::PathSums;
using causal::EdgeKind;

/// Above this a table of ranks or hops says less than its largest rows.
constexpr std::size_t kRowsShown = 16;
constexpr std::size_t kContributors = 10;

void write_us(report::Facts& facts, std::string_view name, TimePs ps) { facts.field(name, to_us(ps)); }

void write_breakdown_row(report::Facts& facts, const causal::CausalGraph& job, const PathSums& path, graph::Slot slot) {
  const std::uint32_t tag = job.graph.edge_tag(slot), rank = job.rank_of(slot);
  facts.begin_object();
  if (job.ranks.size() > 1 && rank != causal::kNoRank) facts.field("rank", job.ranks[rank].rank);
  write_us(facts, "start_us", job.time[job.graph.source(slot)]);
  write_us(facts, "duration_us", path.solution.weight(slot));
  facts.field("type", identifier(job.kind(slot)));
  if (tag != graph::kNoTag && rank != causal::kNoRank && job.kind(slot) != EdgeKind::several) {
    const causal::Owner& owner = job.owners[tag];
    const causal::LaneLabel& lane = job.ranks[rank].lanes[owner.lane];
    facts.field("name", job.strings.text(owner.name)).field("index", owner.ordinal);
    facts.key("pid").raw(job.strings.text(lane.process));
    facts.key("tid").raw(job.strings.text(lane.thread));
    facts.field("stream", owner.stream).field("device", owner.device);
  }
  facts.end_object();
}

/// "Next: what if it were twice as fast?  orrery whatif ...": of the contributor that gains most. `traces`: as they are
/// typed.
void tell_next_whatif(report::Answer& answer, const GraphRequest& request, const std::string& traces,
                      const causal::CausalGraph& job, const PathSums& path) {
  std::vector<const Contributor*> by_gain;
  for (const Contributor& contributor : path.contributors) by_gain.push_back(&contributor);
  std::stable_sort(by_gain.begin(), by_gain.end(),
                   [](const auto* a, const auto* b) { return a->gain_if_free > b->gain_if_free; });
  // The next command must look at the same window.
  const std::string flags = typed(request.recording) + typed(request.window) + typed(request.clock);
  const auto ask = [&](std::string_view what, const std::string& selection) {
    answer.next(fmt::format("what if {} twice as fast?", what),
                fmt::format("orrery whatif {}{} {}", traces, flags, report::shell_quote(selection + " * 0.5")));
  };
  for (const Contributor* contributor : by_gain) {
    if (contributor->gain_if_free <= 0) break;
    if (const auto selection = analyze::selection_of(job, *contributor)) return ask("it were", *selection);
  }
  // No single one saves anything: many are alike, and only all of them together do.
  if (path.relief && path.relief->gain > 0)
    return ask("all of it were", std::string(analyze::word_of(path.relief->bound)));
  answer.next("see it on a timeline:", fmt::format("orrery path {}{} --overlay overlay.json.gz", traces, flags));
}

/// The member "if_free": the edit that takes away what the verdict names, what it saves, and what bounds the rest; null
/// where there is none.
void tell_relief(report::Facts& facts, const PathSums& path) {
  facts.key("if_free");
  if (!path.relief) {
    facts.null();
    return;
  }
  const analyze::Relief& relief = *path.relief;
  facts.begin_object()
      .field("edit", std::string(analyze::word_of(relief.bound)) + " remove")
      .field("gain_us", to_us(relief.gain));
  facts.field("gain_pct", share_percent(relief.gain, path.length()))
      .field("then", analyze::verdict(relief.on_path, relief.length, std::nullopt, path.device_type));
  facts.end_object();
}

/// How far the answer can be trusted, in one line.
std::string trust_line(const causal::CausalGraph& job, const PathSums& path) {
  if (job.ranks.size() > 1) return job_trust_line(job, path.length());
  return fmt::format("The path covers {} of {} ({:.4g} %); replay residual {:.4g} %; {} without a recorded cause.",
                     format_duration(path.length()), format_duration(job.span), share_percent(path.length(), job.span),
                     job.residual_percent(path.length()),
                     report::percent(static_cast<double>(path.unexplained()), static_cast<double>(path.length())));
}

/// That the path begins with work of which nothing was recorded; empty where it does not.
std::string earlier_work_line(const causal::CausalGraph& job, const PathSums& path) {
  const TimePs time = path.on_path(EdgeKind::earlier_work);
  if (time == 0) return "";
  for (const graph::Slot slot : path.path.slots) {
    if (job.kind(slot) != EdgeKind::earlier_work || job.graph.edge_tag(slot) == graph::kNoTag) continue;
    return fmt::format(
        "It starts at {}, {} into the window: until then the stream was at work that was queued before the recording "
        "began.",
        job.strings.text(job.owners[job.graph.edge_tag(slot)].name), format_duration(time));
  }
  return "";
}

/// Whose part of the path it is, and where it goes from rank to rank.
void tell_ranks(report::Answer& answer, const causal::CausalGraph& job, const analyze::CausalPath& path) {
  using report::Readers;
  const auto readers = [](bool people_too) { return people_too ? Readers::all : Readers::programs_and_tables; };
  const auto add = [&](const auto& make, bool people_too) {
    answer.table(make, {.readers = readers(people_too)});
    if (people_too) answer.gap();
  };
  add([&] { return analyze::path_ranks_sheet(job, path); }, job.ranks.size() <= kRowsShown);
  add([&] { return analyze::path_groups_sheet(job, path); }, !path.transfers.empty());
  add([&] { return analyze::hops_sheet(job, path); }, !path.hops.empty() && path.hops.size() <= kRowsShown);
  if (path.hops.size() > kRowsShown)
    answer
        .line(fmt::format("The path goes from rank to rank {} (--json has all hops).",
                          report::counted(path.hops.size(), "time")))
        .gap();
}

// By hand, not in a Sheet, is what programs read under the kind's name ("edges_per_type": {"kernel": 7}), where a Sheet
// gives a list of rows.
void tell_path_facts(report::Facts& facts, const causal::CausalGraph& job, const analyze::CausalPath& causal_path) {
  const PathSums& path = causal_path.sums;
  const bool several = job.ranks.size() > 1;
  facts.field("success", true);
  if (several) tell_job(facts, job, path.length());
  else facts.field("rank", job.ranks.front().rank);
  facts.key("window").begin_object();
  facts.field("label", job.label).field("why", job.why);
  write_us(facts, "begin_us", job.begin_ps);
  write_us(facts, "span_us", job.span);
  if (!several) write_us(facts, "host_us", job.ranks.front().host_end - job.ranks.front().host_begin);
  facts.end_object();
  facts.field("nodes", job.graph.node_count()).field("edges", job.graph.edge_count());
  const auto per_kind = [&](std::string_view name, auto&& value_of) {
    facts.key(name).begin_object();
    for (std::size_t k = 0; k < causal::kJobEdgeKinds; ++k) {
      if (!several && !causal::is_of_rank(k)) continue;
      facts.field(identifier(static_cast<EdgeKind>(k)), value_of(path.kinds[k]));
    }
    facts.end_object();
  };
  per_kind("edges_per_type", [](const KindTotals& totals) { return totals.edges; });
  per_kind("edge_weight_us_per_type", [](const KindTotals& totals) { return to_us(totals.total); });
  std::vector<std::uint8_t> is_owner(job.owners.size(), 0);
  for (const graph::Slot slot : path.path.slots) {
    if (const std::uint32_t tag = job.graph.edge_tag(slot); tag != graph::kNoTag && job.kind(slot) != EdgeKind::several)
      is_owner[tag] = 1;
  }
  facts.key("path").begin_object();
  facts.field("nodes", path.path.nodes.size())
      .field("edges", path.path.slots.size())
      .field("events", std::count(is_owner.begin(), is_owner.end(), 1));
  write_us(facts, "weight_us", path.length());
  per_kind("edges_per_type", [](const KindTotals& totals) { return totals.path_edges; });
  facts.end_object();
  per_kind("bound_by_us", [](const KindTotals& totals) { return to_us(totals.on_path); });
  per_kind("summary_pct", [&](const KindTotals& totals) { return share_percent(totals.on_path, path.length()); });
  facts.field("verdict", verdict(job, path)).field("device_reach", job.reach.identifier());
  tell_relief(facts, path);
  facts.field("coverage_pct", share_percent(path.length(), job.span));
  facts.field("residual_pct", job.residual_percent(path.length()));
  facts.field("typical_replay_pct", share_percent(analyze::typical_replay(job), job.span) - 100.0);
  facts.field("unexplained_pct", share_percent(path.unexplained(), path.length()));
}

/// A sentence, the breakdown by kind, of several ranks whose part it is, the largest contributors with slack and
/// derivative, and what to run next. `recording`: what the headline says of it (remark_on_recording).
void tell_path(report::Answer& answer, const PathRequest& request, const causal::CausalGraph& job,
               const analyze::CausalPath& path, const std::optional<analyze::StepSpread>& spread,
               const std::string& recording) {
  const bool several = job.ranks.size() > 1;
  const std::string ranks = several ? report::counted(job.ranks.size(), "rank") + ", " : "";
  answer.headline(
      fmt::format("{}{}, {}: {}{}.", ranks, job.label, format_duration(job.span), verdict(job, path.sums), recording));
  if (!job.why.empty())
    answer.line(fmt::format("This is {}; choose another with --annotation and --instance.", job.why));
  if (const std::string about_steps = analyze::steps_differ(spread); !about_steps.empty()) answer.line(about_steps);
  answer.line(trust_line(job, path.sums));
  if (const std::string earlier = earlier_work_line(job, path.sums); !earlier.empty()) answer.line(earlier);
  answer.gap();
  if (answer.for_programs()) tell_path_facts(answer.facts(), job, path);
  answer.table(analyze::bound_by_sheet(path.sums), {.readers = report::Readers::people_and_tables}).gap();
  if (several) tell_ranks(answer, job, path);
  answer.table(analyze::contributors_sheet(job, path.sums)).gap();
  answer.line(
      fmt::format("slack: how much later it could end without delaying the {0}. derivative: the part of a saving "
                  "that reaches the {0}.",
                  several ? "job" : "step"));
  if (!answer.for_people()) return;
  // whatif takes one operand for the traces; a list of files is not one that could be shown.
  const std::vector<std::string>& files = request.graph.recording.files;
  if (!several)
    tell_next_whatif(answer, request.graph, report::shell_quote(job.ranks.front().source_path), job, path.sums);
  else if (files.size() == 1)
    tell_next_whatif(answer, request.graph, report::shell_quote(files.front()), job, path.sums);
}

Result<report::Answer> run_as_hta(const PathRequest& request, Context& context) {
  if (request.graph.save || request.graph.restore)
    return misuse("--save and --restore do not go with --compat hta", "they keep the graph of the default mode");
  const auto job = load_trace(context, request.graph.recording, {.launch_arrows = true, .one_rank = true});
  if (!job) return job.error();
  const trace::RankTrace& rank = (*job)->ranks.front();
  const WindowChoice& window = request.graph.window;
  causal::hta::Options options;
  options.window = {window.annotation.value_or("ProfilerStep"), window.instances.first.value_or(0),
                    window.instances.last.value_or(0), request.data_load_events};
  options.zero_weight_launch_edges = request.zero_weight_launch_edges;
  options.strict = request.strict;
  options.include_last_step = request.include_last_step;
  const auto path = causal::hta::find_critical_path(**job, rank, options);
  if (!path) return path.error();
  const auto summary = analyze::summarize(*path, options.window.data_load_events);
  if (!summary) return summary.error();
  if (request.dump_graph) {
    if (const Status dumped = job::dump_graph(*path, *request.dump_graph); !dumped) return dumped.error();
  }
  if (request.overlay) {
    const auto overlay = analyze::make_overlay(*path, {request.all_edges, request.only_critical});
    if (const Status written = job::write_overlay_of(rank.source.path, overlay, *request.overlay); !written)
      return written.error();
  }
  report::Answer answer = context.answer();
  tell_hta_path(answer, *path, *summary, request.breakdown);
  if (!path->success()) answer.set_failed();
  return answer;
}

}  // namespace

Status write_overlays(const causal::CausalGraph& job, const PathSums& path, bool all_edges, bool only_critical,
                      const std::string& output) {
  const std::vector<kineto::Overlay> overlays = analyze::make_overlays(job, path, {all_edges, only_critical});
  std::vector<std::string> files;
  for (const causal::JobRank& rank : job.ranks) files.push_back(rank.source_path);
  return files.size() == 1 ? job::write_overlay_of(files.front(), overlays.front(), output)
                           : job::write_overlays_of(files, overlays, output);
}

Result<report::Answer> run(const PathRequest& request, Context& context) {
  const bool has_files = !request.graph.recording.files.empty();
  if (!has_files && !request.graph.restore)
    return misuse("no trace given", "name a file or folder, or use --restore FILE");
  if (has_files && request.graph.restore) return misuse("give traces or --restore, not both");
  const auto error = check_mode(request.compat,
                                {{"without-profiler", request.graph.recording.without_profiler},
                                 {"rules", !request.graph.recording.rules.empty()},
                                 {"counters", !request.graph.recording.counters.empty()}},
                                {{"zero-weight-launch-edges", request.zero_weight_launch_edges},
                                 {"strict", request.strict},
                                 {"include-last-step", request.include_last_step},
                                 {"dump-graph", request.dump_graph.has_value()},
                                 {"data-load-events", !request.data_load_events.empty()}});
  if (error) return *error;
  if (request.compat == Compat::hta) return run_as_hta(request, context);
  std::optional<analyze::StepSpread> spread;
  auto job = load_causal_graph(context, request.graph, &spread);
  if (!job) return job.error();
  if (!has_path(context, *job)) return context.failed();
  const std::optional<Unprofiled> unprofiled =
      take_profiler_off(context, request.graph.recording.without_profiler, request.unprofiled, *job);
  const analyze::CausalPath path = analyze::take_path(*job, graph::solve(job->graph, job->end), kContributors, true);
  if (request.overlay) {
    const Status written = write_overlays(*job, path.sums, request.all_edges, request.only_critical, *request.overlay);
    if (!written) return written.error();
  }
  const std::string recording = unprofiled ? std::string() : remark_on_recording(context, *job, path.sums);
  report::Answer answer = context.answer();
  tell_unprofiled(answer, unprofiled);
  tell_path(answer, request, *job, path, spread, recording);
  if (!answer.for_programs()) return answer;
  report::Facts& facts = answer.facts();
  tell_step_spread(facts, spread);
  if (!request.breakdown) return answer;
  facts.key("breakdown").begin_array();
  for (const graph::Slot slot : path.sums.path.slots) write_breakdown_row(facts, *job, path.sums, slot);
  facts.end_array();
  return answer;
}

}  // namespace orrery::ask
