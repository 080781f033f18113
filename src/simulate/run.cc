#include "simulate/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "machine/device/roofline.h"
#include "machine/topology/network.h"
#include "report/counted.h"
#include "simulate/collective/algorithm.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/program_plan.h"
#include "simulate/models/link_models.h"
#include "simulate/models/measured_collectives.h"
#include "simulate/pricing/analytical.h"
#include "simulate/pricing/embedded_astra.h"
#include "simulate/pricing/price_book.h"
#include "simulate/pricing/snapshot_pricer.h"
#include "simulate/pricing/snapshot_run.h"
#include "simulate/schedule_uses.h"
#include "simulate/summed_schedule.h"
#include "workload/resolve_roles.h"

// The door chooses by the Pricing and does nothing else. A model of links runs in the engine's loop; snapshots run the
// workload twice or more, with prices of the moments of the run before; oracles and closed forms price each operation
// by itself. loggops takes a whole workload and an engine of its own.

namespace orrery::simulate {
namespace {

// Told with every result: a model that answers differently needs another version.
constexpr std::string_view kFluidVersion = "orrery fluid 1";
constexpr std::string_view kAnalyticalVersion = "orrery closed forms 1";

TimePs from_us(double microseconds) { return std::llround(microseconds * static_cast<double>(kPsPerUs)); }

// Per byte in femtoseconds, so that 900 GB/s is not rounded away.
std::int64_t femtoseconds(double nanoseconds) { return std::llround(nanoseconds * 1e6); }

loggops::Parameters loggops_parameters(const machine::LogGops& given) {
  loggops::Parameters parameters;
  // Figures of the model are nanoseconds; the engine counts picoseconds.
  parameters.latency_ps = from_us(given.latency_ns / 1000);
  parameters.overhead_ps = from_us(given.overhead_ns / 1000);
  parameters.gap_ps = from_us(given.gap_ns / 1000);
  parameters.gap_per_byte_fs = femtoseconds(given.gap_ns_per_byte);
  parameters.overhead_per_byte_fs = femtoseconds(given.overhead_ns_per_byte);
  parameters.largest_eager_message_bytes = given.rendezvous_threshold_bytes;
  return parameters;
}

/// The groups of `resolved` have names that `given` does not know: they are called by the roles they stand for.
void name_by_roles(const workload::Workload& given, const workload::Workload& resolved, Column<CollectiveUse>& uses) {
  std::unordered_map<StringId, StringId> role_of_group;
  for (std::size_t rank = 0; rank < given.rank_count(); ++rank) {
    const workload::Program &before = given.program(rank), &after = resolved.program(rank);
    // The two have the same activities in the same order, so their names can be put side by side.
    for (std::size_t i = 0; i < after.size(); ++i) role_of_group.emplace(after.group_names[i], before.group_names[i]);
  }
  for (CollectiveUse& use : uses) {
    if (const auto role = role_of_group.find(use.group_name); role != role_of_group.end())
      use.group_name = role->second;
  }
}

Result<Outcome> run_loggops(const workload::Workload& given, const machine::Machine& machine,
                            const EngineOptions& options, loggops::Placement placement) {
  std::optional<workload::Workload> resolved;
  // LogGOPSim's rules know ranks, not roles.
  if (!given.roles.empty()) resolved = workload::resolve_roles(given);
  const workload::Workload& workload = resolved ? *resolved : given;
  loggops::Options loggops_options;
  loggops_options.parameters = loggops_parameters(machine.communication.loggops.value_or(machine::LogGops{}));
  loggops_options.placement = placement;
  loggops_options.collectives = loggops::options_of(machine.communication.collective_algorithm);
  loggops_options.duration_of = [&](const workload::Program& program, std::size_t activity) {
    return activity_time(program, activity, options);
  };
  Result<loggops::Simulation> simulation = loggops::simulate(workload, loggops_options);
  if (!simulation) return simulation.error();
  simulation->schedule.ranks = rank_uses(workload, simulation->schedule);
  simulation->schedule.collectives = collective_uses(workload, simulation->schedule);
  if (resolved) name_by_roles(given, *resolved, simulation->schedule.collectives);
  return Outcome{std::move(simulation->schedule), {}};
}

Status check_fits(std::size_t ranks, const machine::Machine& machine) {
  if (ranks <= static_cast<std::size_t>(machine.devices.count)) return {};
  return Error{fmt::format("the workload has {}, the machine '{}' {}", report::counted(ranks, "rank"), machine.name,
                           report::counted(machine.devices.count, "device"))};
}

/// What a run by any pricing on the links of a machine needs.
class Door {
 public:
  Door(workload::WorkloadSource& source, const machine::Machine& machine, const Pricing& pricing,
       const EngineOptions& engine, Diagnostics& diagnostics, ScheduleSink* sink)
      : source_(source),
        machine_(machine),
        pricing_(pricing),
        engine_(engine),
        diagnostics_(diagnostics),
        sink_(sink) {}

  Result<Outcome> run() {
    Result<machine::Network> network = machine::Network::build(machine_);
    if (!network) return network.error();
    lowering_ = std::make_shared<Lowering>(std::move(*network), comm_options(machine_.communication));
    Result<Outcome> outcome = run_model();
    if (!outcome) return outcome;
    PricingReport& report = outcome->report;
    report.model = pricing_.model;
    report.mode = pricing_.mode;
    // Also where activities went to a sink, and no ends are kept.
    for (const RankUse& rank : outcome->schedule.ranks)
      report.makespan_ps = std::max(report.makespan_ps, rank.finish_ps);
    if (outcome->manifest) outcome->manifest->version = report.version;
    return outcome;
  }

 private:
  Result<Outcome> run_model() {
    switch (pricing_.model) {
      case PricingModel::fluid: return run_fluid();
      case PricingModel::analytical: return run_analytical();
      // With a program to run it is an oracle outside, without one the model that is built in.
      case PricingModel::astra: return pricing_.astra_sim ? run_oracle() : run_embedded_astra();
      case PricingModel::oracle: return run_oracle();
      case PricingModel::loggops: break;
    }
    return Error{.message = "loggops knows no links"};  // it has an engine of its own
  }

  Result<Schedule> execute_on(NetworkModel& model, const EngineOptions& how, ScheduleSink* sink) {
    return sink == nullptr ? execute(source_, model, how) : execute(source_, model, how, *sink);
  }

  Result<Outcome> run_once(NetworkModel& model, std::vector<std::string> links) {
    Result<Schedule> schedule = execute_on(model, engine_, sink_);
    if (!schedule) return schedule.error();
    return Outcome{std::move(*schedule), std::move(links)};
  }

  Result<Outcome> run_fluid() {
    Result<Outcome> outcome = pricing_.mode == PricingMode::snapshot ? run_fluid_snapshot() : run_links();
    if (outcome) outcome->report.version = kFluidVersion;
    return outcome;
  }

  Result<Outcome> run_links() {
    Result<std::unique_ptr<PhasedModel>> links = link_model(lowering_, pricing_);
    if (!links) return links.error();
    if (pricing_.collectives == CollectiveSource::links) return run_once(**links, link_names());
    if (!pricing_.open_collectives) return Error{.message = "nobody is there who knows measured collectives"};
    Result<MeasuredDevice> device = pricing_.open_collectives(machine_);
    if (!device) return device.error();
    MeasuredModel model(MeasuredPrices(std::move(*device), machine_), std::move(*links));
    return run_once(model, link_names());
  }

  Result<Outcome> run_fluid_snapshot() {
    LinkSnapshotPricer pricer(lowering_, pricing_.coalesce_below_bytes, pricing_.keep_snapshots);
    return run_snapshot(pricer);
  }

  Result<Outcome> run_analytical() {
    Result<Outcome> outcome =
        run_each([&](const CommOp& op) { return analytical_price(op, machine_, lowering_->options()); }, kNoPrice);
    if (outcome) outcome->report.version = kAnalyticalVersion;
    return outcome;
  }

  Result<Outcome> run_embedded_astra() {
    const Result<EmbeddedAstra> model = EmbeddedAstra::open(machine_, pricing_.astra_backend);
    if (!model) return model.error();
    if (model->raised_endpoint_delay()) diagnostics_.add(kRaisedDelay, [&] { return machine_.name; });
    if (pricing_.mode != PricingMode::in_loop)
      return run_book(
          {.ask = [&](std::span<const CommOp> ops) { return model->ask(ops); }, .version = model->version()});
    Result<AstraRun> run = run_astra_in_loop(source_, *model, engine_, sink_);
    if (!run) return run.error();
    Outcome outcome{std::move(run->schedule), std::move(run->link_names)};
    outcome.report.version = model->version();
    return outcome;
  }

  Result<Outcome> run_oracle() {
    if (!pricing_.open_oracle) return Error{.message = "nobody is there who runs the program of astra_sim"};
    const Result<PriceOracle> oracle = pricing_.open_oracle(pricing_, machine_, diagnostics_);
    if (!oracle) return oracle.error();
    engine_.eager_overhead_ps = 0;  // an oracle's answer is the whole message: what keeps its sender is in it
    Result<Outcome> outcome = pricing_.model == PricingModel::astra
                                  ? run_book(*oracle)
                                  : run_each(
                                        [&](const CommOp& op) -> Result<Price> {
                                          const Result<std::vector<TimePs>> answer = oracle->ask(std::span(&op, 1));
                                          if (!answer) return answer.error();
                                          // An oracle tells one number: all of it counts as flowing.
                                          return Price{(*answer)[0], 0, (*answer)[0]};
                                        },
                                        kNoAnswer);
    if (outcome) outcome->report.version = oracle->version;
    // Also after a failure: whoever was started has to be told to end.
    if (oracle->finish) oracle->finish(diagnostics_);
    return outcome;
  }

  /// Each operation takes what `ask` says when it starts. What it has no price for takes what the links give it alone,
  /// and is counted.
  Result<Outcome> run_each(const OracleModel::Oracle& ask, const DiagnosticKind& no_price) {
    IsolatedModel alone(lowering_);
    std::uint64_t fallbacks = 0;
    std::string first;
    OracleModel model([&](const CommOp& op) -> Result<Price> {
      Result<Price> price = ask(op);
      if (price) return price;
      if (fallbacks++ == 0) first = price.error().to_string();
      return alone.estimate(op);
    });
    Result<Outcome> outcome = run_once(model, {});
    if (fallbacks > 0) diagnostics_.add_many(no_price, fallbacks, first);
    if (outcome) outcome->report.fallbacks = fallbacks;
    return outcome;
  }

  /// Prices that are asked for once per question, and kept.
  Result<Outcome> run_book(const PriceOracle& oracle) {
    PriceCache cache(pricing_.cache_file, diagnostics_);
    PriceBook book(oracle, machine_, *lowering_, cache);
    BookSnapshotPricer pricer(book, *lowering_, pricing_.coalesce_below_bytes);
    Result<Outcome> outcome =
        pricing_.mode == PricingMode::snapshot ? run_snapshot(pricer) : run_once(pricer.model(), {});
    // Answers are worth keeping also where the run failed.
    cache.save(diagnostics_);
    if (!outcome) return outcome;
    PricingReport& report = outcome->report;
    report.version = oracle.version;
    report.asked = book.asked();
    report.cache_hits = book.hits();
    // Snapshots count theirs themselves.
    if (pricing_.mode == PricingMode::isolated) report.fallbacks = book.fallbacks();
    if (report.fallbacks > 0) diagnostics_.add_many(kNoPrice, report.fallbacks, book.first_refusal());
    return outcome;
  }

  Result<Outcome> run_snapshot(SnapshotPricer& pricer) {
    SnapshotRun run;
    if (pricing_.keep_snapshots) {
      Result<std::vector<std::string>> names = group_names();
      if (!names) return names.error();
      run.group_names = std::move(*names);
    }
    // The first run is for its overlaps only: nobody looks at its schedule.
    SummedSchedule passed_over;
    EngineOptions first = engine_;
    first.keep_link_series = false;  // links are those of the runs with their prices
    run.execute = [&](NetworkModel& model, bool last) {
      return last ? execute_on(model, engine_, sink_) : execute_on(model, first, &passed_over);
    };
    run.keep = pricing_.keep_snapshots;
    Result<SnapshotOutcome> snapshots = run_snapshots(run, pricer, *lowering_, pricing_, diagnostics_);
    if (!snapshots) return snapshots.error();
    // Books know no links, and then there is nothing to name.
    std::vector<std::string> links = snapshots->schedule.link_count() > 0 ? link_names() : std::vector<std::string>();
    return Outcome{std::move(snapshots->schedule), std::move(links), std::move(snapshots->report),
                   std::move(snapshots->manifest)};
  }

  [[nodiscard]] std::vector<std::string> link_names() const {
    const machine::Network& network = lowering_->network();
    std::vector<std::string> names;
    names.reserve(network.links().size());
    for (machine::LinkId link = 0; link < network.links().size(); ++link) names.push_back(network.link_name(link));
    return names;
  }

  /// By communicator, in the order in which the engine counts them.
  [[nodiscard]] Result<std::vector<std::string>> group_names() const {
    std::vector<workload::ProgramStructure> structures;
    for (std::uint32_t program = 0; program < source_.program_count(); ++program)
      structures.push_back(source_.structure(program));
    const Result<workload::Membership> membership = workload::Membership::of(source_.job(), std::move(structures));
    if (!membership) return membership.error();
    std::vector<std::string> names;
    for (const workload::Communicator& communicator : membership->communicators()) {
      const std::string_view name = source_.job().strings.text(communicator.name);
      names.emplace_back(name.empty() ? "all ranks" : name);
    }
    return names;
  }

  workload::WorkloadSource& source_;
  const machine::Machine& machine_;
  const Pricing& pricing_;
  EngineOptions engine_;
  Diagnostics& diagnostics_;
  ScheduleSink* sink_;
  std::shared_ptr<Lowering> lowering_;
};

}  // namespace

EngineOptions engine_options(const machine::Machine& machine) {
  EngineOptions options;
  options.compute_slots = static_cast<std::uint32_t>(machine.devices.compute_stream_count);
  options.launch_latency_ps = from_us(machine.devices.launch_latency_us.value_or(0));
  // The first level of memory is the one that loads and stores go to.
  if (!machine.devices.memory.empty())
    options.memory_bytes_per_second = machine.devices.memory[0].bandwidth_gb_per_s.value_or(0) * 1e9;
  options.eager_limit_bytes =
      // Without a threshold every message is sent at once.
      machine.communication.rendezvous_threshold_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  options.eager_overhead_ps = from_us(machine.communication.message_overhead_us);
  return options;
}

Result<EngineOptions> roofline_options(const machine::Machine& machine, machine::DataType type) {
  EngineOptions options = engine_options(machine);
  const Result<machine::DeviceRates> rates = machine::device_rates(machine, type);
  if (!rates) return rates.error();
  options.compute_time = ComputeTime::roofline;
  options.operations_per_second = rates->operations_per_second;
  return options;
}

Result<Outcome> run(workload::WorkloadSource& source, const machine::Machine& machine, const Pricing& pricing,
                    const EngineOptions& options, Diagnostics& diagnostics, ScheduleSink* sink) {
  if (pricing.model == PricingModel::loggops) {
    // LogGOPSim's order of events needs the whole workload.
    const Result<workload::Workload> whole = workload::collect(source);
    if (!whole) return whole.error();
    return run(*whole, machine, pricing, options, diagnostics, sink);
  }
  if (Status good = pricing.check(); !good) return good.error();
  if (Status fits = check_fits(source.job().rank_count(), machine); !fits) return fits.error();
  return Door(source, machine, pricing, options, diagnostics, sink).run();
}

Result<Outcome> run(const workload::Workload& workload, const machine::Machine& machine, const Pricing& pricing,
                    const EngineOptions& options, Diagnostics& diagnostics, ScheduleSink* sink) {
  if (Status good = pricing.check(); !good) return good.error();
  if (Status fits = check_fits(workload.rank_count(), machine); !fits) return fits.error();
  if (pricing.model == PricingModel::loggops) {
    if (sink != nullptr) return Error{.message = "the model loggops keeps its schedule whole: it tells no sink"};
    Result<Outcome> outcome = run_loggops(workload, machine, options, pricing.placement);
    if (outcome) {
      outcome->report.model = pricing.model;
      outcome->report.makespan_ps = outcome->schedule.makespan_ps();
    }
    return outcome;
  }
  Result<workload::WholeWorkload> whole = workload::WholeWorkload::of(workload);
  if (!whole) return whole.error();
  return Door(*whole, machine, pricing, options, diagnostics, sink).run();
}

Result<std::unique_ptr<PhasedModel>> link_model(std::shared_ptr<Lowering> lowering, const Pricing& pricing) {
  if (pricing.model != PricingModel::fluid) {
    return Error{.message = fmt::format("the model '{}' is no model of links",
                                        kPricingModelNames[static_cast<std::size_t>(pricing.model)]),
                 .hint = "model: fluid"};
  }
  if (pricing.mode == PricingMode::snapshot)
    return Error{.message = "snapshots are priced after a run, not in its loop", .hint = "mode: in-loop, or isolated"};
  std::unique_ptr<PhasedModel> model;
  if (pricing.mode == PricingMode::isolated) model = std::make_unique<IsolatedModel>(std::move(lowering));
  else model = std::make_unique<FluidModel>(std::move(lowering));
  return model;
}

}  // namespace orrery::simulate
