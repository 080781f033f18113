// Jobs in which ranks stand still for a while: re-solved exactly, by the one solver.
//
// A rank that stands still from B + t for d ends a piece that would run across B + t later by d, and begins a piece
// that would begin meanwhile when it goes on; it neither holds back nor is held back by arrivals of others, which are
// theirs. How much longer a piece takes therefore depends on when it begins, which a weight cannot say. But a moment
// before B + t is not changed by the pause, and a moment that a held piece leads to is not before B + t + d. So the
// pieces that are held are found in rounds: solve, take what the moments say about each piece, solve again, until
// nothing changes. One pause takes three rounds; each round settles at least the earliest moments that were wrong, so
// the rounds end.
#pragma once

#include <cstdint>
#include <vector>

#include "causal/causal_graph.h"
#include "graph/edits.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

struct Pause {
  std::uint32_t rank = 0;  ///< place in CausalGraph::ranks
  TimePs at = 0;           ///< since the job's begin
  TimePs lasts = 0;
};

struct PausedJob {
  graph::Edits edits;  ///< without the pauses
  std::vector<Pause> pauses;
};

struct SolvedJob {
  graph::Solution solution;
  /// The same without the pauses: weights of it are those of work, what `solution` has more is standing still.
  graph::Solution unpaused;
};

/// When a piece that begins at `begin` and takes `weight` ends, if its rank pauses like this (by `at`).
TimePs end_with_pauses(TimePs begin, TimePs weight, const std::vector<Pause>& pauses);

/// All scenarios side by side, in as many rounds as the slowest needs; one without pauses.
std::vector<SolvedJob> solve_paused(const causal::CausalGraph& job, std::vector<PausedJob> scenarios);

}  // namespace orrery::analyze
