#include "cli/workloads/replay_on_mpi.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "ask/provenance.h"
#include "ask/workloads/motif_run.h"
#include "ask/workloads/simulation_inputs.h"
#include "base/io/output_file.h"
#include "base/result.h"
#include "base/team/process_team.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"
#include "cli/workloads/mpi_recording.h"
#include "cli/workloads/mpi_replay_report.h"
#include "job/read/workload_input.h"
#include "replay/mpi/against.h"
#include "replay/mpi/calibrate.h"
#include "replay/mpi/call_times.h"
#include "replay/mpi/measured.h"
#include "replay/mpi/mpi_replay.h"
#include "report/counted.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::cli {

// What a replay by MPI runs: whatever `simulate` takes as a workload, and motifs for as many ranks as there are
// processes.

/// All of it, in memory.
Result<workload::Workload> load_mpi_replay(Invocation& invocation, std::size_t processes);

Result<workload::Workload> load_mpi_replay(Invocation& invocation, std::size_t processes) {
  const std::vector<std::string>& named = invocation.operands();
  if (named.size() == 1 && ask::is_motif(named.front())) {
    ask::MotifChoice motif;
    (void)take_flags(invocation, motif);
    motif.what = named.front();
    const auto source = ask::open_motif(invocation.context(), motif, static_cast<std::uint32_t>(processes));
    if (!source) return source.error();
    return workload::collect(**source);
  }
  const Result<job::Source> source = job::find_source(named, {}, invocation.diagnostics());
  if (!source) return source.error();
  Progress progress = invocation.progress("reading", total_bytes(source->all_files()));
  const job::Reading reading = reading_of(invocation, progress);
  auto made = job::open_workload(*source, reading);
  if (!made) return made.error();
  if (*made != nullptr) return workload::collect(**made);
  job::WorkloadRequest request;
  request.groups_file = invocation.text("comm-group");
  request.keep_roles = true;
  Result<job::WorkloadInput> input = job::read_workload(*source, request, reading);
  if (!input) return input.error();
  return std::move(input->workload);
}

namespace {

constexpr DiagnosticKind kCallTimesLeftOut{"R970", Severity::note,
                                           "time recorded inside calls of MPI is not spent again",
                                           "the calls are made again, and take what they take here"};
constexpr std::int64_t kMostRepeats = 10'000;

/// The team that this process leads, or one of its own.
class Team {
 public:
  static Result<Team> find() {
    Team team;
    team.all_ = process_team();
    if (team.all_ != nullptr) return team;
    auto joined = ProcessTeam::join({}, version());
    if (!joined) return joined.error();
    team.own_ = std::move(*joined);
    team.all_ = team.own_.get();
    return team;
  }
  Team(Team&&) = default;
  Team& operator=(Team&&) = delete;
  ~Team() {
    if (own_ != nullptr) own_->dismiss(0);
  }
  ProcessTeam& operator*() { return *all_; }

 private:
  Team() = default;
  ProcessTeam* all_ = nullptr;
  std::unique_ptr<ProcessTeam> own_;
};

std::optional<UsageError> check_flags(const Invocation& invocation) {
  const std::int64_t repeats = invocation.integer("repeat"), warm_ups = invocation.integer("warm-up");
  if (repeats < 1 || repeats > kMostRepeats)
    return UsageError{fmt::format("--repeat: a number from 1 to {}", kMostRepeats)};
  if (warm_ups > kMostRepeats) return UsageError{fmt::format("--warm-up: a number from 0 to {}", kMostRepeats)};
  if (!(invocation.number("timeout") > 0)) return UsageError{"--timeout: more than 0 seconds"};
  for (const char* const flag : {"rank", "alone", "timeline", "report"}) {
    if (invocation.has(flag))
      return UsageError{fmt::format("--{} is for a replay in recorded time, not for one by MPI", flag)};
  }
  return std::nullopt;
}

/// What --against and --calibrate make of it.
Status judge(Invocation& invocation, const std::optional<machine::Machine>& machine, const workload::Matching& matching,
             MpiReplayAnswer& answer) {
  if (machine) {
    Result<replay::Predicted> predicted = replay::predict(matching, *machine);
    if (!predicted) return predicted.error();
    answer.against = replay::compare(answer.measured, *predicted);
  }
  if (!invocation.has("calibrate")) return {};
  Result<replay::Calibration> fitted = replay::calibrate(answer.measured, matching);
  if (!fitted) return fitted.error();
  answer.calibration = std::move(*fitted);
  return write_whole_file(invocation.text("calibrate"), answer.calibration->yaml());
}

}  // namespace

ExitCode run_replay_on_mpi(Invocation& invocation) {
  if (const auto error = check_flags(invocation)) return invocation.fail_usage(*error);
  Result<Team> team = Team::find();
  if (!team) return invocation.fail(team.error());
  const auto processes = static_cast<std::size_t>((**team).processes());
  Result<workload::Workload> workload = load_mpi_replay(invocation, processes);
  if (!workload) return invocation.fail(workload.error());
  if (workload->rank_count() != processes) {
    return invocation.fail_usage(
        {fmt::format("the workload has {}, and {} process{} run{} it", report::counted(workload->rank_count(), "rank"),
                     format_count(processes), processes == 1 ? "" : "es", processes == 1 ? "s" : ""),
         fmt::format("mpirun -n {} orrery replay ... --on mpi", workload->rank_count())});
  }
  if (const std::uint64_t dropped = replay::drop_call_times(*workload); dropped > 0)
    invocation.diagnostics().add_many(kCallTimesLeftOut, dropped, invocation.operands()[0]);
  const Result<replay::ReplayPlan> plan = replay::ReplayPlan::of(*workload);
  if (!plan) return invocation.fail(plan.error());
  // Before anything runs: a description that cannot be read would be found out about afterwards.
  std::optional<machine::Machine> machine;
  if (invocation.has("against")) {
    auto read = ask::load_machine(invocation.context(), invocation.text("against"));
    if (!read) return invocation.fail(read.error());
    machine = std::move(*read);
    if (machine->devices.count < static_cast<std::int64_t>(processes))
      return invocation.fail(Error{
          .message = fmt::format("the machine '{}' has {}, and {} run", machine->name,
                                 report::counted(machine->devices.count, "device"), report::counted(processes, "rank")),
          .file = invocation.text("against")});
  }
  replay::MpiReplayOptions options;
  options.warm_ups = static_cast<std::uint32_t>(invocation.integer("warm-up"));
  options.repeats = static_cast<std::uint32_t>(invocation.integer("repeat"));
  options.uses_flops = invocation.has("flops");
  options.timeout_s = invocation.number("timeout");
  std::optional<MpiRecording> recording;
  if (invocation.has("output")) {
    invocation.take_output();
    Result<MpiRecording> begun = MpiRecording::begin(invocation.text("output"), processes);
    if (!begun) return invocation.fail(begun.error());
    recording.emplace(std::move(*begun));
    options.trace_prefix = recording->prefix();
  }
  const Result<replay::MeasuredRun> run = replay::replay_on_team(**team, *plan, options);
  if (!run) return invocation.fail(run.error());
  if (recording) {
    if (const Status kept = recording->keep(invocation.diagnostics()); !kept) return invocation.fail(kept.error());
  }
  MpiReplayAnswer answer{processes, replay::add_up(*run, plan->matching()), run->flops_per_ns()};
  if (const Status judged = judge(invocation, machine, plan->matching(), answer); !judged)
    return invocation.fail(judged.error());
  report_mpi_replay(invocation, answer);
  return ExitCode::ok;
}

std::optional<UsageError> check_flags_without_mpi(const Invocation& invocation) {
  for (const char* const flag :
       {"repeat", "warm-up", "flops", "against", "calibrate", "timeout", "set", "size", "seed"}) {
    if (invocation.has(flag))
      return UsageError{fmt::format("--{} belongs to a replay by MPI", flag),
                        "mpirun -n N orrery replay SOURCE --on mpi"};
  }
  return std::nullopt;
}

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

}  // namespace orrery::cli
