// Edits of a whole job: which pieces of which ranks they select, found once, and applied as often as a sweep asks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/roofline/owner_prices.h"
#include "analyze/whatif/edit_language.h"
#include "analyze/whatif/job_pauses.h"
#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/edits.h"

namespace orrery::analyze {

/// What one edit selects.
struct EditSelection {
  std::vector<graph::Slot>
      slots;  ///< of a change: its pieces; of a delay: the piece of a main thread that each standstill is added to
  std::vector<TimePs> savings;       ///< of a profiler that is removed: by how much each of `slots` becomes shorter
  std::vector<std::uint32_t> ranks;  ///< of a failure: places of those who fail
  std::uint32_t restart_step = causal::kNoStep;  ///< of a failure that takes the job back: place in CausalGraph::steps
  std::uint64_t links = 0;             ///< of an edit of the network: how many it changes; see GraphEdits::set_links
  std::uint64_t unpriced = 0;          ///< of a change to what the device allows: pieces that nobody knows a price of
  std::vector<std::string> not_there;  ///< "rank 77", "step 9": named, but not in this job

  /// Pieces, standstills, ranks or links.
  [[nodiscard]] std::uint64_t count() const { return slots.size() + ranks.size() + links; }
};

/// The pieces of a job that a change selects, in the order of the graph. `prices`: see GraphEdits.
EditSelection select(const causal::CausalGraph& job, const EditRule& rule, std::span<const OwnerPrice> prices = {});
/// One piece per selected rank and step: what the main thread does when the step begins. It takes so much longer.
EditSelection select(const causal::CausalGraph& job, const DelayEvent& delay);
/// A failure after the job's end selects nobody.
EditSelection select(const causal::CausalGraph& job, const FailureEvent& failure);

/// Several edits of one job. They apply in order, each to the result of those before it; standing still comes on top of
/// all changes, since nothing makes it faster. The job must outlive it.
class GraphEdits {
 public:
  /// `edits` are none of EditError; edits of the network select nothing until somebody says which links there are.
  /// `prices`: per owner of the job, for edits that speak of operators (EditRule::asks_operators).
  GraphEdits(const causal::CausalGraph& job, std::vector<ParsedEdit> edits, std::vector<OwnerPrice> prices = {});

  /// `links`: per edit of the network, in order, how many links it selects.
  void set_links(std::span<const std::uint64_t> links);

  [[nodiscard]] const causal::CausalGraph& job() const { return job_; }
  [[nodiscard]] const std::vector<ParsedEdit>& edits() const { return edits_; }
  [[nodiscard]] const std::vector<EditSelection>& selections() const { return selections_; }

  /// What sweeps ask: `factor` replaces that of every change that scales, and multiplies how long ranks stand still.
  [[nodiscard]] graph::Edits weights(std::optional<double> factor = std::nullopt) const;
  [[nodiscard]] std::vector<Pause> pauses(std::optional<double> factor = std::nullopt) const;
  /// The failure that takes the whole job back to a step, if there is one: the last.
  struct Restart {
    TimePs at = 0;
    TimePs lasts = 0;
    std::uint32_t step = 0;  ///< place in CausalGraph::steps
  };
  [[nodiscard]] std::optional<Restart> restart(std::optional<double> factor = std::nullopt) const;

 private:
  [[nodiscard]] TimePs allowed(const EditRule& rule, graph::Slot slot, TimePs weight) const;

  const causal::CausalGraph& job_;
  std::vector<ParsedEdit> edits_;
  std::vector<OwnerPrice> prices_;
  std::vector<EditSelection> selections_;
};

}  // namespace orrery::analyze
