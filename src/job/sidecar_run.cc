#include "job/sidecar_run.h"

#include <utility>

#include "machine/network.h"
#include "simulate/collective/options.h"
#include "simulate/models/factory.h"
#include "simulate/pricing/pricing_diagnostics.h"

namespace orrery::job {
namespace {

constexpr DiagnosticKind kNoAnswer{"S104", Severity::warning, "operation that ASTRA-sim did not answer for",
                                   "it takes what it would take alone"};
}  // namespace

Result<SidecarOutcome> simulate_with_sidecar(const workload::Workload& workload, const machine::Machine& machine, SidecarOptions sidecar,
                                             const simulate::EngineOptions& options, Diagnostics& diagnostics) {
  const std::string binary = sidecar.binary;
  auto program = AstraSidecar::open(machine, std::move(sidecar));
  if (!program) return program.error();
  if (program->files().raised_endpoint_delay) diagnostics.add(simulate::kRaisedDelay, [&] { return machine.name; });
  const auto network = machine::Network::build(machine);
  if (!network) return network.error();
  auto fallback = simulate::make_network_model("isolated", *network, simulate::comm_options(machine.communication));
  if (!fallback) return fallback.error();
  std::uint64_t asked = 0;
  const auto oracle = [&](const simulate::CommOp& op) -> Result<simulate::Price> {
    const Result<simulate::Price> answer = program->ask(op);
    // Operations of one rank or of no bytes cost nothing without being asked: a run of only those is none that went unanswered.
    if (op.ranks.size() > 1 && op.bytes > 0) ++asked;
    if (answer) return answer;
    diagnostics.add(kNoAnswer, [&] { return answer.error().to_string(); });
    return (*fallback)->estimate(op);
  };
  simulate::EngineOptions engine = options;
  engine.eager_overhead_ps = 0;  // the program's answer is the whole message: what keeps its sender is in it
  auto run = simulate::simulate_with_oracle(workload, oracle, engine);
  if (!run) return run.error();
  if (program->crashed_after_answer() > 0) diagnostics.add_many(kCrashedAfterAnswer, program->crashed_after_answer(), binary);
  return SidecarOutcome{std::move(*run), asked == 0 || program->answered() > 0, program->runs(), program->known()};
}

}  // namespace orrery::job
