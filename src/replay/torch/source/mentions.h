// When a storage was mentioned last: from then on nothing needs it.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/sparse_rows.h"
#include "replay/torch/build/lifetimes.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/source/row_order.h"

namespace orrery::replay::torch {

class Mentions {
 public:
  explicit Mentions(SparseRows<std::uint32_t> by_position) : by_position_(std::move(by_position)) {}
  /// Lifetimes, ascending.
  [[nodiscard]] std::span<const std::uint32_t> ending_at(std::uint32_t position) const {
    return by_position_[position];
  }

 private:
  SparseRows<std::uint32_t> by_position_;
};

/// Positions are visits; all that is mentioned inside of a call is mentioned where that begins, since it is one
/// operation of the list. Any row counts, called or not: views and autograd's nodes hold storages too. `held`:
/// lifetimes that are needed up to a visit, mentioned or not.
Mentions find_mentions(const RowOrder& order, const ChosenCalls& chosen, const trace::HostArguments& arguments,
                       const Lifetimes& lifetimes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& held);

}  // namespace orrery::replay::torch
