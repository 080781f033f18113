// The nodes of a job by number: those with a trace, and those that only measurements know.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

/// Place i < traced() is that of Trace::ranks[i]. Nodes without a trace follow, in order of their numbers: between two others their clocks are
/// as good a link as any, and one of them can be the reference.
class NodeTable {
 public:
  NodeTable(const trace::Trace& trace, const trace::ClockSources& sources);

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::size_t traced() const { return eras_.size(); }
  [[nodiscard]] bool has_trace(std::uint32_t place) const { return place < traced(); }
  [[nodiscard]] std::int64_t number(std::uint32_t place) const { return numbers_[place]; }
  /// Of several traces of one number the first. None if neither a trace nor a measurement is of that node.
  [[nodiscard]] std::optional<std::uint32_t> place(std::int64_t number) const;
  /// By how much the node's readings were moved (RankTrace::era_ns).
  [[nodiscard]] std::int64_t era_ns(std::uint32_t place) const { return has_trace(place) ? eras_[place] : 0; }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> eras_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> places_;  // by number, then place
};

}  // namespace orrery::align
