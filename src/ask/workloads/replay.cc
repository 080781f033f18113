#include "ask/workloads/replay.h"

#include <fmt/format.h>

#include "analyze/schedule/replay_summary.h"
#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/schedule_sheets.h"
#include "ask/recording.h"
#include "ask/workloads/run_page.h"
#include "base/percent.h"
#include "job/read/workload_input.h"
#include "job/write/replay_timeline.h"
#include "job/write/workload_trace.h"
#include "report/counted.h"
#include "simulate/replay.h"
#include "simulate/schedule_uses.h"

namespace orrery::ask {
namespace {

using analyze::ReplayAnswer;

constexpr std::size_t kDeparturesShown = 10;

/// All ranks, or the one that is asked for, with their groups.
Result<job::WorkloadInput> load_replay(const ReplayRequest& request, Context& context) {
  const ReplaySource& wanted = request.source;
  const bool alone = request.alone || wanted.rank;
  const auto advise = [](Error error) {
    if (error.remedy == Remedy::all_ranks) error.hint = "--alone replays every rank on its own";
    return error;
  };
  Result<job::Source> source = job::find_source(wanted.files, {.may_miss_ranks = alone}, context.diagnostics());
  if (!source) return advise(source.error());
  if (wanted.rank) {
    if (const Status kept = job::keep_rank(static_cast<std::size_t>(*wanted.rank), *source); !kept) return kept.error();
  }
  job::WorkloadRequest reading;
  reading.groups_file = wanted.groups;
  // One file is one rank that was asked for, whatever the job was; of several none may be missing, or its partners
  // would wait for ever.
  reading.complete = !alone && source->files.size() > 1;
  Progress progress = context.progress("reading", total_bytes(source->all_files()));
  Result<job::WorkloadInput> input = job::read_workload(
      *source, reading, reading_of(context, {.without_profiler = request.without_profiler}, progress));
  if (!input) return advise(input.error());
  return input;
}

std::string replay_headline(const ReplayAnswer& replay, bool alone) {
  const std::size_t last = analyze::last_rank(replay.schedule);
  const analyze::RankReplay& rank = replay.summary.ranks[last];
  const std::size_t count = replay.summary.ranks.size();
  std::string text = count == 1 ? fmt::format("Rank {} replays", replay.rank_numbers[0])
                                : fmt::format("{} replay{}", report::counted(count, "rank"),
                                              alone ? ", each on its own," : " together");
  text += fmt::format(" in {}", format_duration(replay.schedule.makespan_ps()));
  if (count > 1) text += fmt::format("; the last is rank {}", replay.rank_numbers[last]);
  if (rank.recorded_ps != 0) {
    text += fmt::format(": {} where {} was recorded ({:+.2f} %)", format_duration(rank.replayed_ps),
                        format_duration(rank.recorded_ps), analyze::residual_percent(rank));
  }
  const simulate::RankUse& use = replay.schedule.ranks[last];
  if (use.communication_ps == 0) return text + ".";
  return text + fmt::format(". {:.1f} % of that is communication that no computation hides.",
                            share_percent(use.exposed_ps, rank.replayed_ps));
}

/// What its threads and streams do: of all ranks in one table, for programs of each with it, and for people of the last
/// to end unless they want all.
void tell_replayed_ranks(report::Answer& answer, const ReplayAnswer& replay, bool verbose) {
  using report::Readers;
  const auto make_ranks = [&] { return analyze::replayed_ranks_sheet(replay); };
  if (answer.for_programs()) {
    report::Facts& facts = answer.facts();
    const auto rows = report::Facts::share(make_ranks());
    facts.key("ranks").begin_array();
    for (std::size_t rank = 0; rank < rows->rows(); ++rank) {
      facts.begin_object().members(rows, rank);
      answer.table(analyze::lanes_sheet(replay, rank), {.readers = Readers::programs});
      facts.end_object();
    }
    facts.end_array();
  }
  answer.table(
      make_ranks,
      {.view = {.rows = report::kShownRows, .rest = "ranks, done earlier", .largest = "finish", .merge_alike = true},
       .readers = Readers::people_and_tables});
  answer.table([&] { return analyze::lanes_sheet(replay); }, {.readers = Readers::tables});
  if (!answer.for_people()) return;
  const auto show_lanes = [&](std::size_t rank, const report::SheetView& view) {
    answer.table(analyze::lanes_sheet(replay, rank), {.view = view, .readers = Readers::people, .after_gap = true});
  };
  if (!verbose)
    return show_lanes(analyze::last_rank(replay.schedule),
                      {.rows = report::kShownRows, .rest = "threads and streams, less busy", .largest = "busy"});
  for (std::size_t rank = 0; rank < replay.summary.ranks.size(); ++rank) show_lanes(rank, {});
}

void tell_replay(report::Answer& answer, const ReplayAnswer& replay, bool alone, bool verbose) {
  answer.headline(replay_headline(replay, alone)).gap();
  const analyze::RankReplay& last = replay.summary.ranks[analyze::last_rank(replay.schedule)];
  answer.facts().field("makespan_us", to_us(replay.schedule.makespan_ps())).field("alone", alone);
  answer.facts().field("replayed_us", to_us(last.replayed_ps)).key("recorded_us");
  if (last.recorded_ps != 0) answer.facts().value(to_us(last.recorded_ps));
  else answer.facts().null();
  tell_replayed_ranks(answer, replay, verbose);
  const auto readers = verbose ? report::Readers::all : report::Readers::programs_and_tables;
  answer.table([&] { return analyze::departures_sheet(replay); }, {.readers = readers, .after_gap = true});
}

Status draw_replay(report::Answer& answer, const ReplayRequest& request, Context& context, job::WorkloadInput& input,
                   simulate::Schedule& schedule, bool alone) {
  if (!request.report) return {};
  const workload::Workload& workload = input.workload;
  const ReplaySource& source = request.source;
  // Before collectives are counted, of which ranks on their own have none.
  Result<trace::Trace> trace =
      job::trace_of_replay(input.workload, schedule, alone, input.rank_numbers, source.files.front());
  if (!trace) return trace.error();
  if (schedule.ranks.empty()) schedule.ranks = simulate::rank_uses(workload, schedule);
  if (schedule.collectives.empty()) schedule.collectives = simulate::collective_uses(workload, schedule);
  // Times alone say why activities started, or do not: then the page has no path.
  Diagnostics unsaid;
  const auto reasons = analyze::find_reasons(workload, schedule, {.path = true}, unsaid);
  const analyze::ScheduleReasons found = reasons ? *reasons : analyze::ScheduleReasons();
  RunOnPage run{"replay", workload, schedule, {}, "replayed in recorded time", found};
  run.rank_numbers = input.rank_numbers;
  // It reads the same files, and replays them itself.
  run.whatif.emplace();
  for (const std::string& file : source.files) run.whatif->operands.push_back(report::shell_quote(file));
  if (source.rank) run.whatif->flags.push_back("--rank " + std::to_string(*source.rank));
  run.trace = std::move(*trace);
  return write_run_page(answer, context, request.report, std::move(run));
}

}  // namespace

Result<report::Answer> run(const ReplayRequest& request, Context& context) {
  if (const Status ready = prepare_run_page(context, request.report); !ready) return ready.error();
  Result<job::WorkloadInput> input = load_replay(request, context);
  if (!input) return input.error();
  const workload::Workload& workload = input->workload;
  if (!simulate::has_durations(workload)) {
    return Error{.message = "no activity has a recorded duration: there is nothing to replay",
                 .file = request.source.files.front(),
                 .hint = "orrery simulate computes times from sizes and a machine"};
  }
  const bool alone = request.alone || workload.rank_count() == 1;
  Result<simulate::Schedule> schedule = simulate::replay(workload, {.rendezvous = !alone});
  if (!schedule) {
    if (!alone && schedule.error().hint.empty())
      schedule.error().hint = "--comm-group FILE lists the members of groups; --alone replays every rank on its own";
    return schedule.error();
  }
  const analyze::ReplaySummary summary = analyze::summarize_replay(workload, *schedule, kDeparturesShown);
  if (request.timeline) {
    if (const Status written = job::export_replay(workload, *schedule, *request.timeline); !written)
      return written.error();
  }
  const ReplayAnswer replay{workload, *schedule, summary, input->rank_numbers};
  analyze::remark_on_replay(replay, context.diagnostics());
  // Who asks for ranks on their own knows that they are.
  if (alone && !request.alone) analyze::remark_on_missing_partners(replay, context.diagnostics());
  report::Answer answer = context.answer();
  tell_replay(answer, replay, alone, context.verbose());
  if (const Status drawn = draw_replay(answer, request, context, *input, *schedule, alone); !drawn)
    return drawn.error();
  return answer;
}

}  // namespace orrery::ask
