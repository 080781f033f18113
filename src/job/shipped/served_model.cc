#include "job/shipped/served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "job/shipped/serving_fields.h"
#include "llm/engine/model_cost.h"
#include "report/counted.h"

namespace orrery::job {
namespace {

using machine::Violation;

/// Every rank of every replica holds as many whole experts.
std::optional<Violation> share_experts(double replicas, llm::InferencePlan& served) {
  llm::ParallelJob& job = served.shape.job;
  if (!served.shape.model.experts)
    return Violation{"serving.experts_shared", fmt::format("needs experts, and {} has none", served.shape.model.name)};
  if (job.pipeline > 1)
    return Violation{"parallelism.pipeline",
                     "is there beside experts_shared: replicas that step together have one stage"};
  const double ranks = job.tensor * replicas;
  if (std::fmod(served.shape.model.experts->count, ranks) != 0)
    return Violation{"serving.replicas", fmt::format("make {} ranks, which must divide the {} experts", ranks,
                                                     served.shape.model.experts->count)};
  job.expert = ranks;
  job.data = served.batch = replicas;
  return std::nullopt;
}

/// What memory leaves beside weights and the workspace of the largest step.
std::optional<Violation> leave_blocks(const ServingSite& site, const llm::InferencePlan& served,
                                      std::uint32_t& kv_blocks) {
  const llm::ServingPlan& serving = site.serving;
  const double blocks =
      llm::blocks_left(served, site.memory, site.device, serving.engine.limits.block_tokens, serving.memory_share);
  if (blocks < served.shape.job.pipeline) {
    const llm::InferenceMemory memory = llm::inference_memory(served, site.memory, 0);
    return Violation{"serving.memory_share",
                     fmt::format("of {:g} leaves no room for the cache: weights take {}, a step {} of {}",
                                 serving.memory_share, format_bytes(static_cast<std::uint64_t>(memory.weights)),
                                 format_bytes(static_cast<std::uint64_t>(memory.workspace)),
                                 format_bytes(static_cast<std::uint64_t>(site.device.memory_bytes()))),
                     "more tensor ranks, or weights of fewer bits"};
  }
  kv_blocks = static_cast<std::uint32_t>(std::min(blocks, kSomeBlocks.high));
  return std::nullopt;
}

}  // namespace

std::optional<Violation> divide_served(const ServingSite& site, double tensor, double replicas,
                                       llm::InferencePlan& served, std::uint32_t& kv_blocks) {
  const llm::ServingPlan& serving = site.serving;
  llm::ParallelJob& job = served.shape.job;
  // Experts of a replica lie on ranks that it has.
  if (tensor != job.tensor) job.expert = std::min(job.expert, tensor);
  job.tensor = tensor;
  if (serving.engine.experts_shared) {
    if (auto found = share_experts(replicas, served)) return found;
  }
  job.devices = job.tensor * job.pipeline * job.data;
  // Replicas that share nothing may each be on a machine of their own.
  if (job.devices > static_cast<double>(site.machine.devices.count))
    return Violation{serving.engine.experts_shared ? "serving.replicas" : "parallelism",
                     fmt::format("needs {}, and the machine '{}' has {}", report::counted(job.devices, "device"),
                                 site.machine.name, site.machine.devices.count)};
  if (auto found = llm::find_inference_violation(served)) return found;
  return serving.has_blocks ? std::nullopt : leave_blocks(site, served, kv_blocks);
}

}  // namespace orrery::job
