#include "analyze/whatif/job_pauses.h"

#include <algorithm>

#include "graph/solve_many.h"

namespace orrery::analyze {
namespace {

using causal::EdgeKind;

struct HeldPiece {
  graph::Slot slot;
  TimePs weight;
  friend bool operator==(const HeldPiece&, const HeldPiece&) = default;
};

/// Per rank: its pauses by time.
std::vector<std::vector<Pause>> by_rank(const causal::CausalGraph& job, const std::vector<Pause>& pauses) {
  std::vector<std::vector<Pause>> of(job.ranks.size());
  for (const Pause& pause : pauses) of[pause.rank].push_back(pause);
  for (std::vector<Pause>& list : of)
    std::stable_sort(list.begin(), list.end(), [](const Pause& a, const Pause& b) { return a.at < b.at; });
  return of;
}

/// What the pauses make of the pieces, if every moment is where `moments` has it.
std::vector<HeldPiece> held_pieces(const causal::CausalGraph& job, const std::vector<std::vector<Pause>>& pauses,
                                   const graph::Solution& unpaused, const graph::Solution& moments) {
  std::vector<HeldPiece> held;
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const std::uint32_t rank = job.node_rank[job.graph.node_at(p)];
    if (rank == causal::kNoRank || pauses[rank].empty()) continue;
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      // Arrivals are moments of others, the begin of a window is that of the recording, and what ran before that is
      // known to have ended when it did.
      if (job.kind(slot) == EdgeKind::arrival || job.kind(slot) == EdgeKind::before ||
          job.kind(slot) == EdgeKind::earlier_work)
        continue;
      const TimePs begin = moments.finish_at(job.graph.source_positions()[slot]);
      const TimePs weight = unpaused.weight(slot);
      const TimePs end = end_with_pauses(begin, weight, pauses[rank]);
      if (end - begin != weight) held.push_back({slot, end - begin});
    }
  }
  return held;
}

}  // namespace

TimePs end_with_pauses(TimePs begin, TimePs weight, const std::vector<Pause>& pauses) {
  TimePs end = begin + weight;
  for (const Pause& pause : pauses) {
    if (end <= pause.at) break;
    if (begin <= pause.at) {
      end += pause.lasts;
    } else {  // it has not begun when this pause begins, so no earlier one has made it longer
      begin = std::max(begin, pause.at + pause.lasts);
      end = begin + weight;
    }
  }
  return end;
}

std::vector<SolvedJob> solve_paused(const causal::CausalGraph& job, std::vector<PausedJob> scenarios) {
  std::vector<graph::Edits> edits;
  edits.reserve(scenarios.size());
  for (const PausedJob& scenario : scenarios) edits.push_back(scenario.edits);
  std::vector<SolvedJob> solved;
  for (graph::Solution& solution : graph::solve_many(edits, job.end)) solved.push_back({solution, solution});

  std::vector<std::vector<HeldPiece>> held(scenarios.size());
  std::vector<std::size_t> unsettled;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (!scenarios[i].pauses.empty()) unsettled.push_back(i);
  }
  while (!unsettled.empty()) {
    std::vector<std::size_t> changed;
    edits.clear();
    for (const std::size_t i : unsettled) {
      std::vector<HeldPiece> now =
          held_pieces(job, by_rank(job, scenarios[i].pauses), solved[i].unpaused, solved[i].solution);
      if (now == held[i]) continue;
      held[i] = std::move(now);
      changed.push_back(i);
      edits.push_back(scenarios[i].edits);
      for (const HeldPiece& piece : held[i]) edits.back().set_weight(piece.slot, piece.weight);
    }
    const std::vector<graph::Solution> round = graph::solve_many(edits, job.end);
    for (std::size_t k = 0; k < changed.size(); ++k) solved[changed[k]].solution = round[k];
    unsettled = std::move(changed);
  }
  return solved;
}

}  // namespace orrery::analyze
