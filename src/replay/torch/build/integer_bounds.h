// Below what the integers of a storage have to lie, so that they are indices wherever they are used as such.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/torch/build/lifetimes.h"
#include "replay/torch/edits/chosen_calls.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// A part of a storage with a bound of its own: rows and columns that were found together lie in one.
struct BoundedPart {
  std::uint32_t lifetime;
  std::int64_t first, count;  ///< elements
  std::int64_t bound;
};

struct IntegerBounds {
  std::vector<std::int64_t> of_lifetime;  ///< for all of it; 0: nothing is known
  std::vector<BoundedPart>
      parts;  ///< by lifetime and place; of lifetimes whose parts are bounded differently, those parts
};

/// What an operator takes as indices lies below the size of what they point into; the bound holds for all that the
/// indices were copied from, and of several the smallest. What was computed from (a sum, a product) is zeros: nothing
/// else is sure to stay in range. Parts of a storage are told apart where nothing was copied or computed from it.
IntegerBounds integer_bounds(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
                             const trace::HostArguments& arguments, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
