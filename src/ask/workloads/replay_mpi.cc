#include <fmt/format.h>

#include <memory>

#include "ask/provenance.h"
#include "ask/recording.h"
#include "ask/workloads/motif_run.h"
#include "ask/workloads/mpi_recording.h"
#include "ask/workloads/replay.h"
#include "ask/workloads/simulation_inputs.h"
#include "base/io/output_file.h"
#include "base/team/process_team.h"
#include "job/read/workload_input.h"
#include "replay/mpi/calibrate.h"
#include "replay/mpi/measured.h"
#include "replay/mpi/mpi_call.h"
#include "replay/mpi/mpi_replay.h"
#include "report/counted.h"
#include "workload/source.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kCallTimesLeftOut{"R970", Severity::note,
                                           "time recorded inside calls of MPI is not spent again",
                                           "the calls are made again, and take what they take here"};
constexpr std::int64_t kMostRepeats = 10'000;

/// The team that this process leads, or one of its own.
class MpiTeam {
 public:
  static Result<MpiTeam> find() {
    MpiTeam team;
    team.all_ = process_team();
    if (team.all_ != nullptr) return team;
    auto joined = ProcessTeam::join({}, version());
    if (!joined) return joined.error();
    team.own_ = std::move(*joined);
    team.all_ = team.own_.get();
    return team;
  }
  MpiTeam(MpiTeam&&) = default;
  MpiTeam& operator=(MpiTeam&&) = delete;
  ~MpiTeam() {
    if (own_ != nullptr) own_->dismiss(0);
  }
  ProcessTeam& operator*() { return *all_; }

 private:
  MpiTeam() = default;
  ProcessTeam* all_ = nullptr;
  std::unique_ptr<ProcessTeam> own_;
};

Status check_mpi_replay(const MpiReplayRequest& request) {
  if (request.repeats < 1 || request.repeats > kMostRepeats)
    return misuse(fmt::format("--repeat: a number from 1 to {}", kMostRepeats));
  if (request.warm_ups > kMostRepeats) return misuse(fmt::format("--warm-up: a number from 0 to {}", kMostRepeats));
  if (!(request.timeout_s > 0)) return misuse("--timeout: more than 0 seconds");
  return {};
}

/// Whatever `simulate` takes as a workload, and motifs for as many ranks as there are processes; all of it, in memory.
Result<workload::Workload> load_mpi_replay(const MpiReplayRequest& request, Context& context, std::size_t processes) {
  const std::vector<std::string>& named = request.source.files;
  if (named.size() == 1 && is_motif(named.front())) {
    MotifChoice motif = request.motif;
    motif.what = named.front();
    const auto source = open_motif(context, motif, static_cast<std::uint32_t>(processes));
    if (!source) return source.error();
    return workload::collect(**source);
  }
  const Result<job::Source> source = job::find_source(named, {}, context.diagnostics());
  if (!source) return source.error();
  Progress progress = context.progress("reading", total_bytes(source->all_files()));
  const job::Reading reading = reading_of(context, {}, progress);
  auto made = job::open_workload(*source, reading);
  if (!made) return made.error();
  if (*made != nullptr) return workload::collect(**made);
  job::WorkloadRequest wanted;
  wanted.groups_file = request.source.groups;
  wanted.keep_roles = true;
  Result<job::WorkloadInput> input = job::read_workload(*source, wanted, reading);
  if (!input) return input.error();
  return std::move(input->workload);
}

/// The machine to compare with, if any; before anything runs, so that a description that cannot be read is not found
/// out about afterwards.
Result<std::optional<machine::Machine>> load_compared_machine(const MpiReplayRequest& request, Context& context,
                                                              std::size_t processes) {
  if (!request.against) return std::optional<machine::Machine>();
  auto machine = load_machine(context, *request.against);
  if (!machine) return machine.error();
  if (machine->devices.count < static_cast<std::int64_t>(processes))
    return Error{
        .message = fmt::format("the machine '{}' has {}, and {} run", machine->name,
                               report::counted(machine->devices.count, "device"), report::counted(processes, "rank")),
        .file = *request.against};
  return std::optional(std::move(*machine));
}

struct MpiReplayed {
  std::size_t ranks = 0;
  replay::Measured measured = {};
  double flops_per_ns = 0;                              ///< 0: computation was looking at the clock
  std::vector<replay::ComparedRow> against = {};        ///< empty: with nothing
  std::optional<replay::Calibration> calibration = {};  ///< none: nothing was fitted
};

/// What a machine and a fit make of what was measured.
Status judge_mpi_replay(const MpiReplayRequest& request, const std::optional<machine::Machine>& machine,
                        const workload::Matching& matching, MpiReplayed& replayed) {
  if (machine) {
    Result<replay::Predicted> predicted = replay::predict(matching, *machine);
    if (!predicted) return predicted.error();
    replayed.against = replay::compare(replayed.measured, *predicted);
  }
  if (!request.calibrate) return {};
  Result<replay::Calibration> fitted = replay::calibrate(replayed.measured, matching);
  if (!fitted) return fitted.error();
  replayed.calibration = std::move(*fitted);
  return write_whole_file(*request.calibrate, replayed.calibration->yaml());
}

Result<MpiReplayed> run_on_team(const MpiReplayRequest& request, Context& context, ProcessTeam& team,
                                const replay::ReplayPlan& plan) {
  const auto processes = static_cast<std::size_t>(team.processes());
  const auto machine = load_compared_machine(request, context, processes);
  if (!machine) return machine.error();
  replay::MpiReplayOptions options;
  options.warm_ups = static_cast<std::uint32_t>(request.warm_ups);
  options.repeats = static_cast<std::uint32_t>(request.repeats);
  options.uses_flops = request.uses_flops;
  options.timeout_s = request.timeout_s;
  std::optional<MpiRecording> recording;
  if (request.output) {
    Result<MpiRecording> begun = MpiRecording::begin(*request.output, processes);
    if (!begun) return begun.error();
    recording.emplace(std::move(*begun));
    options.trace_prefix = recording->prefix();
  }
  const Result<replay::MeasuredRun> measured = replay::replay_on_team(team, plan, options);
  if (!measured) return measured.error();
  if (recording) {
    if (const Status kept = recording->keep(context.diagnostics()); !kept) return kept.error();
  }
  MpiReplayed replayed{processes, replay::add_up(*measured, plan.matching()), measured->flops_per_ns()};
  if (const Status judged = judge_mpi_replay(request, *machine, plan.matching(), replayed); !judged)
    return judged.error();
  return replayed;
}

std::string mpi_replay_headline(const MpiReplayed& replayed, const std::optional<std::string>& folder) {
  const replay::Sample& runs = replayed.measured.makespans;
  std::string text =
      fmt::format("{} ran in {}", report::counted(replayed.ranks, "rank"), format_duration(runs.median_ps()));
  if (runs.times_ps.size() > 1)
    text += fmt::format(", the median of {} from {} to {}", report::counted(runs.times_ps.size(), "run"),
                        format_duration(runs.least_ps()), format_duration(runs.most_ps()));
  if (folder) text += fmt::format("; the last is recorded in {}", *folder);
  return text + ".";
}

void tell_fit(report::Answer& answer, const replay::Calibration& fitted, const std::string& file) {
  answer.facts().field("fitted_samples", fitted.samples);
  answer.facts().field("fitted_median_error_pct", fitted.median_error_percent);
  answer.facts().field("fitted_worst_error_pct", fitted.worst_error_percent);
  answer.facts().field("fitted_makespan_error_pct", fitted.rows.front().error_percent());
  answer.gap().line(fmt::format(
      "A machine was fitted to {} and written to {}: a row is {:.1f} % off in the median, {:.1f} % at most; the "
      "makespan {:+.1f} %.",
      report::counted(fitted.samples, "sample"), file, fitted.median_error_percent, fitted.worst_error_percent,
      fitted.rows.front().error_percent()));
}

void tell_mpi_replay(report::Answer& answer, const MpiReplayRequest& request, const MpiReplayed& replayed,
                     bool verbose) {
  const replay::Sample& runs = replayed.measured.makespans;
  answer.headline(mpi_replay_headline(replayed, request.output));
  if (!replayed.against.empty()) {
    const replay::ComparedRow& whole = replayed.against.front();
    answer.line(fmt::format("Simulated: {} ({:+.1f} %).", format_duration(whole.predicted_ps), whole.error_percent()),
                report::Tone::strong);
  }
  report::Facts& facts = answer.facts();
  facts.field("ranks", replayed.ranks).field("makespan_us", to_us(runs.median_ps()));
  facts.field("least_makespan_us", to_us(runs.least_ps())).field("most_makespan_us", to_us(runs.most_ps()));
  if (replayed.flops_per_ns > 0) {
    facts.field("flops_per_ns", replayed.flops_per_ns);
    answer.line(fmt::format("Computation is arithmetic: {:.2f} Gflop/s on the slowest rank.", replayed.flops_per_ns));
  }
  report::SheetView view;
  if (!verbose) view.rows = 2 * report::kShownRows;
  const auto add = [&](report::Sheet sheet) { answer.table(std::move(sheet), {.view = view, .after_gap = true}); };
  add(replay::repetitions_sheet(replayed.measured, request.output.has_value()));
  add(replay::collectives_sheet(replayed.measured));
  add(replay::messages_sheet(replayed.measured));
  if (!replayed.against.empty()) add(replay::against_sheet(replayed.against));
  if (!replayed.calibration) return;
  tell_fit(answer, *replayed.calibration, *request.calibrate);
  add(replay::parameters_sheet(*replayed.calibration));
  add(replay::residuals_sheet(*replayed.calibration));
}

}  // namespace

Result<report::Answer> run(const MpiReplayRequest& request, Context& context) {
  if (const Status checked = check_mpi_replay(request); !checked) return checked.error();
  Result<MpiTeam> team = MpiTeam::find();
  if (!team) return team.error();
  const auto processes = static_cast<std::size_t>((**team).processes());
  Result<workload::Workload> workload = load_mpi_replay(request, context, processes);
  if (!workload) return workload.error();
  if (workload->rank_count() != processes) {
    return misuse(
        fmt::format("the workload has {}, and {} process{} run{} it", report::counted(workload->rank_count(), "rank"),
                    format_count(processes), processes == 1 ? "" : "es", processes == 1 ? "s" : ""),
        fmt::format("mpirun -n {} orrery replay ... --on mpi", workload->rank_count()));
  }
  if (const std::uint64_t dropped = replay::drop_call_times(*workload); dropped > 0)
    context.diagnostics().add_many(kCallTimesLeftOut, dropped, request.source.files.front());
  const Result<replay::ReplayPlan> plan = replay::ReplayPlan::of(*workload);
  if (!plan) return plan.error();
  const auto replayed = run_on_team(request, context, **team, *plan);
  if (!replayed) return replayed.error();
  report::Answer answer = context.answer();
  tell_mpi_replay(answer, request, *replayed, context.verbose());
  return answer;
}

}  // namespace orrery::ask
