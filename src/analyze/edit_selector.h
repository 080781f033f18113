// Which edges a change selects by the event they belong to: its kind, name, stream, device, and the annotation it was launched in.
#pragma once

#include <span>
#include <vector>

#include "analyze/edit_language.h"
#include "link/job_graph.h"
#include "link/step_graph.h"

namespace orrery::analyze {

/// What edits see of a graph, be it of one rank or of a job. Must not outlive what it was made of.
struct EditedGraph {
  explicit EditedGraph(const link::StepGraph& step);
  explicit EditedGraph(const link::JobGraph& job);

  struct Rank {
    std::span<const link::AnnotatedRange> annotations;
    graph::NodeId begin = 0;  ///< of its window
  };
  const graph::Graph& graph;
  const Column<link::Owner>& owners;
  const Column<TimePs>& time;
  const Column<std::uint32_t>& node_lane;
  const Column<std::uint32_t>* node_rank;  ///< null: one rank
  const Interner& strings;
  std::vector<Rank> ranks;

  [[nodiscard]] link::EdgeKind kind(graph::Slot slot) const { return static_cast<link::EdgeKind>(graph.type(slot)); }
  /// kNoRank: of none.
  [[nodiscard]] std::uint32_t rank_of(graph::NodeId node) const { return node_rank == nullptr ? 0 : (*node_rank)[node]; }
};

/// Per text: whether the pattern matches it.
Column<std::uint8_t> matching(const Interner& strings, const NamePattern& pattern);

/// Adds to the ranges of each rank what other threads were given to do inside them: the backward pass on the autograd thread.
void add_handed_over(const EditedGraph& graph, std::vector<std::vector<link::AnnotatedRange>>& ranges_of_ranks);

/// Decides edge by edge; names are matched once per text, annotations once per lane.
class EditSelector {
 public:
  EditSelector(const EditedGraph& graph, const EditRule& rule);

  /// `rank`: whose edge it is.
  [[nodiscard]] bool selects(graph::Slot slot, std::uint32_t rank) const;

 private:
  const EditedGraph& graph_;
  const EditRule& rule_;
  Column<std::uint8_t> name_matches_;                      // empty: every name
  std::vector<std::vector<link::AnnotatedRange>> ranges_;  // by rank
};

}  // namespace orrery::analyze
