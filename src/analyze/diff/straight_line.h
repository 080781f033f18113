// One run turned into another along a straight line, and what each piece adds on the way.
//
// On the graph of one run every piece goes from its duration there to that of its partner in the other run; what has no
// partner goes to 0; what only the other run has grows from 0 behind the piece before it on its lane. Its length
// T(lambda) is convex and piecewise linear (graph/parametric.h), and a piece adds the integral of its change over the
// lambda for which it is on the path. No order of changes has to be chosen, and all that is added is T(1) - T(0).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analyze/diff/piece_alignment.h"
#include "base/int128.h"

namespace orrery::analyze {

/// What contributions are summed by: a class on a rank.
class ChangeCells {
 public:
  struct Cell {
    std::uint32_t piece_class = 0;
    std::int64_t rank = 0;
    friend auto operator<=>(const Cell&, const Cell&) = default;
  };
  std::uint32_t number(std::uint32_t piece_class, std::int64_t rank);
  [[nodiscard]] const Cell& operator[](std::size_t number) const { return cells_[number]; }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }

 private:
  std::vector<Cell> cells_;
  std::map<Cell, std::uint32_t> numbers_;
};

/// One run as the way to another sees it.
struct WaySide {
  const causal::CausalGraph& job;
  const RunPieces& pieces;
  const Column<graph::Slot>& partner;  ///< per slot: that of the other run, or kNoSlot
};

struct WayContributions {
  TimePs from = 0, to = 0;    ///< T(0), T(1)
  std::size_t corners = 0;    ///< where the path changes
  std::vector<Int128> added;  ///< per cell, in units of 2^-60 ps
};

/// From `own` to `other`, on the graph of `own`. `lanes`: places of lanes in own.pieces and other.pieces that were
/// compared.
WayContributions contributions_on_the_way(const WaySide& own, const WaySide& other,
                                          std::span<const std::pair<std::uint32_t, std::uint32_t>> lanes,
                                          ChangeCells& cells);

/// The mean of what pieces add on the way from a to b and of what they take away on the way back, in whole picoseconds
/// by largest remainder (ties: rank, kind, name): their sum is that of both ways, halved, rounded towards 0. Changes
/// its sign, and nothing else, if a and b are swapped.
std::vector<TimePs> mean_contributions(const WayContributions& forth, const WayContributions& back,
                                       const ChangeCells& cells, const PieceClasses& classes);

}  // namespace orrery::analyze
