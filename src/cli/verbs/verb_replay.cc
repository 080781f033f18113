// orrery replay: a workload in time, without a machine, or run again for real.
#include <fmt/format.h>

#include "ask/workloads/replay.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"

namespace orrery::cli {
namespace {

/// Flags of one way to replay mean nothing in another; ignoring them would look like heeding them.
std::optional<UsageError> check_replay_flags(const Invocation& invocation) {
  if (invocation.has("edit"))
    return UsageError{"--edit changes what --emit writes", "add --emit torch -o DIR; or ask orrery whatif"};
  if (invocation.has("capture"))
    return UsageError{"--capture says what graphs consist of that --emit writes", "add --emit torch -o DIR"};
  if (invocation.has("scale"))
    return UsageError{"--scale changes sizes of what --emit writes", "add --emit torch -o DIR"};
  if (invocation.has("on")) {
    for (const char* const flag : {"rank", "alone", "timeline", "report", "without-profiler"}) {
      if (invocation.has(flag))
        return UsageError{fmt::format("--{} is for a replay in recorded time, not for one by MPI", flag)};
    }
    return std::nullopt;
  }
  for (const char* const flag :
       {"repeat", "warm-up", "flops", "against", "calibrate", "timeout", "set", "size", "seed"}) {
    if (invocation.has(flag))
      return UsageError{fmt::format("--{} belongs to a replay by MPI", flag),
                        "mpirun -n N orrery replay SOURCE --on mpi"};
  }
  return std::nullopt;
}

template <typename Request>
ExitCode answer_replay(Invocation& invocation) {
  Request request;
  request.source.files = invocation.operands();
  return answer(invocation, std::move(request));
}

ExitCode run_replay(Invocation& invocation) {
  if (invocation.has("emit")) {
    if (invocation.has("without-profiler"))
      return invocation.fail_usage(
          UsageError{"--without-profiler is for a replay in recorded time: what --emit writes runs without one"});
    invocation.take_output();
    return answer_replay<ask::TorchReplayRequest>(invocation);
  }
  if (const auto error = check_replay_flags(invocation)) return invocation.fail_usage(*error);
  if (!invocation.has("on")) return answer_replay<ask::ReplayRequest>(invocation);
  invocation.take_output();
  return answer_replay<ask::MpiReplayRequest>(invocation);
}

/// --on and what belongs to it, behind the verb's own.
std::vector<Flag> with_mpi_replay_flags(std::vector<Flag> flags) {
  constexpr std::string_view kGroup = "Flags of a replay by MPI (mpirun -n N orrery replay SOURCE --on mpi)";
  const std::vector<Flag> own = {
      Flag{.name = "on",
           .value_name = "WHAT",
           .help = "run it for real: messages and collectives by MPI, a process per rank",
           .choices = "mpi",
           .group = kGroup},
      Flag{.name = "repeat",
           .value_name = "K",
           .kind = ValueKind::count,
           .help = "runs that are measured",
           .default_text = "3",
           .group = kGroup},
      Flag{.name = "warm-up",
           .value_name = "K",
           .kind = ValueKind::count,
           .help = "runs before those",
           .default_text = "1",
           .group = kGroup},
      Flag{.name = "flops",
           .help = "computation is real arithmetic, calibrated to take the same time on an idle core",
           .group = kGroup},
      Flag{.name = "against",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "also simulate it on this machine description (YAML, or the name of a shipped one), and say both "
                   "side by side",
           .group = kGroup},
      Flag{.name = "calibrate",
           .value_name = "FILE",
           .kind = ValueKind::output,
           .help = "write a machine description whose latency, bandwidth and overheads are fitted to the run",
           .group = kGroup},
      Flag{.name = "timeout",
           .value_name = "SECONDS",
           .kind = ValueKind::number,
           .help = "end it, and say who waits for whom, when no rank got on for so long",
           .default_text = "60",
           .group = kGroup},
      Flag{.name = "set",
           .value_name = "NAME=VALUE",
           .help = "a parameter of a built-in motif",
           .repeatable = true,
           .group = kGroup},
      Flag{.name = "size",
           .value_name = "S",
           .kind = ValueKind::number,
           .help = "the problem size of a fitted motif",
           .group = kGroup},
      Flag{.name = "seed",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "of what chance decides in a fitted motif",
           .default_text = "1",
           .group = kGroup},
  };
  flags.insert(flags.end(), own.begin(), own.end());
  return flags;
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
           without_profiler_flag(),
           Flag{.name = "comm-group",
                .value_name = "FILE",
                .kind = ValueKind::file,
                .help = "communicators as JSON: {\"1\": [0, 1, 2, 3]}"},
           Flag{.name = "emit",
                .value_name = "FRAMEWORK",
                .help = "write a folder that runs the recorded operations again on real devices, from host and "
                        "profiler traces",
                .choices = "torch"},
           Flag{.name = "capture",
                .value_name = "FILE",
                .kind = ValueKind::file,
                .help = "with --emit torch: a recording of the same program while its graphs were captured, or run "
                        "eagerly, and its host trace if there is one: what graphs launched is called one by one; a "
                        "folder means the files in it",
                .repeatable = true},
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
