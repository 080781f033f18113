// The levers of a job: which pieces each has, how much time they take, and how an edit selects them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/column.h"
#include "graph/edits.h"
#include "graph/longest_path.h"
#include "link/job_graph.h"

namespace orrery::analyze {

enum class LeverScope : std::uint8_t {
  op,     ///< a class of work, on all ranks
  group,  ///< transfers of one kind of operation in one group
  gap,    ///< a sort of delay
};
const char* identifier(LeverScope scope);

struct Lever {
  LeverScope scope{};
  link::EdgeKind kind{};  ///< of a gap the first of its sort
  StringId name = 0;      ///< of work; 0: it belongs to no event
  StringId what = 0;      ///< of transfers: all_reduce, p2p
  StringId group = 0;
  std::string select = {};  ///< an edit's selection: kernel:"gemm"
  TimePs total = 0;
  TimePs on_path = 0;
  TimePs gain_if_free = 0;
  TimePs gain_10pct = 0;

  /// The part of a small saving that reaches the job.
  [[nodiscard]] double derivative() const { return total == 0 ? 0 : static_cast<double>(on_path) / static_cast<double>(total); }
};

/// Finds all levers, their times and selections; gains are left 0. 8 bytes per edge. The job must outlive it.
class LeverTable {
 public:
  LeverTable(const link::JobGraph& job, const graph::Path& path);

  [[nodiscard]] std::vector<Lever>& levers() { return levers_; }
  [[nodiscard]] const std::vector<Lever>& levers() const { return levers_; }
  /// In the order of the graph.
  [[nodiscard]] std::span<const graph::Slot> pieces(std::uint32_t lever) const {
    return std::span<const graph::Slot>(pieces_).subspan(first_[lever], first_[lever + 1] - first_[lever]);
  }
  /// Scales all pieces of the lever.
  void scale(std::uint32_t lever, double factor, graph::Edits& edits) const;

 private:
  class Numbering;
  void find_pieces(const Column<std::uint32_t>& lever_of);

  const link::JobGraph& job_;
  std::vector<Lever> levers_;
  Column<graph::Slot> pieces_;      // by lever
  std::vector<std::size_t> first_;  // by lever, then the count
};

}  // namespace orrery::analyze
