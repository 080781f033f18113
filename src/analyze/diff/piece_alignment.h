// Which piece of one run is which of another.
//
// Pieces that follow one another on a lane (a stretch of an operator, a kernel, a transfer) are aligned by the longest
// common subsequence of their classes, lane by lane. Delays in front of a piece (a launch, a gap, a return from
// waiting) go with it: those of two aligned pieces are aligned by kind, in order. Lanes go together by what they are
// for: the main thread, other threads by the role in their names and first use, streams by device and first launch,
// since their numbers differ from run to run. Collectives that a host does on threads beside the main one are a lane of
// their own, by begin: which thread of a pool takes the next one is chance.
#pragma once

#include <optional>
#include <vector>

#include "analyze/diff/piece_classes.h"
#include "base/sparse_rows.h"

namespace orrery::analyze {

/// What lies one after the other on a lane of a rank.
struct LanePieces {
  std::int64_t rank = 0;
  std::string role;  ///< what it is paired by: lanes of one role are numbered by first use
  TimePs first_use = 0;
  std::uint32_t lane = 0;              ///< into JobRank::lanes
  std::vector<graph::Slot> slots;      ///< by begin
  std::vector<std::uint32_t> classes;  ///< of each
};

/// The pieces of a job, in lanes.
struct RunPieces {
  std::vector<LanePieces> lanes;     ///< by rank, role and first use
  SparseRows<graph::Slot> delays;    ///< per slot of a piece in a lane: the delays that go with it
  Column<std::uint32_t> slot_class;  ///< see classes_of
  std::vector<std::int64_t> ranks;   ///< the number that each of CausalGraph::ranks goes by in both runs
};
/// `rank`: what the only rank of the job is called; a rank of one run can be compared with another rank of the other.
RunPieces find_pieces(const causal::CausalGraph& job, PieceClasses& classes,
                      std::optional<std::int64_t> rank = std::nullopt);

struct PieceAlignment {
  Column<graph::Slot> partner_of_a, partner_of_b;              ///< per slot of either: that of the other; kNoSlot
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes;  ///< places in RunPieces::lanes that were compared
};
/// Symmetric: with a and b swapped it is the same alignment.
PieceAlignment align_pieces(const causal::CausalGraph& job_a, const RunPieces& a, const causal::CausalGraph& job_b,
                            const RunPieces& b, const PieceClasses& classes);

}  // namespace orrery::analyze
