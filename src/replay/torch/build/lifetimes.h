// From the numbers that recordings have for storages to storages: PyTorch numbers them by address, so that one number
// is many storages, one after the other.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/source/row_order.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

inline constexpr std::uint32_t kNoLifetime = ~std::uint32_t{0};

struct Lifetime {
  std::uint32_t maker;  ///< the row that returned it first; causal::kNoRow: it was there before
  bool is_on_host;
  std::int64_t bytes;  ///< of what its maker returned; 0 of what was there before. Views can say more than there is: a
                       ///< row expanded to many
};

struct Lifetimes {
  std::vector<Lifetime> all;  ///< in order of their first mention
  std::vector<std::uint32_t>
      of_use;  ///< per entry of HostArguments::tensors; kNoLifetime: without elements, or undefined
};

/// What is returned is new unless it was given to the row too, or a row inside made it; what is given is what was last
/// seen at its address, if it fits. `schemas` is by the number of the text (HostTrace::op_schema); rows without one
/// make nothing. O(uses).
Lifetimes find_lifetimes(const trace::HostTrace& host, const RowOrder& order, const trace::HostArguments& arguments,
                         const std::vector<const pytorch_et::OperatorSchema*>& schemas);

// Gradients outlive their last use: parameters hold them until the optimizer is told to let go of them.

/// Lifetimes, ascending, and the visit until which each is held: what an Optimizer.step reads and did not make lives
/// until the next Optimizer.zero_grad ends, or to the end of the recording. PyTorch records both ranges by itself.
/// O(rows + uses of the optimizer).
std::vector<std::pair<std::uint32_t, std::uint32_t>> held_gradients(const RankSource& source,
                                                                    const trace::HostArguments& arguments,
                                                                    const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
