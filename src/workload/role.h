// How ranks are arranged: a role (tensor, pipeline, data, ...) divides all ranks into groups of one size, and every
// rank has a place in its group. Programs speak of "my tensor group" and "the next of my pipeline", so that ranks that
// do the same share one program.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interner.h"
#include "base/result.h"

namespace orrery::workload {

/// One direction in which ranks are counted: neighbours are `stride` apart, and there are `size` of them.
struct Axis {
  std::uint32_t size = 1;
  std::uint32_t stride = 1;
};

/// Groups along one axis or several, the first of which varies fastest. A job of TP 8 x PP 16 x DP 128 with neighbours
/// in tensor groups has the roles tensor {8, 1}, data {128, 8} and pipeline {16, 1024}, or in whichever order it lays
/// them out.
struct Role {
  StringId name = 0;       ///< in Workload::strings; not empty, which is the world
  std::vector<Axis> axes;  ///< strides are multiples of the strides and sizes below them; see check()

  /// How many ranks a group has.
  [[nodiscard]] std::uint32_t size() const;
  /// Of a rank in its group.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t rank) const;
  /// The rank at `place` of the group of `rank`.
  [[nodiscard]] std::uint32_t member(std::uint32_t rank, std::uint32_t place) const;
  /// The rank `offset` places further (or back, if negative) than `rank`, round about.
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t rank, std::int64_t offset) const;
  /// Groups are numbered in the order of their first ranks.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t rank) const;
  /// The ranks of the group of `rank`, by place.
  [[nodiscard]] std::vector<std::uint32_t> ranks_with(std::uint32_t rank) const;

  /// An Error unless axes have sizes and strides of at least 1, fill `rank_count` ranks without overlap, and are not
  /// nested.
  [[nodiscard]] Status check(std::size_t rank_count) const;
};

}  // namespace orrery::workload
