// How a model is trained on many devices: what the frameworks' step models take.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "machine/device/peak_rates.h"

namespace orrery::llm {

enum class Recomputation : std::uint8_t { none, selective, full };

/// Degrees are at least 1. Counts are doubles that hold whole numbers, as in Architecture.
struct ParallelJob {
  double sequence = 0;
  double global_batch = 0;
  double micro_batch = 0;
  double devices = 0;
  double tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
  double interleave = 1;  ///< model chunks per stage of a pipeline
  int zero_stage = 0;
  bool sharded = false;  ///< FSDP as the framework's own mode
  bool sequence_parallel = false;
  Recomputation recomputation = Recomputation::none;

  /// Of one replica in a step; at least 1.
  [[nodiscard]] double micro_batches() const { return std::max(1.0, std::floor(global_batch / (micro_batch * data))); }
};

}  // namespace orrery::llm
