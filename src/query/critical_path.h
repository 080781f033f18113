// The critical path as the tables `edges`, `path` and `contributors` and the columns events.critical and
// events.slack_ps show it: of one rank or of several, by the same names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/path/causal_path.h"
#include "base/column.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "query/recording.h"

namespace orrery::query {

inline constexpr std::uint64_t kNoEventId = ~std::uint64_t{0};

class CriticalPath {
 public:
  /// Makes the graph of the window and solves it. An Error: there is no such window, or nothing joins the ranks.
  static Result<CriticalPath> make(const Recording& recording, const EventNumbers& numbers);

  [[nodiscard]] const graph::Graph& graph() const { return job_.graph; }
  [[nodiscard]] const causal::CausalGraph& job() const { return job_; }
  [[nodiscard]] const analyze::PathSums& sums() const { return sums_; }
  [[nodiscard]] const Interner& strings() const { return job_.strings; }

  // Of an edge.

  [[nodiscard]] causal::EdgeKind kind(graph::Slot slot) const {
    return static_cast<causal::EdgeKind>(graph().type(slot));
  }
  [[nodiscard]] bool is_on_path(graph::Slot slot) const { return on_path_[slot] != 0; }
  /// kUnlimited: however long it took, the end would not wait for it.
  [[nodiscard]] TimePs slack(graph::Slot slot) const { return slack_[slot]; }
  /// What its time belongs to; kNoEventId.
  [[nodiscard]] std::uint64_t event(graph::Slot slot) const;
  [[nodiscard]] std::string_view name(graph::Slot slot) const;
  /// Where it begins as measured, in the trace's time.
  [[nodiscard]] TimePs start(graph::Slot slot) const;
  /// Whose it is: a place in Trace::ranks; none: nobody's.
  [[nodiscard]] std::optional<std::uint32_t> rank(graph::Slot slot) const;
  [[nodiscard]] std::optional<std::uint32_t> lane(graph::Slot slot) const;

  // Of an event, by its number: by the edges whose time is its.

  [[nodiscard]] bool is_critical(std::uint64_t event) const { return critical_[event] != 0; }
  /// The least of its edges; kUnlimited: it has none, or none that the end waits for.
  [[nodiscard]] TimePs event_slack(std::uint64_t event) const { return event_slack_[event]; }

 private:
  CriticalPath(causal::CausalGraph job, analyze::PathSums sums);
  void find_events(const Recording& recording, const EventNumbers& numbers);
  void sum_events(std::uint64_t events);

  causal::CausalGraph job_;
  analyze::PathSums sums_;
  Column<TimePs> slack_;                  // by slot
  Column<std::uint8_t> on_path_;          // by slot
  Column<std::uint64_t> event_of_owner_;  // by owner
  Column<TimePs> event_slack_;            // by event
  Column<std::uint8_t> critical_;         // by event
};

}  // namespace orrery::query
