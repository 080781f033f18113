// orrery simulate: run this workload on that machine.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/astra_sidecar.h"
#include "base/output_file.h"
#include "cli/command_line.h"
#include "cli/simulate_inputs.h"
#include "cli/simulate_path_report.h"
#include "cli/simulate_report.h"
#include "cli/verbs.h"
#include "job/schedule_export.h"
#include "machine/astra_machine.h"
#include "simulate/astra/simulation.h"
#include "simulate/causes.h"
#include "simulate/collective/options.h"
#include "simulate/models/factory.h"
#include "simulate/native.h"

namespace orrery::cli {
namespace {

using simulate::astra::Backend;

constexpr DiagnosticKind kNoComputeDuration{"S103", Severity::warning, "compute node without a recorded duration",
                                            "it takes no time; give --roofline TYPE to compute it from operations and bytes"};

constexpr DiagnosticKind kNoAnswer{"S104", Severity::warning, "operation that ASTRA-sim did not answer for",
                                   "it takes what it would take alone"};

constexpr DiagnosticKind kCrashedAfterAnswer{"S108", Severity::warning, "run of ASTRA-sim that ended badly after a complete answer",
                                             "the answer is used"};

constexpr DiagnosticKind kRaisedDelay{"S109", Severity::note, "ASTRA-sim was given an endpoint delay of 1 ns",
                                      "the machine's messages cost nothing, and with 0 it aborts"};

constexpr DiagnosticKind kUsualLogGops{"S105", Severity::warning, "the machine has no LogGOPS parameters",
                                       "LogGOPSim's defaults are used, those of a cluster of 2010; add communication: {loggops: ...}"};

constexpr DiagnosticKind kNoPriorities{"S106", Severity::note, "collective with a priority, which has no effect here",
                                       "collectives of a group keep their order, and those of different groups share the links"};

constexpr DiagnosticKind kNoExcludedDims{"S107", Severity::warning, "collective that leaves out dimensions of the network",
                                         "it is taken to span its whole group; name the ranks that take part with --comm-group"};

// Attributes that ASTRA-sim's own models give a meaning to, and ours do not.
void warn_of_unused_attributes(Invocation& invocation, const workload::Workload& workload) {
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    if (program.priorities.values().empty() && program.excluded_dims.values().empty()) continue;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] != workload::ActivityKind::collective) continue;
      const auto describe = [&] { return workload.describe(rank, i); };
      if (program.priorities[i] != 0) invocation.diagnostics().add(kNoPriorities, describe);
      if (program.excluded_dims[i] != 0) invocation.diagnostics().add(kNoExcludedDims, describe);
    }
  }
}

void warn_of_missing_durations(Invocation& invocation, const workload::Workload& workload) {
  const auto lacks_duration = [](const workload::Program& program, std::size_t i) {
    return program.kinds[i] == workload::ActivityKind::compute && program.duration_ps(i) == 0 &&
           program.has(i, workload::activity::kHasOperations);
  };
  std::vector<std::uint64_t> of_program;  // ranks share programs: each is looked through once
  for (const workload::Program& program : workload.programs) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < program.size(); ++i) found += lacks_duration(program, i) ? 1 : 0;
    of_program.push_back(found);
  }
  std::uint64_t count = 0;
  std::string example;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint64_t found = of_program[workload.program_of_rank[rank]];
    for (std::size_t i = 0; found > 0 && example.empty(); ++i) {
      if (lacks_duration(workload.program(rank), i)) example = workload.describe(rank, i);
    }
    count += found;
  }
  if (count > 0) invocation.diagnostics().add_many(kNoComputeDuration, count, example);
}

// The next question: where the time of the rank that ends last goes.
std::string next_step(const Invocation& invocation, const simulate::Schedule& schedule) {
  const auto sooner = [](const simulate::RankUse& a, const simulate::RankUse& b) { return a.finish_ps < b.finish_ps; };
  const auto last = std::max_element(schedule.ranks.begin(), schedule.ranks.end(), sooner) - schedule.ranks.begin();
  std::string folder = invocation.text("output");
  if (!folder.empty() && !job::writes_folder(folder)) {
    return fmt::format(
        "\nNext: open {} at https://ui.perfetto.dev, or write a file per rank (-o FOLDER) and ask where one's time goes: orrery path\n",
        is_standard_output(folder) ? "it" : folder);
  }
  const bool written = !folder.empty();
  if (written && folder.back() == '/') folder.pop_back();
  return fmt::format("\nNext: where does the time of rank {} go?  {}orrery path {}\n", last,
                     written ? "" : "add -o run, then: ", shell_quote(fmt::format("{}/rank_{}.json.gz", written ? folder : "run", last)));
}

ExitCode finish(Invocation& invocation, const SimulationReport& report) {
  if (invocation.has("output")) {
    const Status exported = job::export_schedule(report.workload, report.schedule, invocation.text("output"));
    if (!exported) return invocation.fail(exported.error());
  }
  report_simulation(invocation, report);
  if (invocation.has("path")) {
    const auto path = simulate::critical_path(report.workload, report.schedule);
    if (!path) return invocation.fail(path.error());
    report_simulated_path(invocation, report, *path);
  }
  if (!invocation.json() && !invocation.has("csv")) invocation.text() += next_step(invocation, report.schedule);
  return ExitCode::ok;
}

ExitCode simulate_compatibly(Invocation& invocation) {
  const std::string compat = invocation.text("compat");
  const auto system = load_astra_system(invocation);
  if (!system) return invocation.fail(system.error());
  const auto loaded = load_workload(invocation, system->npus(), true);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  simulate::astra::Options options;
  options.backend = compat == "astra-unaware" ? Backend::unaware : compat == "astra-aware" ? Backend::aware : Backend::aware_multi_dim;
  options.use_symmetry = !invocation.has("no-symmetry");
  Progress progress = invocation.progress("simulating", 0);
  progress.count("events");
  options.on_progress = [&](std::uint64_t events) { progress.add(events - progress.done_bytes()); };
  const auto outcome = simulate::astra::simulate(*workload, *system, options);
  progress.finish();
  if (!outcome) return invocation.fail(outcome.error());
  return finish(invocation, {*workload, outcome->schedule, outcome->link_names, compat, outcome->events});
}

Result<simulate::EngineOptions> engine_options(const Invocation& invocation, const machine::Machine& machine) {
  if (!invocation.has("roofline")) return simulate::engine_options(machine);
  const auto& names = machine::kDataTypeNames;
  const auto* const type = std::find(names.begin(), names.end(), std::string_view(invocation.text("roofline")));
  return simulate::roofline_options(machine, static_cast<machine::DataType>(type - names.begin()));
}

Result<machine::Machine> load_any_machine(Invocation& invocation) {
  if (!has_astra_system(invocation)) return load_machine(invocation);
  const auto system = load_astra_system(invocation);
  if (!system) return system.error();
  return machine::to_machine(*system);
}

// The model named on the command line, else the machine's.
std::string model_name(const Invocation& invocation, const machine::Machine& machine) {
  if (invocation.has("network-model")) return invocation.text("network-model");
  return std::string(machine::kNetworkModelNames[static_cast<std::size_t>(machine.communication.network_model)]);
}

struct SidecarOutcome {
  simulate::NativeOutcome run;
  bool answered = true;  ///< false: the program was asked, and answered nothing
};

// Asks the user's ASTRA-sim; what it does not answer takes what it would take alone.
Result<SidecarOutcome> simulate_with_sidecar(Invocation& invocation, const workload::Workload& workload, const machine::Machine& machine,
                                             const simulate::EngineOptions& options) {
  analyze::SidecarOptions sidecar_options;
  const auto& program = machine.communication.astra_sim;
  sidecar_options.binary = invocation.has("sidecar") ? invocation.text("sidecar") : program ? program->binary : "";
  if (sidecar_options.binary.empty()) {
    return Error{"astra-sidecar does not know your ASTRA-sim",
                 {},
                 Error::kNoOffset,
                 "--sidecar FILE, or communication: {astra_sim: {binary: FILE}} in the machine"};
  }
  if (program) sidecar_options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(program->timeout_s * 1000));
  if (invocation.has("sidecar-timeout"))
    sidecar_options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(invocation.number("sidecar-timeout") * 1000));
  sidecar_options.cache_folder = invocation.text("sidecar-cache");
  if (has_astra_system(invocation)) {
    auto files = read_astra_files(invocation);
    if (!files) return files.error();
    sidecar_options.files = std::move(*files);
  }
  auto sidecar = analyze::AstraSidecar::open(machine, sidecar_options);
  if (!sidecar) return sidecar.error();
  if (sidecar->files().raised_endpoint_delay) invocation.diagnostics().add(kRaisedDelay, [&] { return machine.name; });
  const auto network = machine::Network::build(machine);
  if (!network) return network.error();
  auto fallback = simulate::make_network_model("isolated", *network, simulate::comm_options(machine.communication));
  if (!fallback) return fallback.error();
  std::uint64_t asked = 0;
  const auto oracle = [&](const simulate::CommOp& op) -> Result<simulate::Price> {
    const Result<simulate::Price> answer = sidecar->ask(op);
    if (op.ranks.size() > 1 && op.bytes > 0) ++asked;
    if (answer) return answer;
    invocation.diagnostics().add(kNoAnswer, [&] { return answer.error().to_string(); });
    return (*fallback)->estimate(op);
  };
  auto outcome = simulate::simulate_with_oracle(workload, oracle, options);
  if (!outcome) return outcome.error();
  invocation.log(fmt::format("astra-sidecar: run {} times, {} answers were known", sidecar->runs(), sidecar->known()));
  if (sidecar->crashed_after_answer() > 0)
    invocation.diagnostics().add_many(kCrashedAfterAnswer, sidecar->crashed_after_answer(), sidecar_options.binary);
  return SidecarOutcome{std::move(*outcome), asked == 0 || sidecar->answered() > 0};
}

// A run that ASTRA-sim said nothing about is not what was asked for: it says so first, and is no success.
ExitCode finish_sidecar(Invocation& invocation, const workload::Workload& workload, const machine::Machine& machine,
                        const simulate::EngineOptions& options) {
  const auto outcome = simulate_with_sidecar(invocation, workload, machine, options);
  if (!outcome) return invocation.fail(outcome.error());
  const ExitCode code = finish(invocation, {workload, outcome->run.schedule, outcome->run.link_names, "astra-sidecar", 0});
  if (invocation.json()) invocation.data().field("answered_by_sidecar", outcome->answered);
  if (code != ExitCode::ok || outcome->answered) return code;
  if (!invocation.json() && !invocation.has("csv"))
    invocation.text().insert(
        0, "ASTRA-sim answered nothing: every operation takes what it would take alone, and the times below are not its own.\n");
  return ExitCode::check_failed;
}

ExitCode simulate_natively(Invocation& invocation) {
  const auto machine = load_any_machine(invocation);
  if (!machine) return invocation.fail(machine.error());
  const auto loaded = load_workload(invocation, has_astra_system(invocation) ? static_cast<std::size_t>(machine->devices.count) : 0, false);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  auto options = engine_options(invocation, *machine);
  if (!options) return invocation.fail(options.error());
  if (options->compute_time == simulate::ComputeTime::recorded) warn_of_missing_durations(invocation, *workload);
  warn_of_unused_attributes(invocation, *workload);
  options->use_symmetry = !invocation.has("no-symmetry");
  const bool shows_every_rank = invocation.has("output") || invocation.has("per-node");
  options->detail = shows_every_rank ? simulate::Detail::every_rank : simulate::Detail::executed_ranks;
  const std::string model = model_name(invocation, *machine);
  using simulate::loggops::Placement;
  const Placement placement = loaded->is_placed ? Placement::as_given : Placement::by_kind;
  if (model == "loggops" && !machine->communication.loggops) invocation.diagnostics().add(kUsualLogGops, [&] { return machine->name; });
  Progress progress = invocation.progress("simulating", workload->first_activities().back());
  progress.count("activities");
  options->on_progress = [&](std::uint64_t done, std::uint64_t) { progress.add(done - std::min(done, progress.done_bytes())); };
  if (model == "astra-sidecar") return finish_sidecar(invocation, *workload, *machine, *options);
  const auto outcome = simulate::simulate_on_machine(*workload, *machine, model, *options, placement);
  if (!outcome) return invocation.fail(outcome.error());
  return finish(invocation, {*workload, outcome->schedule, outcome->link_names, model, 0});
}

ExitCode run_simulate(Invocation& invocation) {
  if (const auto error = check_simulation_flags(invocation)) return invocation.fail_usage(*error);
  if (invocation.has("csv") && (invocation.json() || invocation.has("path")))
    return invocation.fail_usage({"--csv goes with neither --json nor --path", "choose one of them"});
  if (!invocation.has("compat")) return simulate_natively(invocation);
  if (!has_astra_system(invocation)) {
    return invocation.fail_usage({"--compat needs the machine as ASTRA-sim describes it", "--network FILE.yml --system FILE.json"});
  }
  return simulate_compatibly(invocation);
}

}  // namespace

const Verb& simulate_verb() {
  static const Verb verb = {
      .name = "simulate",
      .summary = "run this workload on that machine",
      .description =
          "Executes a workload (Chakra execution traces, one per rank, a GOAL schedule, or a recorded job) on a described machine and "
          "tells when every "
          "rank finishes, "
          "how much of its communication is exposed, how every link is used and what bandwidth every collective reached.\n\n"
          "Models: fluid (transfers that meet on a link share it max-min fairly), isolated (no sharing), snapshot (sharing priced once, "
          "after an "
          "isolated run), loggops (LogGOPS parameters instead of links), astra-sidecar (your own ASTRA-sim is asked). With --compat the "
          "times are those "
          "of ASTRA-sim's analytical backends to the nanosecond.",
      .operands = {.name = "[JOB...]",
                   .help = "instead of --workload: files, folders or globs of a recorded job, or PREFIX of PREFIX.0.et, ...",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_simulation_flags({
          Flag{.name = "compat",
               .value_name = "TOOL",
               .help = "reproduce a simulator exactly",
               .choices = "astra-unaware astra-aware astra-aware-md"},
          Flag{.name = "network-model",
               .value_name = "NAME",
               .help = "how transfers that share links are timed",
               .choices = "fluid isolated snapshot loggops astra-sidecar"},
          Flag{.name = "roofline",
               .value_name = "TYPE",
               .help = "compute times from operations, bytes and the machine's rates for TYPE instead of recorded ones",
               .choices = "fp64 fp32 tf32 bf16 fp16 fp8 int8"},
          Flag{.name = "sidecar", .value_name = "FILE", .kind = ValueKind::file, .help = "with astra-sidecar: your ASTRA-sim"},
          Flag{.name = "sidecar-timeout",
               .value_name = "SECONDS",
               .kind = ValueKind::number,
               .help = "with astra-sidecar: give a run up after this long"},
          Flag{.name = "sidecar-cache",
               .value_name = "DIR",
               .kind = ValueKind::directory,
               .help = "with astra-sidecar: keep its answers here"},
          Flag{.name = "csv", .help = "print ranks, links and collectives as CSV, with the names and units of --json"},
          Flag{.name = "per-node", .help = "also list the start and end of every node"},
          Flag{.name = "path", .help = "also the critical path of the run, across ranks"},
          Flag{.name = "no-symmetry", .help = "simulate every rank, also where one stands for all"},
      }),
      .examples = {{"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml",
                    "when every rank finishes, and what bounds it"},
                   {"orrery simulate --workload et/ar --network ring.yml --system system.json --compat astra-unaware",
                    "what ASTRA-sim says, in a fraction of the time"}},
      .output_help =
          "write what would happen as a trace: FILE.json or FILE.json.gz with all ranks for Perfetto, any other name: a folder with a file "
          "per "
          "rank for orrery path",
      .run = run_simulate,
  };
  return verb;
}

}  // namespace orrery::cli
