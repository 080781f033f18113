// Where tensors occur: in which call or collective, and on which memory. What is scaled goes from calls to memory and
// back by these tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "replay/torch/edits/chosen_calls.h"

namespace orrery::replay::torch {

struct TensorSite {
  RecordedTensor* tensor;
  std::uint32_t lifetime;  ///< kNoLifetime: it has no elements
  std::uint32_t user;      ///< into TensorSites::users
};

/// A call, or a collective. Its sites lie together: those of its arguments, then those of what it returns.
struct TensorUser {
  std::uint32_t row;
  std::uint32_t first, count;                ///< into TensorSites::all
  RecordedCall* call;                        ///< null: it is a collective
  const pytorch_et::OperatorSchema* schema;  ///< of a call
  std::string_view kind;                     ///< of a collective
  [[nodiscard]] bool is_collective() const { return call == nullptr; }
};

/// Points into the ChosenCalls and Schemas that it was made of: no call may be added to them or moved while it is used.
struct TensorSites {
  std::vector<TensorSite> all;
  std::vector<TensorUser>
      users;  ///< calls, in the order of ChosenCalls::calls; then collectives, in that of their rows
  std::vector<std::vector<std::uint32_t>> users_of;  ///< per lifetime, ascending
  std::vector<std::int64_t> bytes;                   ///< per lifetime: as far as any tensor is known to reach

  [[nodiscard]] std::span<const TensorSite> of(const TensorUser& user) const {
    return {all.data() + user.first, user.count};
  }
};

/// O(tensors).
TensorSites find_tensor_sites(const trace::HostTrace& host, const Schemas& schemas,
                              const trace::HostArguments& arguments, const Lifetimes& lifetimes, ChosenCalls& chosen);

}  // namespace orrery::replay::torch
