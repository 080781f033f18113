// How long steps of language models take, from their configurations: training, inference and distributed products.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"
#include "ask/workloads/llm_step.h"
#include "ask/workloads/network.h"
#include "ask/workloads/serving_run.h"
#include "base/team/sweep.h"

namespace orrery::ask {

/// One configuration is shown in full, several are compared.
struct LlmRequest {
  std::vector<std::string> configs = {};
  NetworkChoice network = {};                  ///< whatever the configurations say
  bool sweep = false;                          ///< try all parallelisation plans
  std::optional<std::string> checkpoint = {};  ///< of a sweep: keeps finished points
  LlmStepOutputs step = {};                    ///< of one configuration, without a sweep
  ServingOutputs serving = {};                 ///< of a configuration with serving:
};
template <typename Visitor>
void fields(LlmRequest& request, Visitor&& visit) {
  fields(request.network, visit);
  visit("sweep", request.sweep);
  visit("checkpoint", request.checkpoint);
  fields(request.step, visit);
  fields(request.serving, visit);
}

Result<report::Answer> run(const LlmRequest& request, Context& context);

/// The points that run() would solve, for a process that helps the one that runs it; null: there are none.
std::unique_ptr<Sweep> open_llm_sweep(const LlmRequest& request);

}  // namespace orrery::ask
