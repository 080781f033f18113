// Which edges a change selects by the event they belong to: its kind, name, stream, device, and the annotation it was
// launched in.
#pragma once

#include <span>
#include <vector>

#include "analyze/roofline/owner_prices.h"
#include "analyze/whatif/edit_language.h"
#include "causal/causal_graph.h"
#include "graph/graph.h"

namespace orrery::analyze {

// Where the main threads of a job stand when its steps begin.

/// By rank and step of the job: the piece of the rank's main thread that begins or runs when the step begins. If the
/// thread begins the step with a communication, the work that ends just then: being late is arriving late. If with a
/// call of the runtime, what follows it: the call hands its work over in time. kNoSlot if nothing is recorded there.
/// One pass over all moments.
std::vector<std::vector<graph::Slot>> pieces_at_step_begins(const causal::CausalGraph& job);

/// Per text: whether the pattern matches it.
Column<std::uint8_t> matching(const Interner& strings, const NamePattern& pattern);

/// Adds to the ranges of each rank what other threads were given to do inside them: the backward pass on the autograd
/// thread.
void add_handed_over(const causal::CausalGraph& job, std::vector<std::vector<causal::AnnotatedRange>>& ranges_of_ranks);

/// Decides edge by edge; names are matched once per text, annotations once per lane.
class EditSelector {
 public:
  /// `prices`: per owner, for rules that ask for a kind of operators; empty: they select nothing. All must outlive it.
  EditSelector(const causal::CausalGraph& job, const EditRule& rule, std::span<const OwnerPrice> prices);

  /// `rank`: whose edge it is.
  [[nodiscard]] bool selects(graph::Slot slot, std::uint32_t rank) const;

 private:
  const causal::CausalGraph& job_;
  const EditRule& rule_;
  std::span<const OwnerPrice> prices_;
  Column<std::uint8_t> name_matches_;                        // empty: every name
  std::vector<std::vector<causal::AnnotatedRange>> ranges_;  // by rank
};

}  // namespace orrery::analyze
