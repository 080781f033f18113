#include "job/priced_run.h"

#include <chrono>
#include <optional>
#include <utility>

#include "job/astra_sidecar.h"
#include "job/sidecar_run.h"
#include "simulate/pricing/pricing_diagnostics.h"

namespace orrery::job {

Result<simulate::PricedRun> run_priced_job(workload::WorkloadSource& source, const machine::Machine& machine,
                                           const simulate::PricingOptions& options, const simulate::EngineOptions& engine,
                                           Diagnostics& diagnostics, simulate::ScheduleSink* sink) {
  if (Status good = options.check(); !good) return good.error();
  if (!options.astra_sim) return simulate::run_priced(source, machine, options, engine, diagnostics, sink);
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(options.astra_sim->timeout_s * 1000));
  Result<AstraSidecar> program = AstraSidecar::open(machine, {.binary = options.astra_sim->binary, .timeout = timeout});
  if (!program) return program.error();
  if (program->files().raised_endpoint_delay) diagnostics.add(simulate::kRaisedDelay, [&] { return machine.name; });
  simulate::PriceOracle oracle;
  oracle.version = program->version();
  oracle.ask = [&](std::span<const simulate::CommOp> ops) -> Result<std::vector<TimePs>> {
    if (ops.size() > 1) return program->ask_together(ops);
    const Result<simulate::Price> price = program->ask(ops[0]);
    if (!price) return price.error();
    return std::vector<TimePs>{price->total_ps};
  };
  simulate::EngineOptions asked = engine;
  asked.eager_overhead_ps = 0;  // the program's answer is the whole message: what keeps its sender is in it
  Result<simulate::PricedRun> run = simulate::run_priced(source, machine, options, asked, diagnostics, sink, oracle);
  if (program->crashed_after_answer() > 0)
    diagnostics.add_many(kCrashedAfterAnswer, program->crashed_after_answer(), options.astra_sim->binary);
  return run;
}

}  // namespace orrery::job
