#include <orrery/simulate.h>

#include "api/answer_data.h"
#include "ask/workloads/simulate.h"

namespace orrery::api {

Result<Answer> simulate(const SimulateOptions& options) {
  ask::SimulateRequest request;
  request.inputs.files = options.workload;
  request.inputs.machine = options.machine;
  if (options.network_model) {
    const auto model = ask::choice(request.run.network.model, ask::kNetworkModelWords);
    if (!model.take(*options.network_model))
      return Error{"there is no network model '" + *options.network_model + "'", {}, "docs/NETWORK_MODELS.md has them"};
  }
  ask::Context context({.reader = report::Reader::library, .records_inputs = false});
  return answer_of(context, [&](ask::Context& in) { return run(request, in); });
}

}  // namespace orrery::api
