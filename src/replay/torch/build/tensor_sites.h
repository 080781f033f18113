// Where tensors occur: in which call or collective, and on which memory. What is scaled goes from calls to memory and
// back by these tables.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/scale/scale_request.h"

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

// Integers that count 0, 1, 2, ...: as indices they reach as far as there are of them, so that a table has to have as
// many rows.

/// Refers to `sites`, which have to be as recorded when it is made.
class CountedIndices {
 public:
  explicit CountedIndices(const TensorSites& sites);

  /// How many the integers of a call or collective count, as recorded; 0: that is not known.
  [[nodiscard]] std::int64_t count_of(const TensorUser& user) const;
  /// After a call was scaled: an Error where it looks up more than its table has.
  [[nodiscard]] Status check_table(const TensorUser& user, const ScaleRefusals& refusals) const;

 private:
  const TensorSites& sites_;
  std::map<std::uint32_t, std::int64_t> counts_;  // by lifetime
};

}  // namespace orrery::replay::torch
