// One step of data- and tensor-parallel training, as a workload: the usual subject of a simulation.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/units.h"
#include "workload/workload.h"

namespace orrery::generate {

/// Ranks are data_parallel x tensor_parallel; those of a tensor-parallel group are neighbours.
struct TrainingStep {
  std::uint32_t data_parallel = 8;
  std::uint32_t tensor_parallel = 1;
  std::uint32_t layers = 24;
  TimePs forward_ps = 1000 * kPsPerUs;     ///< compute of one layer on one rank
  TimePs backward_ps = 2000 * kPsPerUs;    ///< of one layer on one rank
  TimePs optimizer_ps = 500 * kPsPerUs;    ///< once, at the end; 0: none
  std::int64_t gradient_bytes = 50 << 20;  ///< of one layer on one rank
  std::int64_t bucket_bytes = 25 << 20;    ///< gradients are reduced in pieces of at least this size (but for the last)
  std::int64_t activation_bytes =
      16 << 20;  ///< reduced within the tensor-parallel group after each layer, in both directions
};

/// Forward layer by layer, backward from the last to the first. A bucket's all-reduce over the data-parallel group
/// starts when the backward computes of all its layers are done and the bucket before it is reduced, while backward
/// goes on; the optimizer waits for all of them. A layer with more gradients than a bucket fills makes one bucket.
/// Groups are named "1", "2", ... (tensor first, then data); what spans all ranks has none. With tensor_parallel 1 all
/// ranks share one program. An Error for no ranks or layers, or a number out of range.
Result<workload::Workload> training_step(const TrainingStep& step);

}  // namespace orrery::generate
