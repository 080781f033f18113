// Device time of the parts of a model in inference: the kernels of llm/serving/serving and llm/closed_forms/eager_step,
// layer by layer. Communication is not in it.
#pragma once

#include "llm/catalog.h"
#include "llm/serving/inference_plan.h"

namespace orrery::llm {

/// Seconds on one rank.
struct LayerVisit {
  double attention = 0;
  double mlp = 0;      ///< dense, or router and shared expert
  double experts = 0;  ///< of the rank's own
};
struct VisitTimes {
  double embedding = 0;
  LayerVisit dense = {};
  LayerVisit with_experts = {};
  double head = 0;
  double reduce =
      0;  ///< of software, before each all-reduce of tensor parallelism; what the network takes is not in it
};

/// Of a layer either its bytes or its operations count, whichever take longer, as in llm/serving/serving for the whole
/// model; with one device both say the same, but where the head is on the other side of that than the layers are.
/// Experts are read as far as some token chose them: all tokens choose evenly and independently. Operations of decode
/// attention count for latent keys only, which all heads share; elsewhere reading the cache takes longer.
VisitTimes visit_times(const Catalog& catalog, const machine::Device& device, const InferencePlan& plan,
                       const Visit& visit);

}  // namespace orrery::llm
