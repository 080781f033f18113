// Ranks on a grid: how many go along each axis, where a rank stands, and who is beside it. The first axis varies
// fastest; nothing wraps around.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"

namespace orrery::motif {

template <std::size_t D>
struct Grid {
  std::array<std::uint32_t, D> extents{};

  [[nodiscard]] std::array<std::uint32_t, D> place(std::uint32_t rank) const {
    std::array<std::uint32_t, D> place{};
    for (std::size_t d = 0; d < D; ++d) {
      place[d] = rank % extents[d];
      rank /= extents[d];
    }
    return place;
  }
  /// The rank so many places further along each axis; none beyond the ends.
  [[nodiscard]] std::optional<std::uint32_t> beside(std::uint32_t rank, const std::array<int, D>& steps) const {
    const auto here = place(rank);
    std::uint64_t result = 0, stride = 1;
    for (std::size_t d = 0; d < D; ++d) {
      const std::int64_t there = std::int64_t{here[d]} + steps[d];
      if (there < 0 || there >= extents[d]) return std::nullopt;
      result += static_cast<std::uint64_t>(there) * stride;
      stride *= extents[d];
    }
    return static_cast<std::uint32_t>(result);
  }
  [[nodiscard]] std::optional<std::uint32_t> beside(std::uint32_t rank, std::size_t axis, int steps) const {
    std::array<int, D> all{};
    all[axis] = steps;
    return beside(rank, all);
  }
  /// Corner, edge or inside: along each axis whether somebody is before and behind. With `parity` also whether the
  /// place is odd.
  [[nodiscard]] std::uint64_t class_of(std::uint32_t rank, bool parity = false) const {
    const auto here = place(rank);
    std::uint64_t number = 0;
    for (std::size_t d = 0; d < D; ++d) {
      number = number * 8 + (here[d] > 0 ? 1 : 0) + (here[d] + 1 < extents[d] ? 2 : 0) +
               (parity && here[d] % 2 == 1 ? 4 : 0);
    }
    return number;
  }
};

/// With the sides that are given, and those that are 0 so that it is as near to a cube (a square) as the divisors of
/// `ranks` allow, the longest axis first. An Error if no grid of `ranks` has what is given.
Result<Grid<2>> make_grid(std::uint32_t ranks, std::uint64_t x, std::uint64_t y);
Result<Grid<3>> make_grid(std::uint32_t ranks, std::uint64_t x, std::uint64_t y, std::uint64_t z);

}  // namespace orrery::motif
