// What is scaled of the dimensions that were found first: all of each, or of sequences that are cut out of longer ones what is cut out.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/torch/scale/scale_request.h"
#include "replay/torch/scale/scale_seeds.h"
#include "replay/torch/scale/scaled_view.h"
#include "replay/torch/build/tensor_sites.h"

namespace orrery::replay::torch {

struct SeedPart {
  std::uint32_t site;  ///< into TensorSites::all
  DimensionPart wanted;
};

struct SeedParts {
  std::int64_t size = 0;       ///< of the dimension that was asked for
  std::vector<SeedPart> each;  ///< in the order of the seeds
};

SeedParts parts_of_seeds(ScaleRequest::What what, const std::vector<ScaleSeed>& seeds, const TensorSites& sites);

}  // namespace orrery::replay::torch
