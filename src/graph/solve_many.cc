#include "graph/solve_many.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "graph/overlay.h"
#include "graph/sweep.h"

// Scenarios lie side by side in lanes of one sweep: for each position eight finishes in one cache line, which vector
// instructions update together. Edits that touch few nodes share the graph's weights, and only the touched nodes are
// evaluated again for their lane; dense edits read weights of their own.

namespace orrery::graph {
namespace {

/// One scenario that is solved beside others, in a lane of the sweep.
struct Scenario {
  std::size_t scenario;
  std::shared_ptr<const Overlay> overlay;  // null without edits
};

/// kLanes scenarios over the same rows. finish[position * kLanes + lane].
template <std::uint32_t kLanes>
class LaneSweep {
 public:
  LaneSweep(const Graph& graph, std::span<const Scenario> lanes) : base_(graph) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      views_.emplace_back(graph, lanes[lane].overlay.get());
      touched_[lane] = lanes[lane].overlay == nullptr ? &none_ : lanes[lane].overlay->touched.data();
      shared_ = shared_ && (lanes[lane].overlay == nullptr || !lanes[lane].overlay->dense());
    }
    none_.position = graph.node_count();
  }

  /// Fills finish for [begin, end). Ranges must follow one another from 0 on.
  void run(Position begin, Position end, TimePs* finish) {
    for (Position p = begin; p < end;) {
      Position stop = end;
      for (const TouchedNode* node : touched_) stop = std::min(stop, node->position);
      // The touched node itself goes along for the lanes that leave it alone; the others put theirs right.
      const Position next = std::min(stop + 1, end);
      // Weights that all lanes share are read once for all of them: what makes several at once worth while.
      if (shared_) pull_shared(p, next, finish);
      else pull_own(p, next, finish);
      for (std::uint32_t lane = 0; lane < kLanes && stop < end; ++lane) {
        if (touched_[lane]->position == stop) pull_touched(lane, touched_[lane]++, finish);
      }
      p = next;
    }
  }

 private:
  /// All lanes have the graph's weights and durations but for the touched nodes.
  void pull_shared(Position begin, Position end, TimePs* finish) const {
    for (Position p = begin; p < end; ++p) {
      TimePs best[kLanes] = {};
      for (Slot slot = base_.rows[p]; slot < base_.rows[p + 1]; ++slot) {
        const TimePs* const before = finish + std::size_t{base_.sources[slot]} * kLanes;
        const TimePs weight = base_.weights[slot];
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) best[lane] = std::max(best[lane], before[lane] + weight);
      }
      const TimePs duration = base_.durations == nullptr ? 0 : base_.durations[p];
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        finish[std::size_t{p} * kLanes + lane] = std::min(best[lane] + duration, kMaxFinishPs);
    }
  }

  /// Some lane has weights or durations of its own throughout.
  void pull_own(Position begin, Position end, TimePs* finish) const {
    for (Position p = begin; p < end; ++p) {
      TimePs best[kLanes] = {};
      for (Slot slot = base_.rows[p]; slot < base_.rows[p + 1]; ++slot) {
        const TimePs* const before = finish + std::size_t{base_.sources[slot]} * kLanes;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
          best[lane] = std::max(best[lane], before[lane] + views_[lane].weights[slot]);
      }
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        finish[std::size_t{p} * kLanes + lane] = std::min(best[lane] + views_[lane].duration(p, nullptr), kMaxFinishPs);
      }
    }
  }

  void pull_touched(std::uint32_t lane, const TouchedNode* touched, TimePs* finish) const {
    finish[std::size_t{touched->position} * kLanes + lane] =
        evaluate(views_[lane], touched->position, touched,
                 [=](Position source) { return finish[std::size_t{source} * kLanes + lane]; });
  }

  SweepView base_;
  std::vector<SweepView> views_;
  const TouchedNode* touched_[kLanes];
  TouchedNode none_{};
  bool shared_ = true;
};

template <std::uint32_t kLanes>
void solve_lanes(const Graph& graph, std::span<const Scenario> lanes, NodeId end, std::vector<SolutionParts>& out) {
  auto finish = std::make_shared<Column<TimePs>>(std::size_t{graph.node_count()} * kLanes);
  LaneSweep<kLanes> sweep(graph, lanes);
  BlockMaxima<kLanes> maxima(graph.node_count());
  for (std::size_t block = 0; block < maxima.block_count(); ++block) {
    sweep.run(maxima.begin_of(block), maxima.end_of(block), finish->data());
    maxima.scan(block, finish->data());  // while it is in the cache
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const NodeId lane_end = end == kNoNode ? maxima.end(graph, finish->data(), lane) : end;
    out[lanes[lane].scenario] =
        SolutionParts{graph, lanes[lane].overlay, finish, kLanes, lane, lane_end, end != kNoNode};
  }
}

template <std::uint32_t kLanes>
void lengths_of_lanes(const Graph& graph, std::span<const Scenario> lanes, NodeId end, Column<TimePs>& finish,
                      std::span<TimePs> lengths) {
  finish.resize_uninitialized(std::max(finish.size(), std::size_t{graph.node_count()} * kLanes));
  LaneSweep<kLanes>(graph, lanes).run(0, graph.node_count(), finish.data());
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    lengths[lanes[lane].scenario] = finish[std::size_t{graph.position(end)} * kLanes + lane];
}

std::vector<Scenario> compile(std::span<const Edits> scenarios) {
  std::vector<Scenario> lanes;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    assert(scenarios[i].graph().same_as(scenarios[0].graph()));
    lanes.push_back({i, scenarios[i].empty() ? nullptr : Overlay::compile(scenarios[i])});
  }
  return lanes;
}

/// At most kSolvedAtOnce scenarios, in the memory of `finish`.
void solve_one_sweep(std::span<const Edits> scenarios, NodeId end, Column<TimePs>& finish, std::span<TimePs> lengths) {
  const Graph& graph = scenarios[0].graph();
  if (graph.start_to_start_type()) {  // see solve_many
    for (std::size_t i = 0; i < scenarios.size(); ++i) lengths[i] = graph::solve(scenarios[i], end).length();
    return;
  }
  const std::vector<Scenario> lanes = compile(scenarios);
  for (std::span<const Scenario> rest = lanes; !rest.empty();) {
    const std::size_t taken = std::min<std::size_t>(kSolvedAtOnce, std::bit_floor(rest.size()));
    if (taken == 8) lengths_of_lanes<8>(graph, rest.first(8), end, finish, lengths);
    else if (taken == 4) lengths_of_lanes<4>(graph, rest.first(4), end, finish, lengths);
    else if (taken == 2) lengths_of_lanes<2>(graph, rest.first(2), end, finish, lengths);
    else lengths_of_lanes<1>(graph, rest.first(1), end, finish, lengths);
    rest = rest.subspan(taken);
  }
}

}  // namespace

std::vector<Solution> solve_many(std::span<const Edits> scenarios, NodeId end) {
  std::vector<Solution> solutions;
  if (scenarios.empty()) return solutions;
  const Graph& graph = scenarios[0].graph();
  // Start-to-start edges look up the durations of their sources, which are each scenario's own: nothing would be read
  // once for several.
  if (graph.start_to_start_type()) {
    for (const Edits& scenario : scenarios) solutions.push_back(solve(scenario, end));
    return solutions;
  }
  std::vector<SolutionParts> parts(scenarios.size());
  const std::vector<Scenario> lanes = compile(scenarios);
  for (std::span<const Scenario> rest = lanes; !rest.empty();) {
    // Powers of two, so that the compiler knows how many lanes there are; eight finishes are one cache line.
    const std::size_t taken = std::min<std::size_t>(8, std::bit_floor(rest.size()));
    if (taken == 8) solve_lanes<8>(graph, rest.first(8), end, parts);
    else if (taken == 4) solve_lanes<4>(graph, rest.first(4), end, parts);
    else if (taken == 2) solve_lanes<2>(graph, rest.first(2), end, parts);
    else solve_lanes<1>(graph, rest.first(1), end, parts);
    rest = rest.subspan(taken);
  }
  for (SolutionParts& part : parts) solutions.emplace_back(std::move(part));
  return solutions;
}

std::vector<TimePs> solve_lengths(std::size_t count, NodeId end, const std::function<Edits(std::size_t)>& edits_of,
                                  std::size_t at_once) {
  std::vector<TimePs> lengths(count);
  const std::size_t sweeps = (count + at_once - 1) / at_once, workers = std::min(thread_count(), sweeps);
  parallel_for(workers, [&](std::size_t worker) {
    Column<TimePs> finish;  // for sweep after sweep, so that its memory is touched for the first time once
    for (std::size_t sweep = worker; sweep < sweeps; sweep += workers) {
      const std::size_t first = sweep * at_once;
      std::vector<Edits> scenarios;
      for (std::size_t i = first; i < std::min(count, first + at_once); ++i) scenarios.push_back(edits_of(i));
      solve_one_sweep(scenarios, end, finish, std::span(lengths).subspan(first, scenarios.size()));
    }
  });
  return lengths;
}

}  // namespace orrery::graph
