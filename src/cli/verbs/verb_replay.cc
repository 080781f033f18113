// orrery replay: a workload in time, without a machine.
#include "analyze/schedule/replay_remarks.h"
#include "analyze/schedule/replay_summary.h"
#include "analyze/schedule/schedule_reasons.h"
#include "ask/workloads/run_page.h"
#include "cli/frame/command_line.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"
#include "cli/workloads/replay_emit.h"
#include "cli/workloads/replay_inputs.h"
#include "cli/workloads/replay_on_mpi.h"
#include "cli/workloads/replay_report.h"
#include "job/write/replay_timeline.h"
#include "job/write/workload_trace.h"
#include "simulate/collective_uses.h"
#include "simulate/rank_uses.h"
#include "simulate/replay.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kDepartures = 10;

Status draw_replay(Invocation& invocation, job::WorkloadInput& input, simulate::Schedule& schedule, bool alone) {
  const workload::Workload& workload = input.workload;
  if (!invocation.has("report")) return {};
  // Before collectives are counted, of which ranks on their own have none.
  Result<trace::Trace> trace =
      job::trace_of_replay(input.workload, schedule, alone, input.rank_numbers, invocation.operands()[0]);
  if (!trace) return trace.error();
  if (schedule.ranks.empty()) schedule.ranks = simulate::rank_uses(workload, schedule);
  if (schedule.collectives.empty()) schedule.collectives = simulate::collective_uses(workload, schedule);
  // Times alone say why activities started, or do not: then the page has no path.
  Diagnostics unsaid;
  const auto reasons = analyze::find_reasons(workload, schedule, {.path = true}, unsaid);
  const analyze::ScheduleReasons found = reasons ? *reasons : analyze::ScheduleReasons();
  ask::RunOnPage run{"replay", workload, schedule, {}, "replayed in recorded time", found};
  run.rank_numbers = input.rank_numbers;
  // It reads the same files, and replays them itself.
  run.whatif.emplace();
  for (const std::string& operand : invocation.operands()) run.whatif->operands.push_back(report::shell_quote(operand));
  if (invocation.has("rank")) run.whatif->flags.push_back("--rank " + std::to_string(invocation.integer("rank")));
  run.trace = std::move(*trace);
  report::Answer answer = invocation.context().answer();
  const Status written = write_run_page(answer, invocation.context(), invocation.text("report"), std::move(run));
  if (invocation.json()) answer.write_json(invocation.data());
  else invocation.text() += answer.to_text(invocation.table_columns(), invocation.style());
  return written;
}

ExitCode run_replay(Invocation& invocation) {
  if (invocation.has("emit")) return emit_replay(invocation);
  if (invocation.has("edit"))
    return invocation.fail_usage(
        {"--edit changes what --emit writes", "add --emit torch -o DIR; or ask orrery whatif"});
  if (invocation.has("scale"))
    return invocation.fail_usage({"--scale changes sizes of what --emit writes", "add --emit torch -o DIR"});
  if (invocation.has("on")) return run_replay_on_mpi(invocation);
  if (const auto error = check_flags_without_mpi(invocation)) return invocation.fail_usage(*error);
  const auto page = invocation.has("report") ? std::optional(invocation.text("report")) : std::nullopt;
  if (const Status ready = ask::prepare_run_page(invocation.context(), page); !ready)
    return invocation.fail(ready.error());
  Result<job::WorkloadInput> input = load_replay(invocation);
  if (!input) return invocation.fail(input.error());
  const workload::Workload& workload = input->workload;
  if (!simulate::has_durations(workload)) {
    return invocation.fail({.message = "no activity has a recorded duration: there is nothing to replay",
                            .file = invocation.operands()[0],
                            .hint = "orrery simulate computes times from sizes and a machine"});
  }
  const bool alone = invocation.has("alone") || workload.rank_count() == 1;
  Result<simulate::Schedule> schedule = simulate::replay(workload, {.rendezvous = !alone});
  if (!schedule) {
    if (!alone && schedule.error().hint.empty())
      schedule.error().hint = "--comm-group FILE lists the members of groups; --alone replays every rank on its own";
    return invocation.fail(schedule.error());
  }
  const analyze::ReplaySummary summary = analyze::summarize_replay(workload, *schedule, kDepartures);
  if (invocation.has("timeline")) {
    const Status written = job::export_replay(workload, *schedule, invocation.text("timeline"));
    if (!written) return invocation.fail(written.error());
  }
  const analyze::ReplayAnswer answer{workload, *schedule, summary, input->rank_numbers};
  analyze::remark_on_replay(answer, invocation.diagnostics());
  // Who asks for ranks on their own knows that they are.
  if (alone && !invocation.has("alone")) analyze::remark_on_missing_partners(answer, invocation.diagnostics());
  report_replay(invocation, answer, alone);
  const Status written = draw_replay(invocation, *input, *schedule, alone);
  return written ? ExitCode::ok : invocation.fail(written.error());
}

}  // namespace

const Verb& replay_verb() {
  static const Verb verb = {
      .name = "replay",
      .summary = "a Chakra graph in recorded time: what its dependencies explain",
      .description =
          "Executes the graph without a machine: every node takes as long as it was recorded to take and starts as "
          "soon as what it depends "
          "on has ended. Collectives and messages wait for their partners; a single rank keeps its recorded waiting "
          "times. The residual "
          "is how much longer the replay is than the recording: what the graph does not explain.\n\n"
          "With --on mpi it runs for real: one process per rank, messages and collectives through MPI, computation as "
          "time spent; any "
          "workload that simulate takes, or the name of a motif. -o DIR then records the last run as traces.\n\n"
          "With --emit torch, a folder is written that runs the recorded operators again on real devices, without the "
          "job's code, data or "
          "weights: from host and profiler traces, linked traces, and Chakra files made from them. Of other programs "
          "communication is "
          "real, and device work is work of the recorded duration.",
      .operands =
          {.name = "PREFIX|FILE...",
           .help = "PREFIX for PREFIX.0.et, PREFIX.1.et, ..., or the files of some ranks (.et, .et.gz, .et.zst, .json)",
           .min = 1,
           .max = Operands::kUnlimited},
      .flags = with_mpi_replay_flags(
          {Flag{.name = "rank", .value_name = "R", .kind = ValueKind::count, .help = "this rank only, on its own"},
           Flag{.name = "alone", .help = "every rank on its own: communication takes as long as recorded"},
           Flag{.name = "comm-group",
                .value_name = "FILE",
                .kind = ValueKind::file,
                .help = "communicators as JSON: {\"1\": [0, 1, 2, 3]}"},
           Flag{.name = "emit",
                .value_name = "FRAMEWORK",
                .help = "write a folder that runs the recorded operations again on real devices, from host and "
                        "profiler traces",
                .choices = "torch"},
           Flag{.name = "pace",
                .value_name = "HOW",
                .help = "with --emit: as fast as the host can, or with the host's own recorded times in between",
                .default_text = "fast",
                .choices = "fast recorded"},
           Flag{.name = "scale",
                .value_name = "SELECTOR FACTOR",
                .help = "with --emit torch: other sizes; batch, sequence or size:N, times FACTOR, as far as operators "
                        "can follow",
                .is_pair = true},
           Flag{.name = "edit",
                .value_name = "EDIT",
                .help = "with --emit torch: an edit of orrery whatif, carried out for real or refused: comm * 2, "
                        "op:PATTERN remove, rank:3 "
                        "delay 4ms",
                .repeatable = true},
           Flag{.name = "compute-only", .help = "with --emit: no communication"},
           Flag{.name = "communication-only", .help = "with --emit: nothing but communication"}, csv_flag(),
           Flag{.name = "timeline",
                .value_name = "FILE",
                .kind = ValueKind::output,
                .help = "write the replay for Perfetto (FILE.json.gz): a process per rank, its threads and streams"},
           report_flag()}),
      .examples = {{"orrery replay et/step",
                    "all ranks together: step time, busy times, exposed communication, residual"},
                   {"orrery replay et/step.3.et -v", "rank 3 on its own, and where it departs from the recording"},
                   {"orrery replay --emit torch traces/ -o again",
                    "a folder for torchrun --nproc-per-node N again/replay.py"}},
      .run = run_replay,
  };
  return verb;
}

}  // namespace orrery::cli
