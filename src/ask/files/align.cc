#include "ask/files/align.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "align/alignment.h"
#include "analyze/check/causality_sheets.h"
#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "formats/clock_sources/reader.h"
#include "formats/xspace/merge.h"
#include "job/alignment_sheets.h"
#include "job/read/inputs.h"
#include "job/read/trace_input.h"
#include "job/write/aligned_files.h"
#include "job/write/trace_export.h"
#include "report/counted.h"
#include "trace/columns.h"

namespace orrery::ask {
namespace {

using align::Alignment;
using job::NodeCorrection;
using report::Readers;

constexpr DiagnosticKind kForced{"A721", Severity::warning, "uncalibrated traces were copied because --force was given",
                                 "their times are as recorded; do not compare nodes"};

constexpr DiagnosticKind kFoundBeside{"A733", Severity::note,
                                      "measurements of clocks that lie beside the traces were used",
                                      "name others with --probes, --probe-windows or --offsets to go by those instead"};

/// What is named, or else what the recorder of the traces left beside them.
Result<trace::ClockSources> load_sources(Context& context, const AlignRequest& request, const trace::Trace& job) {
  using clock_sources::Kind;
  trace::ClockSources sources;
  const auto read = [&](const std::string& path, Kind kind) -> Status {
    if (const Status added = context.add_input(path); !added) return added;
    return clock_sources::read(path, kind, sources, context.diagnostics());
  };
  bool is_named = false;
  for (const auto& [paths, kind] : {std::pair{&request.probes, Kind::probes},
                                    {&request.probe_windows, Kind::probe_windows},
                                    {&request.offsets, Kind::offsets},
                                    {&request.snapshots, Kind::snapshots},
                                    {&request.snapshot_pairs, Kind::snapshots}}) {
    for (const std::string& path : *paths) {
      is_named = true;
      if (const Status done = read(path, kind); !done) return done.error();
    }
  }
  const std::optional<std::string> beside = is_named ? std::nullopt : job::probes_beside(job);
  if (!beside) return sources;
  if (const Status done = read(*beside, Kind::probes); !done) return done.error();
  context.diagnostics().add(kFoundBeside, [&] { return *beside; });
  return sources;
}

/// One line: before, after the estimate, after the logical clock.
std::string causality_line(const Alignment& alignment, bool has_logical_clock) {
  const auto say = [](const align::CausalityReport& report, std::string_view when) {
    const std::string largest =
        report.violated == 0 ? "" : fmt::format(" (by up to {:.3f} µs)", to_us(report.largest_ps()));
    return fmt::format("{} violated {}{}", format_count(report.violated), when, largest);
  };
  std::string line =
      fmt::format("Happens-before, over {} and messages: {}, ", report::counted(alignment.before.checked, "collective"),
                  say(alignment.before, "before"));
  if (!has_logical_clock) return line + say(alignment.after, "after") + ".";
  return line + say(alignment.estimated, "after") + ", " + say(alignment.after, "after the logical clock") + ".";
}

std::string alignment_sentence(const Alignment& alignment) {
  std::string sources;
  for (const std::string& source : alignment.sources) sources += (sources.empty() ? "" : ", ") + source;
  std::set<std::int64_t> hosts;
  for (const align::NodeAlignment& node : alignment.nodes) hosts.insert(node.node);
  const std::string ranks = hosts.size() < alignment.nodes.size()
                                ? fmt::format("{} of ", report::counted(alignment.nodes.size(), "rank"))
                                : "";
  return fmt::format("{}{} on one clock, from {}.", ranks, report::counted(hosts.size(), "node"),
                     sources.empty() ? "nothing" : sources);
}

void tell_alignment_facts(report::Facts& facts, const trace::Trace& job, const Alignment& alignment, bool clc,
                          const std::shared_ptr<const report::Sheet>& nodes) {
  facts.field("status", alignment.calibrated ? "aligned" : "uncalibrated").field("calibrated", alignment.calibrated);
  facts.key("sources").begin_array();
  for (const std::string& source : alignment.sources) facts.value(source);
  facts.end_array();
  facts.field("collectives_matched", alignment.exchanges.all.size());
  facts.field("mispaired", alignment.exchanges.mispaired.size());
  const auto tell_causality_as = [&](std::string_view key, const align::CausalityReport& report) {
    const auto pairs = report::Facts::share(analyze::violating_pairs_sheet(job, report));
    facts.key(key).begin_object().members(report::Facts::share(analyze::causality_sheet(report)), 0);
    facts.key(pairs->name()).rows(pairs).end_object();
  };
  tell_causality_as("before", alignment.before);
  if (clc) tell_causality_as("estimated", alignment.estimated);
  tell_causality_as("after", alignment.after);
  // The steps of a clock stand in the object of its node.
  facts.key("nodes").begin_array();
  for (std::size_t node = 0; node < nodes->rows(); ++node) {
    const auto steps = report::Facts::share(job::clock_steps_sheet(alignment, node));
    facts.begin_object().members(nodes, node).key(steps->name()).rows(steps).end_object();
  }
  facts.end_array();
}

report::Answer answer_of_alignment(const Context& context, const trace::Trace& job, const Alignment& alignment,
                                   const std::vector<NodeCorrection>& corrections, bool clc) {
  report::Answer answer = context.answer();
  report::Sheet nodes = job::aligned_nodes_sheet(alignment, corrections);
  if (answer.for_programs()) {
    tell_alignment_facts(answer.facts(), job, alignment, clc, report::Facts::share(std::move(nodes)));
    return answer;
  }
  answer.line(alignment_sentence(alignment)).gap();
  answer.table(std::move(nodes));
  // Without anything to check, "0 violated" would say that nothing is.
  if (alignment.before.checked > 0) answer.gap().line(causality_line(alignment, clc));
  answer.table([&] { return job::clock_steps_sheet(alignment); }, {.readers = Readers::tables});
  if (!clc) return answer;
  answer.gap().line("What the logical clock cost:").gap();
  answer.table([&] { return job::logical_clock_sheet(alignment); }, {.readers = Readers::people});
  return answer;
}

Result<report::Answer> undo(const AlignRequest& request, Context& context) {
  if (!request.output) return misuse("where to write to is missing", "give -o FOLDER");
  if (request.recording.files.empty()) return misuse("there are no files", "name the aligned files");
  const Result<std::vector<std::string>> files = job::expand_inputs(request.recording.files);
  if (!files) return files.error();
  for (const std::string& file : *files) {
    if (const Status added = context.add_input(file); !added) return added.error();
  }
  if (const Status undone = job::undo_alignment(*files, *request.output); !undone) return undone.error();
  report::Answer answer = context.answer();
  answer.line(fmt::format("{} before the alignment, in {}",
                          report::counted(files->size(), "file as it was", "files as they were"), *request.output));
  report::Sheet restored("restored");
  restored.add({.name = "restored", .type = report::Type::integer}).add_row({files->size()});
  answer.table(std::move(restored), {.readers = Readers::programs_and_tables, .form = report::Form::members});
  return answer;
}

/// Only XSpaces can be joined into one file of their own format.
Status check_mergeable(const trace::Trace& job) {
  for (const trace::RankTrace& rank : job.ranks) {
    if (rank.source.format != "xspace")
      return Error{"--merge joins XSpace profiles, and this is none", rank.source.path, Error::kNoOffset,
                   "--perfetto FILE writes all nodes as one timeline"};
  }
  return {};
}

report::Answer uncalibrated(const Context& context, const trace::Trace& job) {
  report::Answer answer = context.failed();
  answer.line(fmt::format("uncalibrated: nothing tells how the clocks of {} relate, so nothing was written.",
                          report::counted(job.ranks.size(), "node")));
  answer.line(
      "Give --probes, --probe-windows or --offsets, or traces with collectives; --force copies the files as they are.");
  report::Sheet status("alignment");
  status.add({.name = "status"})
      .add({.name = "calibrated", .type = report::Type::flag})
      .add({.name = "nodes", .type = report::Type::integer})
      .add_row({"uncalibrated", false, job.ranks.size()});
  answer.table(std::move(status), {.readers = Readers::programs_and_tables, .form = report::Form::members});
  return answer;
}

std::optional<Error> check_request(const AlignRequest& request) {
  if (!request.output && !request.dry_run) return misuse("where to write to is missing", "give -o FOLDER");
  if (request.output && is_standard_output(*request.output))
    return misuse("aligned traces go to a folder, not to standard output", "give -o FOLDER");
  if (request.dry_run && request.merge)
    return misuse("--dry-run writes nothing, so there is nothing to merge", "leave out one of the two");
  return std::nullopt;
}

}  // namespace

Result<report::Answer> run(const AlignRequest& request, Context& context) {
  if (const auto error = check_request(request)) return *error;
  if (request.undo) return undo(request, context);
  RecordingRequest recording = request.recording;
  recording.files.insert(recording.files.end(), request.trace.begin(), request.trace.end());
  if (recording.files.empty()) return misuse("there are no traces", "name the files of all nodes");
  auto job = load_own_trace(context, recording, {.positions = false, .far_clocks = true, .launch_arrows = true});
  if (!job) return job.error();
  // Where clocks are years apart the reader has moved them together; the times of the reference must stay as recorded.
  align::take_era_of(request.reference.value_or(0), *job);
  if (request.merge) {
    if (const Status mergeable = check_mergeable(*job); !mergeable) return mergeable.error();
  }
  const auto sources = load_sources(context, request, *job);
  if (!sources) return sources.error();
  if (request.ranks_per_node && *request.ranks_per_node < 1)
    return misuse("--ranks-per-node must be at least 1", "8 says that ranks 0 to 7 ran on the first node");
  align::AlignOptions options{.reference_rank = request.reference, .logical_clock = request.clc};
  if (request.ranks_per_node) options.ranks_per_node = *request.ranks_per_node;
  const auto alignment = align::align(*job, *sources, options, context.diagnostics());
  if (!alignment) return alignment.error();
  if (!alignment->calibrated && !request.force) return uncalibrated(context, *job);
  if (!alignment->calibrated) context.diagnostics().add(kForced);
  std::vector<NodeCorrection> corrections = job::describe_corrections(*job, *alignment);
  const std::int64_t origin = job::common_origin(*job, *alignment);
  if (request.perfetto) {
    align::apply(*alignment, *job);
    if (const Status exported = job::export_trace(*job, *request.perfetto); !exported) return exported.error();
  }
  // The files are written from the files; the events, which may take more memory than those, are not needed any more.
  for (trace::RankTrace& rank : job->ranks) trace::forget_events(rank);
  if (!request.dry_run) {
    const job::AlignedTarget target = job::aligned_target(*request.output, job->ranks.size());
    const Status written = job::write_aligned(*job, *alignment, origin, target, corrections, context.diagnostics());
    if (!written) return written.error();
  }
  if (request.merge) {
    std::vector<xspace::MergeInput> inputs;
    // The aligned files appear when the question is answered: until then they lie elsewhere.
    for (std::size_t i = 0; i < corrections.size(); ++i)
      inputs.push_back({OutputSet::place_of(corrections[i].file), alignment->nodes[i].rank});
    if (const Status merged = xspace::merge(inputs, *request.merge); !merged) return merged.error();
  }
  return answer_of_alignment(context, *job, *alignment, corrections, request.clc);
}

}  // namespace orrery::ask
