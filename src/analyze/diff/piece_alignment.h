// Which piece of one run is which of another.
//
// Pieces that follow one another on a lane (a stretch of an operator, a kernel, a transfer) are aligned by the longest
// common subsequence of their classes, lane by lane. Delays in front of a piece (a launch, a gap, a return from
// waiting) go with it: those of two aligned pieces are aligned by kind, in order. Lanes go together by what they are
// for: the main thread, other threads by the role in their names and first use, streams by device and first launch,
// since their numbers differ from run to run. Collectives that a host does on threads beside the main one are a lane of
// their own, by begin: which thread of a pool takes the next one is chance.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/diff/run_operators.h"
#include "base/column.h"
#include "base/sparse_rows.h"
#include "causal/causal_graph.h"

namespace orrery::analyze {

// The pieces of two runs counted by the same classes: (kind, name) as texts, since each job has its own table of them.

inline constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

/// Classes by number, in order of first appearance.
class PieceClasses {
 public:
  struct Class {
    causal::EdgeKind kind{};
    std::string name;     ///< empty: time that belongs to no event, and delays
    std::string op = {};  ///< of device work: the operator that launched it and what it was given; empty: not known
    friend auto operator<=>(const Class&, const Class&) = default;
  };

  std::uint32_t number(causal::EdgeKind kind, std::string_view name, std::string_view op = {});
  [[nodiscard]] const Class& operator[](std::uint32_t number) const { return classes_[number]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(classes_.size()); }

 private:
  std::vector<Class> classes_;
  std::map<Class, std::uint32_t> numbers_;
};

/// Whether an edge is a piece: something that takes time of its own. Order and arrivals do not.
inline bool is_piece(causal::EdgeKind kind) {
  return kind != causal::EdgeKind::order && kind != causal::EdgeKind::arrival;
}

/// Per slot: the number of its class; kNoClass where it is no piece. `operators`: of the job's owners, where they are
/// known.
Column<std::uint32_t> classes_of(const causal::CausalGraph& job, PieceClasses& classes,
                                 const OwnerOperators* operators = nullptr);

/// Classes of two runs as they are compared, without operators.
struct CommonClasses {
  PieceClasses classes;
  std::vector<std::uint32_t> of;  ///< per class of the runs
};
/// Device work whose name both runs have goes by its name. A name that only one has is that of another device, library
/// or compiler: such work goes by its operator where both runs have work of that operator under names of their own, and
/// else by its name. Symmetric in both runs.
CommonClasses common_classes(const PieceClasses& classes, const std::vector<bool>& used_by_a,
                             const std::vector<bool>& used_by_b);

/// How long each class took in each step of the job: times[class][step], all ranks together; shorter where classes came
/// later. Parts of what has an edge of its own (causal/edge_kind.h) are in no sum.
std::vector<std::vector<TimePs>> class_step_times(const causal::CausalGraph& job,
                                                  const Column<std::uint32_t>& slot_class);

// Which lane of one run is which of another, among lanes that are for the same thing.

/// What the lane of a run has on it: the classes of its pieces, in any order.
using LaneClasses = std::span<const std::uint32_t>;

/// Pairs of places, ascending in both; lanes come in the order of their first use. As many on both sides: the n-th goes
/// with the n-th. Where one run has more of them, those go together that have most pieces in common, so that a new
/// stream does not shift all that come behind it. Swapping a and b swaps the pairs.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pair_lanes(std::span<const LaneClasses> a,
                                                                std::span<const LaneClasses> b);

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
/// `slot_class`: see classes_of.
RunPieces find_pieces(const causal::CausalGraph& job, Column<std::uint32_t> slot_class,
                      std::optional<std::int64_t> rank = std::nullopt);

struct PieceAlignment {
  Column<graph::Slot> partner_of_a, partner_of_b;              ///< per slot of either: that of the other; kNoSlot
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes;  ///< places in RunPieces::lanes that were compared
};
/// Symmetric: with a and b swapped it is the same alignment.
PieceAlignment align_pieces(const causal::CausalGraph& job_a, const RunPieces& a, const causal::CausalGraph& job_b,
                            const RunPieces& b, const PieceClasses& classes);

}  // namespace orrery::analyze
