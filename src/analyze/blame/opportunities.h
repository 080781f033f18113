// What is worth fixing first: everything of a job that could be made faster, each with what that would save.
//
// An opportunity is a class of work on all ranks, the transfers of one kind in one group, or one sort of delay. Its
// derivative says which part of a small saving reaches the job; how long that lasts is not in a derivative, so the job
// is solved again with the opportunity free, and with the opportunity 10 % faster. What is not on the path saves
// nothing, however much is taken off, and is not solved; what is saves at most its time there, so that of thousands of
// opportunities those with most time on the path are solved, and the others are known not to matter more than that. Two
// opportunities may save the same time, or uncover what the other hides: the best ones are solved in pairs, too, and
// put into the order in which each adds most to those before.
//
// Groups that do the same side by side (the tensor-parallel pairs of a job) hide one another: each alone saves nothing,
// since the others take as long. So all groups of one kind of operation and one size are solved together as well, and
// told where that saves more than they do one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/longest_path.h"
#include "report/sheet.h"

namespace orrery::analyze {

// The opportunities of a job: which pieces each has, how much time they take, and how an edit selects them.

enum class OpportunityScope : std::uint8_t {
  op,     ///< a class of work, on all ranks
  group,  ///< transfers of one kind of operation in one group
  gap,    ///< a sort of delay
};
const char* identifier(OpportunityScope scope);

struct Opportunity {
  OpportunityScope scope{};
  causal::EdgeKind kind{};  ///< of a gap the first of its sort
  StringId name = 0;        ///< of work; 0: it belongs to no event
  StringId what = 0;        ///< of transfers: all_reduce, p2p
  StringId group = 0;
  std::string select = {};  ///< an edit's selection: kernel:"gemm"
  TimePs total = 0;
  TimePs on_path = 0;
  std::optional<TimePs> gain_if_free = 0;  ///< none: not solved; at most on_path
  std::optional<TimePs> gain_10pct = 0;    ///< likewise

  /// The part of a small saving that reaches the job.
  [[nodiscard]] double derivative() const {
    return total == 0 ? 0 : static_cast<double>(on_path) / static_cast<double>(total);
  }
};

/// Finds all opportunities, their times and selections; gains are left 0. 4 bytes per edge.
class OpportunityTable {
 public:
  OpportunityTable(const causal::CausalGraph& job, const graph::Path& path);

  [[nodiscard]] std::vector<Opportunity>& opportunities() { return opportunities_; }
  [[nodiscard]] const std::vector<Opportunity>& opportunities() const { return opportunities_; }
  /// By slot: the opportunity that the edge is a piece of; graph::kNoClass for none.
  [[nodiscard]] std::span<const std::uint32_t> opportunity_of() const { return opportunity_of_; }

 private:
  class Numbering;

  std::vector<Opportunity> opportunities_;
  Column<std::uint32_t> opportunity_of_;
};

/// Opportunities are places in Opportunities::all.
struct OpportunityPair {
  std::uint32_t a = 0, b = 0;
  TimePs gain_both = 0;  ///< of both 10 % faster
  TimePs overlap = 0;    ///< what the two gains alone would count twice; below 0: together they save more
};

struct OpportunityStep {
  std::uint32_t opportunity = 0;
  TimePs gain = 0;        ///< more than those before
  TimePs total_gain = 0;  ///< with them
};

/// The groups of one kind of operation that have as many members, as one opportunity.
struct OpportunityUnion {
  StringId what = 0;  ///< all_reduce, p2p
  std::uint32_t groups = 0;
  std::uint32_t members = 0;  ///< of each
  std::string select = {};    ///< an edit's selection
  TimePs total = 0;
  TimePs on_path = 0;
  TimePs gain_if_free = 0;
  TimePs gain_10pct = 0;
  TimePs alone_if_free = 0;  ///< the gains of the groups one by one, added up
  TimePs alone_10pct = 0;
};

struct RankGain {
  std::uint32_t rank = 0;  ///< place in CausalGraph::ranks
  TimePs gain_if_typical = 0;
};

struct Opportunities {
  TimePs length = 0;             ///< of the job
  std::vector<Opportunity> all;  ///< by gain if free (not solved: as if 0), then time on the path, total, selection
  std::vector<OpportunityPair> pairs;    ///< of the five best at 10 %, in their order
  std::vector<OpportunityStep> order;    ///< of the same
  std::vector<OpportunityUnion> unions;  ///< that save more than their groups alone; by gain if free, then selection
  std::vector<RankGain> ranks;  ///< ascending; of more than 64 those with most work on the path, others gain nothing
};

/// How many opportunities of a job with so many edges are solved: 1,000, or as many as take two thousand million looks
/// at an edge. Jobs as people write them have some hundred; without a bound a job in which every event has a name of
/// its own would take the square of its size.
constexpr std::size_t most_opportunities_solved(std::uint64_t edges) {
  constexpr std::uint64_t kAlways = 1'000, kLooks = 2'000'000'000;
  return std::max(kAlways, kLooks / (2 * std::max<std::uint64_t>(edges, 1)));
}

/// Two solves for each opportunity on the path, of those with most time there if they are more than `most_solved`,
/// eight at once; up to sixteen for pairs and order, two for each union, and one for each rank.
Opportunities find_opportunities(const causal::CausalGraph& job, std::size_t most_solved);
inline Opportunities find_opportunities(const causal::CausalGraph& job) {
  return find_opportunities(job, most_opportunities_solved(job.graph.edge_count()));
}

// Opportunities of a job as Sheets: what each would save, which save the same, in which order to work, and what typical
// ranks would save.

/// Per opportunity, in the order of Opportunities::all: scope, select, kind, name (of work), what and group (of
/// transfers), total_us, on_path_us, derivative, gain_if_free_us, gain_10pct_us; null of a opportunity that was not
/// solved.
report::Sheet opportunities_sheet(const causal::CausalGraph& job, const Opportunities& opportunities);

/// Per rank asked about: rank, gain_if_typical_us.
report::Sheet rank_gains_sheet(const causal::CausalGraph& job, const Opportunities& opportunities);

/// Per pair of the best: a, b (selections), gain_both_us, overlap_us.
report::Sheet opportunity_pairs_sheet(const Opportunities& opportunities);

/// In the order to work in: select, gain_us (beyond those before), total_gain_us (with them).
report::Sheet opportunity_order_sheet(const Opportunities& opportunities);

/// Groups that hide one another: select, what, groups, members, total_us, on_path_us, gain_if_free_us, gain_10pct_us,
/// and the sums of the gains that they have one by one: alone_if_free_us, alone_10pct_us.
report::Sheet opportunity_unions_sheet(const causal::CausalGraph& job, const Opportunities& opportunities);

}  // namespace orrery::analyze
