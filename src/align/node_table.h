// The nodes of a job by number: those with a trace, and those that only measurements know.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

/// Place i < traced() is that of Trace::ranks[i]. Nodes without a trace follow, in order of their numbers: between two
/// others their clocks are as good a link as any, and one of them can be the reference.
///
/// A rank is not a node: ranks of one host have its number, and the clock of the first of them. The number of a node is
/// that of its first rank or, with `ranks_per_node`, the rank divided by that.
class NodeTable {
 public:
  NodeTable(const trace::Trace& trace, const trace::ClockSources& sources,
            std::optional<std::int64_t> ranks_per_node = {});

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::size_t traced() const { return eras_.size(); }
  [[nodiscard]] bool has_trace(std::uint32_t place) const { return place < traced(); }
  [[nodiscard]] std::int64_t number(std::uint32_t place) const { return numbers_[place]; }
  /// Whose clock the node at a place has: the first place of its number.
  [[nodiscard]] std::uint32_t clock_place(std::uint32_t place) const { return clock_places_[place]; }
  /// As place(), but a rank that is not the first of its host stands for it.
  [[nodiscard]] std::optional<std::uint32_t> place_of_node_or_rank(std::int64_t number) const;
  /// Of several traces of one number the first. None if neither a trace nor a measurement is of that node.
  [[nodiscard]] std::optional<std::uint32_t> place(std::int64_t number) const;
  /// By how much the node's readings were moved (RankTrace::era_ns).
  [[nodiscard]] std::int64_t era_ns(std::uint32_t place) const { return has_trace(place) ? eras_[place] : 0; }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> eras_;
  std::vector<std::int64_t> ranks_;                             // of the traces
  std::vector<std::uint32_t> clock_places_;                     // by place
  std::vector<std::pair<std::int64_t, std::uint32_t>> places_;  // by number, then place
};

}  // namespace orrery::align
