#include "simulate/pricing/run_priced.h"
#include "simulate/native.h"
namespace orrery::simulate {
Result<PricedRun> run_priced(const workload::Workload& workload, const machine::Machine& machine, const PricingOptions& options,
                             const EngineOptions& engine, Diagnostics&, ScheduleSink*, const PriceOracle&) {
  auto run = simulate_on_machine(workload, machine,
                                 options.mode == PricingMode::in_loop    ? "fluid"
                                 : options.mode == PricingMode::isolated ? "isolated"
                                                                         : "snapshot",
                                 engine);
  if (!run) return run.error();
  return PricedRun{std::move(run->schedule), std::move(run->link_names), {}, {}};
}
}  // namespace orrery::simulate
