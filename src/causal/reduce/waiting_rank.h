// A reduced rank that waits for the others of its job.
//
// Ranks are read two at a time, and those that were read wait for the rest: in a job of many ranks they are what memory
// grows by. Packed, as the compressed bytes of its file, a skeleton takes a quarter of the room.
#pragma once

#include <utility>

#include "base/io/compressed.h"
#include "causal/reduce/reduced_rank.h"

namespace orrery::causal {

class WaitingRank {
 public:
  WaitingRank() = default;
  explicit WaitingRank(ReducedRank rank) : rank_(std::move(rank)) {}

  /// For a skeleton: a whole graph takes as long to pack as to be made.
  void pack();
  /// Not of a packed one.
  [[nodiscard]] const ReducedRank& rank() const { return rank_; }
  /// As it was before it was packed; can be asked for once.
  ReducedRank take();

 private:
  ReducedRank rank_;
  Compressed packed_;
};

}  // namespace orrery::causal
