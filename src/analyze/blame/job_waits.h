// Who waited for whom, and why: every moment at which others cost a rank time.
//
// Waiting is what a rank would have saved, had it never waited: the job is solved a second time with every rank alone,
// and the difference at a rank's end is its waiting. Along what bound the rank when alone, that difference only grows,
// and each rise is one wait: there the rank's own work was held up. What other work hides makes no rise, costs nothing
// and is nobody's fault. So the waits of a rank add up to its waiting, to the picosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "analyze/blame/root_cause.h"
#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/edits.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

/// Who was late, in terms of the operation.
enum class WaitState : std::uint8_t {
  late_arrival,   ///< one of those who all wait for one another
  late_root,      ///< that the others need
  late_member,    ///< that the root needs
  late_sender,    ///< of a message or permutation
  late_receiver,  ///< of a message whose send is held until it is there
};
inline constexpr std::size_t kWaitStates = 5;
const char* identifier(WaitState state);  ///< "late_arrival"

/// One wait. Ranks are places in CausalGraph::ranks, parts in CausalGraph::parts.
struct Wait {
  std::uint32_t waiter = 0;
  std::uint32_t culprit = 0;       ///< whose arrival was waited for
  std::uint32_t part = 0;          ///< the waiter's, of the operation that it waited in
  std::uint32_t culprit_part = 0;  ///< the culprit's, of the same operation
  TimePs time = 0;                 ///< how long it was held
  TimePs band = 0;                 ///< what the clocks of both leave open

  /// Otherwise it cannot be told from an error of the clocks, and nobody is blamed.
  [[nodiscard]] bool is_resolved() const { return time > band; }
};

WaitState state_of(const causal::CausalGraph& job, const Wait& wait);

/// Makes no rank wait for another.
void leave_alone(const causal::CausalGraph& job, graph::Edits& edits);

/// Solves the job twice. The job must outlive it. 20 bytes per node.
class JobWaits {
 public:
  explicit JobWaits(const causal::CausalGraph& job);

  [[nodiscard]] const graph::Solution& together() const { return together_; }
  [[nodiscard]] const graph::Solution& alone() const { return alone_; }
  /// What the moment is later than it would be if the rank never waited.
  [[nodiscard]] TimePs late(graph::NodeId node) const { return together_.finish(node) - alone_.finish(node); }
  [[nodiscard]] TimePs waiting_of(std::uint32_t place) const { return late(job_.ranks[place].end); }
  /// From arrivals to ready moments, hidden by other work or not; of all ranks.
  [[nodiscard]] TimePs raw() const;

  /// The waits of the ranks from `first` up to `end`, those of each latest first, each with its causes, which add up to
  /// it; none of what is not resolved. Ranks together go through memory once, instead of once each. May be called from
  /// several threads.
  using Visit = std::function<void(const Wait&, std::span<const Cause>)>;
  void visit(std::uint32_t first, std::uint32_t end, const Visit& visit) const;

 private:
  struct Held;
  struct Walk;
  void step_back(Walk& walk, RootCauses& root_causes, const Visit& visit) const;
  void report(std::uint32_t place, const Held& held, RootCauses& root_causes, const Visit& visit) const;
  [[nodiscard]] Wait find_culprit(std::uint32_t place, const Held& held) const;
  [[nodiscard]] std::uint32_t part_with(std::uint32_t operation, graph::NodeId arrival) const;

  const causal::CausalGraph& job_;
  graph::Solution together_;
  graph::Solution alone_;
  Column<graph::Slot> binding_;  // per node, of `together_`
};

}  // namespace orrery::analyze
