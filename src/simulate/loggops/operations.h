// A workload of computations and messages laid out for simulation: all ranks' operations in one table, and who waits for whom.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "base/units.h"
#include "workload/workload.h"

namespace orrery::simulate::loggops {

using OpIndex = std::uint64_t;  ///< rank by rank, in the order of the programs: as activities of a Workload are numbered
inline constexpr std::uint32_t kAnyPeer = ~std::uint32_t{0};

struct Operation {
  /// In the order in which LogGOPSim starts operations that become free together.
  enum class Kind : std::uint8_t { send, recv, compute };

  std::int64_t size = 0;  ///< bytes of a message, picoseconds of a computation
  std::uint32_t rank = 0;
  std::uint32_t peer = 0;       ///< destination of a send, source of a recv
  std::uint32_t channel = 0;    ///< of a message: see Engine::number_channels
  std::uint32_t waits_for = 0;  ///< how many others must end, or start, before this
  Kind kind = Kind::compute;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
};

/// How long an activity other than a message takes.
using DurationOf = std::function<TimePs(const workload::Program&, std::size_t activity)>;
/// "rank 3, node 17 (recv)": how messages name an operation.
using DescribeOp = std::function<std::string(OpIndex)>;

class Operations {
 public:
  /// An Error names an activity that cannot be simulated: a collective, a message without a peer or to a rank that is not there, a size or
  /// duration below 0 or beyond 26 days.
  static Result<Operations> lay_out(const workload::Workload& workload, const DurationOf& duration_of, const DescribeOp& describe);

  [[nodiscard]] std::size_t size() const { return table_.size(); }
  [[nodiscard]] std::size_t rank_count() const { return first_of_rank_.size() - 1; }
  Operation& operator[](OpIndex op) { return table_[op]; }
  const Operation& operator[](OpIndex op) const { return table_[op]; }
  [[nodiscard]] OpIndex first(std::uint32_t rank) const { return first_of_rank_[rank]; }
  [[nodiscard]] std::int64_t tag(OpIndex op) const;

  /// Positions within the rank of the operations that wait for `op` to start, or to end, in the order in which they were added.
  [[nodiscard]] std::span<const std::uint32_t> waiting_for_start(OpIndex op) const { return row(op, 0); }
  [[nodiscard]] std::span<const std::uint32_t> waiting_for_end(OpIndex op) const { return row(op, 1); }

  [[nodiscard]] std::uint32_t cpu_count() const { return largest_cpu_ + 1u; }
  [[nodiscard]] std::uint32_t nic_count() const { return largest_nic_ + 1u; }

 private:
  Status add_rank(const workload::Workload& workload, std::uint32_t rank, const DurationOf& duration_of, const DescribeOp& describe);
  void add_dependents(const workload::Program& program);
  [[nodiscard]] std::span<const std::uint32_t> row(OpIndex op, std::size_t which) const {
    const std::uint32_t rank = table_[op].rank;
    const std::uint64_t at = first_row_[workload_->program_of_rank[rank]] + 2 * (op - first_of_rank_[rank]) + which;
    return {targets_.data() + rows_[at], targets_.data() + rows_[at + 1]};
  }

  const workload::Workload* workload_ = nullptr;
  std::vector<OpIndex> first_of_rank_;
  Column<Operation> table_;
  std::vector<std::uint64_t> first_row_;  // by program: two rows per activity, then one end
  Column<std::uint64_t> rows_;
  Column<std::uint32_t> targets_;
  std::uint8_t largest_cpu_ = 0, largest_nic_ = 0;
};

}  // namespace orrery::simulate::loggops
