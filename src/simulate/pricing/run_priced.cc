#include "simulate/pricing/run_priced.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "machine/network.h"
#include "report/counted.h"
#include "simulate/collective/options.h"
#include "simulate/engine/engine.h"
#include "simulate/models/factory.h"
#include "simulate/models/phased_model.h"
#include "simulate/pricing/analytical.h"
#include "simulate/pricing/astra_in_loop.h"
#include "simulate/pricing/embedded_astra.h"
#include "simulate/pricing/price_book.h"
#include "simulate/pricing/price_cache.h"
#include "simulate/pricing/pricing_diagnostics.h"
#include "simulate/pricing/snapshot_pricer.h"
#include "simulate/pricing/snapshot_run.h"
#include "simulate/summed_schedule.h"

namespace orrery::simulate {
namespace {

constexpr std::string_view kFluidVersion = "orrery fluid 1";
constexpr std::string_view kAnalyticalVersion = "orrery closed forms 1";

/// What a run by any model needs.
class PricedRunner {
 public:
  PricedRunner(workload::WorkloadSource& source, const machine::Machine& machine, const PricingOptions& options,
               const EngineOptions& engine, Diagnostics& diagnostics, ScheduleSink* sink)
      : source_(source), machine_(machine), options_(options), engine_(engine), diagnostics_(diagnostics), sink_(sink) {}

  Result<PricedRun> run(const PriceOracle& oracle) {
    if (Status good = options_.check(); !good) return good.error();
    const std::size_t ranks = source_.job().rank_count();
    if (ranks > static_cast<std::size_t>(machine_.devices.count))
      return Error{.message = fmt::format("the workload has {}, the machine '{}' {}", report::counted(ranks, "rank"), machine_.name,
                                          report::counted(machine_.devices.count, "device"))};
    Result<machine::Network> network = machine::Network::build(machine_);
    if (!network) return network.error();
    lowering_ = std::make_shared<Lowering>(*network, comm_options(machine_.communication));
    Result<PricedRun> priced = run_model(oracle);
    if (!priced) return priced;
    PricingReport& report = priced->report;
    report.model = options_.model;
    report.mode = options_.mode;
    for (const RankUse& rank : priced->schedule.ranks) report.makespan_ps = std::max(report.makespan_ps, rank.finish_ps);
    if (priced->manifest) priced->manifest->version = report.version;
    return priced;
  }

 private:
  Result<PricedRun> run_model(const PriceOracle& oracle) {
    switch (options_.model) {
      case PricingModel::fluid: return run_fluid();
      case PricingModel::analytical: return run_analytical();
      case PricingModel::astra: break;
    }
    if (options_.astra_sim) {
      if (!oracle.ask) return Error{.message = "nobody is there who runs the program of astra_sim"};
      return run_oracle(oracle);
    }
    const Result<EmbeddedAstra> model = EmbeddedAstra::open(machine_, options_.astra_backend);
    if (!model) return model.error();
    if (model->raised_endpoint_delay()) diagnostics_.add(kRaisedDelay, [&] { return machine_.name; });
    if (options_.mode != PricingMode::in_loop)
      return run_oracle({[&](std::span<const CommOp> ops) { return model->ask(ops); }, model->version()});
    Result<AstraRun> run = run_astra_in_loop(source_, *model, engine_, sink_);
    if (!run) return run.error();
    PricedRun priced{std::move(run->schedule), std::move(run->link_names), {}};
    priced.report.version = model->version();
    return priced;
  }

  Result<Schedule> execute_on(NetworkModel& model, ScheduleSink* sink) {
    return sink == nullptr ? execute(source_, model, engine_) : execute(source_, model, engine_, *sink);
  }

  Result<PricedRun> run_fluid() {
    if (options_.mode == PricingMode::snapshot) {
      LinkSnapshotPricer pricer(lowering_, options_.coalesce_below_bytes);
      Result<PricedRun> priced = run_snapshot(pricer);
      if (!priced) return priced;
      priced->report.version = kFluidVersion;
      return priced;
    }
    const Result<std::unique_ptr<NetworkModel>> model =
        make_network_model(options_.mode == PricingMode::isolated ? "isolated" : "fluid", lowering_->network(), lowering_->options());
    if (!model) return model.error();
    (*model)->keep_prices(false);
    Result<Schedule> schedule = execute_on(**model, sink_);
    if (!schedule) return schedule.error();
    PricedRun priced{std::move(*schedule), link_names(), {}};
    priced.report.version = kFluidVersion;
    return priced;
  }

  Result<PricedRun> run_analytical() {
    std::uint64_t fallbacks = 0;
    std::string first;
    OracleModel model([&](const CommOp& op) -> Result<Price> {
      Result<Price> price = analytical_price(op, machine_, lowering_->options());
      if (price) return price;
      if (fallbacks++ == 0) first = price.error().to_string();
      const auto plan = lowering_->plan(op);
      if (!plan) return plan.error();
      return isolated_price(**plan, bytes_moved(op));
    });
    model.keep_prices(false);
    Result<Schedule> schedule = execute_on(model, sink_);
    if (!schedule) return schedule.error();
    PricedRun priced{std::move(*schedule), {}, {}};
    priced.report.version = kAnalyticalVersion;
    priced.report.fallbacks = fallbacks;
    if (fallbacks > 0) diagnostics_.add_many(kNoPrice, fallbacks, first);
    return priced;
  }

  Result<PricedRun> run_oracle(const PriceOracle& oracle) {
    PriceCache cache(options_.cache_file, diagnostics_);
    PriceBook book(oracle, machine_, *lowering_, cache);
    BookSnapshotPricer pricer(book, *lowering_, options_.coalesce_below_bytes);
    Result<PricedRun> priced = options_.mode == PricingMode::snapshot ? run_snapshot(pricer) : run_isolated(pricer.model());
    // Answers are worth keeping also where the run failed.
    cache.save(diagnostics_);
    if (!priced) return priced;
    PricingReport& report = priced->report;
    report.version = oracle.version;
    report.asked = book.asked();
    report.cache_hits = book.hits();
    if (options_.mode == PricingMode::isolated) report.fallbacks = book.fallbacks();
    if (report.fallbacks > 0) diagnostics_.add_many(kNoPrice, report.fallbacks, book.first_refusal());
    return priced;
  }

  Result<PricedRun> run_isolated(NetworkModel& model) {
    model.keep_prices(false);
    Result<Schedule> schedule = execute_on(model, sink_);
    if (!schedule) return schedule.error();
    return PricedRun{std::move(*schedule), {}, {}};
  }

  Result<PricedRun> run_snapshot(SnapshotPricer& pricer) {
    Result<std::vector<std::string>> names = group_names();
    if (!names) return names.error();
    SummedSchedule passed_over;
    const SnapshotRun run{.execute = [&](NetworkModel& model,
                                         bool last) { return execute_on(model, last ? sink_ : static_cast<ScheduleSink*>(&passed_over)); },
                          .group_names = std::move(*names)};
    Result<SnapshotOutcome> outcome = run_snapshots(run, pricer, *lowering_, options_, diagnostics_);
    if (!outcome) return outcome.error();
    std::vector<std::string> links = outcome->schedule.link_count() > 0 ? link_names() : std::vector<std::string>();
    return PricedRun{std::move(outcome->schedule), std::move(links), std::move(outcome->report), std::move(outcome->manifest)};
  }

  [[nodiscard]] std::vector<std::string> link_names() const {
    const machine::Network& network = lowering_->network();
    std::vector<std::string> names;
    names.reserve(network.links().size());
    for (machine::LinkId link = 0; link < network.links().size(); ++link) names.push_back(network.link_name(link));
    return names;
  }

  /// By communicator, in the order in which the engine counts them.
  Result<std::vector<std::string>> group_names() {
    std::vector<workload::ProgramStructure> structures;
    for (std::uint32_t program = 0; program < source_.program_count(); ++program) structures.push_back(source_.structure(program));
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
  const PricingOptions& options_;
  const EngineOptions& engine_;
  Diagnostics& diagnostics_;
  ScheduleSink* sink_;
  std::shared_ptr<Lowering> lowering_;
};

}  // namespace

Result<PricedRun> run_priced(workload::WorkloadSource& source, const machine::Machine& machine, const PricingOptions& options,
                             const EngineOptions& engine, Diagnostics& diagnostics, ScheduleSink* sink, const PriceOracle& oracle) {
  return PricedRunner(source, machine, options, engine, diagnostics, sink).run(oracle);
}

Result<PricedRun> run_priced(const workload::Workload& workload, const machine::Machine& machine, const PricingOptions& options,
                             const EngineOptions& engine, Diagnostics& diagnostics, ScheduleSink* sink, const PriceOracle& oracle) {
  Result<workload::WholeWorkload> whole = workload::WholeWorkload::of(workload);
  if (!whole) return whole.error();
  return run_priced(*whole, machine, options, engine, diagnostics, sink, oracle);
}

}  // namespace orrery::simulate
