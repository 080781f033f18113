// The levers of a job: which pieces each has, how much time they take, and how an edit selects them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

enum class LeverScope : std::uint8_t {
  op,     ///< a class of work, on all ranks
  group,  ///< transfers of one kind of operation in one group
  gap,    ///< a sort of delay
};
const char* identifier(LeverScope scope);

struct Lever {
  LeverScope scope{};
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

/// Finds all levers, their times and selections; gains are left 0. 4 bytes per edge.
class LeverTable {
 public:
  LeverTable(const causal::CausalGraph& job, const graph::Path& path);

  [[nodiscard]] std::vector<Lever>& levers() { return levers_; }
  [[nodiscard]] const std::vector<Lever>& levers() const { return levers_; }
  /// By slot: the lever that the edge is a piece of; graph::kNoClass for none.
  [[nodiscard]] std::span<const std::uint32_t> lever_of() const { return lever_of_; }

 private:
  class Numbering;

  std::vector<Lever> levers_;
  Column<std::uint32_t> lever_of_;
};

}  // namespace orrery::analyze
