// Who made whom wait, over the whole job: every wait of job_waits.h added up by whom it is blamed on, and what was to
// be gained.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/blame/job_waits.h"
#include "analyze/blame/stragglers.h"
#include "base/diagnostics.h"
#include "causal/causal_graph.h"

namespace orrery::analyze {

// How much longer the job takes than one of typical ranks, and which rank's fault that is; see ideal_job.h.

/// What one rank's being as it is costs.
struct RankSlowdown {
  double slowdown = 1;         ///< the job with all ranks ideal but this one, over the ideal job
  TimePs gain_if_typical = 0;  ///< what the job would save if only this rank were typical
};

struct Slowdown {
  TimePs measured = 0;
  TimePs ideal = 0;                ///< all ranks typical
  TimePs ideal_communication = 0;  ///< ranks as measured, every transfer at the median of its like
  TimePs ideal_both = 0;
  TimePs remaining_wait = 0;                       ///< of all ranks, in the ideal job: bubbles, not stragglers
  std::vector<std::optional<RankSlowdown>> ranks;  ///< by place; none of ranks that were not asked about

  [[nodiscard]] double factor() const { return over(ideal); }
  [[nodiscard]] double communication() const { return over(ideal_communication); }
  [[nodiscard]] double both() const { return over(ideal_both); }

 private:
  [[nodiscard]] double over(TimePs length) const {
    return length == 0 ? 1 : static_cast<double>(measured) / static_cast<double>(length);
  }
};

/// Two solves for each of `places` in CausalGraph::ranks, eight at once, and five more. `measured`: the job's length.
Slowdown measure_slowdown(const causal::CausalGraph& job, TimePs measured, std::span<const std::uint32_t> places);

/// A wait's culprit where the clocks leave open whether it waited at all.
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// Ranks are places in CausalGraph::ranks throughout.
struct BlamePair {
  std::uint32_t waiter = 0;
  std::uint32_t culprit = 0;  ///< or kNobody
  TimePs direct = 0;          ///< the culprit came late
  TimePs root = 0;            ///< the culprit's work made whoever came late be late
};

struct BlamedOperation {
  StringId what = 0, group = 0, name = 0;
  WaitState state{};
  std::uint64_t count = 0;  ///< waits
  TimePs wait = 0;
};

/// The longest of some waits, and whom it was for.
struct LongestWait {
  TimePs time = 0;
  std::uint32_t part = causal::kNoPart;  ///< the culprit's, into CausalGraph::parts; kNoPart: none

  /// Keeps the longer one, of equals that of the lower part: the same whatever the order.
  void take(TimePs other_time, std::uint32_t other_part) {
    if (other_time > time || (other_time == time && other_part < part)) *this = {other_time, other_part};
  }
};

struct RankBlame {
  TimePs span = 0;           ///< from the job's begin to the rank's end
  TimePs alone = 0;          ///< had it never waited
  TimePs caused_direct = 0;  ///< waits of others
  TimePs caused_root = 0;
  Straggler straggler;
  [[nodiscard]] TimePs wait() const { return span - alone; }
};

/// Sums agree to the picosecond: direct and root over all pairs, the ranks' waiting, the operations', the steps' and
/// `waits` are each `exposed`; all causes together are `exposed - unresolved`.
struct Blame {
  TimePs raw = 0;         ///< from arrivals to ready moments, hidden by other work or not
  TimePs exposed = 0;     ///< what waiting cost all ranks
  TimePs unresolved = 0;  ///< of that, what is not longer than the clocks' uncertainty
  std::vector<RankBlame> ranks;
  std::vector<BlamePair> pairs;             ///< by waiter and culprit, nobody last
  std::vector<Cause> causes;                ///< most blame first; ties by rank, kind and name
  std::vector<BlamedOperation> operations;  ///< most waiting first; ties by what they are
  std::vector<TimePs> step_wait;            ///< by step; a job without steps is one
  BlameBySteps steps{0, 0};                 ///< root blame by step and rank
  BlameBySteps waits{0, 0};                 ///< waiting by step and rank: what is not resolved included
  /// By step and rank, step * ranks + rank: the longest wait of the rank; and the longest that others had because it
  /// came late.
  std::vector<LongestWait> longest_waits, longest_caused;
  Slowdown slowdown;

  [[nodiscard]] TimePs rank_time() const;  ///< of all ranks together
  /// Of all ranks' time: what --fail-above is held against.
  [[nodiscard]] double share_pct() const;
};

/// Linear in the job, but for histories, which go back to the last moment that culprit and waiter had in common.
/// Slowdowns are those of the 64 ranks with most root blame. The same for any number of threads. `with_ideal`: false
/// leaves out what needs the ideal job, which takes most of the time: the slowdown, and who is a straggler.
Blame find_blame(const causal::CausalGraph& job, Diagnostics& diagnostics, bool with_ideal = true);

}  // namespace orrery::analyze
