// Integers whose values decide how much work an operator does, and what to put in their place: offsets that grow to the
// number of what they divide, lengths that add up, values of as many sorts as were found.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/torch/build/lifetimes.h"
#include "replay/torch/edits/chosen_calls.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// Of `count` integers, the i-th. Whole numbers, rounded down, so that the same is known here and in the runtime
/// (replay.py, plan_values).
enum class PlanKind : std::uint8_t {
  offsets,  ///< i · total / parts: where the i-th of `parts` begins, if they are as even as can be
  lengths,  ///< offset of i + 1 less that of i: they add up to `total`. Of truth values: `total` of them are true
  spread,   ///< as many sorts as `total`, below it, in any order
};
const char* identifier(PlanKind kind);  ///< "offsets"

struct IntegerPlan {
  std::uint32_t lifetime = 0;
  std::int64_t first = 0, count = 0;  ///< elements of the storage
  PlanKind kind{};
  std::int64_t total = 0, parts = 0;
};

/// By lifetime and place; they do not overlap: of two the earlier call's stays. What operators take as such (the
/// offsets of an EmbeddingBag, cu_seqlens of attention, lengths of segments, repeats, masks, what bincount and unique
/// count), with sizes as the calls have them (scaled ones, too), and what those were copied from.
std::vector<IntegerPlan> integer_plans(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
                                       const trace::HostArguments& arguments, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch
