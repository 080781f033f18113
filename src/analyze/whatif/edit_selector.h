// Which edges a change selects by the event they belong to: its kind, name, stream, device, and the annotation it was
// launched in.
#pragma once

#include <vector>

#include "analyze/whatif/edit_language.h"
#include "causal/causal_graph.h"

namespace orrery::analyze {

/// Per text: whether the pattern matches it.
Column<std::uint8_t> matching(const Interner& strings, const NamePattern& pattern);

/// Adds to the ranges of each rank what other threads were given to do inside them: the backward pass on the autograd
/// thread.
void add_handed_over(const causal::CausalGraph& job, std::vector<std::vector<causal::AnnotatedRange>>& ranges_of_ranks);

/// Decides edge by edge; names are matched once per text, annotations once per lane.
class EditSelector {
 public:
  EditSelector(const causal::CausalGraph& job, const EditRule& rule);

  /// `rank`: whose edge it is.
  [[nodiscard]] bool selects(graph::Slot slot, std::uint32_t rank) const;

 private:
  const causal::CausalGraph& job_;
  const EditRule& rule_;
  Column<std::uint8_t> name_matches_;                        // empty: every name
  std::vector<std::vector<causal::AnnotatedRange>> ranges_;  // by rank
};

}  // namespace orrery::analyze
