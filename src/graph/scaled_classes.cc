#include "graph/scaled_classes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "base/parallel.h"
#include "graph/sweep.h"

namespace orrery::graph {
namespace {

constexpr std::size_t kLanesInAll = 8;  // the finishes of a node are a cache line, and of a large graph several GB

TimePs scaled_weight(TimePs weight, double factor) {
  // Whole picoseconds, as all weights are.
  return std::clamp<TimePs>(std::llround(static_cast<double>(weight) * factor), -kMaxWeightPs, kMaxWeightPs);
}

}  // namespace

ScaledLengths::ScaledLengths(const Graph& graph, std::span<const std::uint32_t> class_of, std::size_t classes)
    : graph_(graph), class_of_(class_of), classes_(classes) {
  assert(class_of.size() == graph.edge_count());
  assert(!graph.start_to_start_type());
}

template <std::uint32_t kLanes>
void ScaledLengths::sweep(std::span<const Scaling> scenarios, TimePs* finish) const {
  // By class + 1, so that kNoClass is 0: which row of factors it has in this sweep; 0 for none.
  std::vector<std::uint8_t> row_of(classes_ + 1, 0);
  std::vector<std::array<double, kLanes>> factors(1);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    for (const ScaledClass& scaled : scenarios[lane]) {
      std::uint8_t& row = row_of[scaled.edge_class + 1];
      if (row == 0) {
        row = static_cast<std::uint8_t>(factors.size());
        factors.emplace_back().fill(1);
      }
      factors[row][lane] = scaled.factor;
    }
  }
  const SweepView view(graph_);
  for (Position p = 0; p < view.node_count; ++p) {
    TimePs best[kLanes] = {};
    for (Slot slot = view.rows[p]; slot < view.rows[p + 1]; ++slot) {
      const TimePs* const before = finish + std::size_t{view.sources[slot]} * kLanes;
      const TimePs weight = view.weights[slot];
      const std::uint8_t row = row_of[class_of_[slot] + 1];
      if (row == 0) {
        // Most edges belong to no class that is scaled: this loop is kept free of branches for them.
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) best[lane] = std::max(best[lane], before[lane] + weight);
        continue;
      }
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const double factor = factors[row][lane];
        best[lane] = std::max(best[lane], before[lane] + (factor == 1 ? weight : scaled_weight(weight, factor)));
      }
    }
    const TimePs duration = view.durations == nullptr ? 0 : view.durations[p];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      finish[std::size_t{p} * kLanes + lane] = std::min(best[lane] + duration, kMaxFinishPs);
  }
}

template <std::uint32_t kLanes>
void ScaledLengths::solve_lanes(std::span<const Scaling> scenarios, NodeId end, Column<TimePs>& finish,
                                TimePs* lengths) const {
  finish.resize_uninitialized(std::max(finish.size(), std::size_t{graph_.node_count()} * kLanes));
  sweep<kLanes>(scenarios, finish.data());
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    lengths[lane] = finish[std::size_t{graph_.position(end)} * kLanes + lane];
}

std::vector<TimePs> ScaledLengths::solve(std::span<const Scaling> scenarios, NodeId end) {
  std::vector<TimePs> lengths(scenarios.size());
  // No more workers than scenarios, and lanes shared among them: all cores are busy with a few scenarios, too.
  const std::size_t workers = std::clamp<std::size_t>(thread_count(), 1, std::max<std::size_t>(scenarios.size(), 1));
  const std::size_t lanes = std::bit_floor(
      std::clamp<std::size_t>(scenarios.size() / workers, 1, std::max<std::size_t>(kLanesInAll / workers, 1)));
  finish_.resize(std::max(finish_.size(), workers));
  parallel_for(workers, [&](std::size_t worker) {
    Column<TimePs>& finish = finish_[worker];
    for (std::size_t first = worker * lanes; first < scenarios.size(); first += workers * lanes) {
      for (std::size_t at = first, stop = std::min(first + lanes, scenarios.size()); at < stop;) {
        // The largest power of two that is left, since sweeps are compiled for these only.
        const std::size_t taken = std::bit_floor(stop - at);
        const std::span<const Scaling> some = scenarios.subspan(at, taken);
        if (taken == 8) solve_lanes<8>(some, end, finish, &lengths[at]);
        else if (taken == 4) solve_lanes<4>(some, end, finish, &lengths[at]);
        else if (taken == 2) solve_lanes<2>(some, end, finish, &lengths[at]);
        else solve_lanes<1>(some, end, finish, &lengths[at]);
        at += taken;
      }
    }
  });
  return lengths;
}

}  // namespace orrery::graph
