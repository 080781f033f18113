// A workload of computations and messages laid out for simulation: all ranks' operations in one table, and who waits
// for whom.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "base/units.h"
#include "workload/message_matcher.h"
#include "workload/workload.h"

namespace orrery::simulate::loggops {

using OpIndex =
    std::uint64_t;  ///< rank by rank, in the order of the programs: as activities of a Workload are numbered
inline constexpr std::uint32_t kAnyPeer = ~std::uint32_t{0};

/// All that the engine changes or asks while it runs, in 64 bytes: with millions of operations each is out of the
/// caches when it is needed, so that what counts is how many lines are touched.
struct Operation {
  /// In the order in which LogGOPSim starts operations that become free together.
  enum class Kind : std::uint8_t { send, recv, compute };
  static constexpr std::uint8_t kListed = 0xff;  ///< as `dependent_starts`: dependents are in the table of lists
  static constexpr TimePs kNotEnded = -1;

  std::int64_t size = 0;          ///< bytes of a message, picoseconds of a computation
  TimePs start_ps = 0;            ///< until it starts: when the last operation it waits for lets it
  TimePs end_ps = kNotEnded;      ///<
  TimePs received_ps = 0;         ///< of a send: when its message was taken in, once it was
  std::uint32_t rank = 0;         ///<
  std::uint32_t peer = 0;         ///< destination of a send, source of a recv
  std::uint32_t channel = 0;      ///< of a message: see loggops/channels.h
  std::uint32_t waits_for = 0;    ///< how many others must end, or start, before this
  std::uint32_t dependents[2]{};  ///< see Operations::dependents_of
  Kind kind = Kind::compute;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
  std::uint8_t dependent_starts = 0,
               dependent_ends = 0;  ///< how many of `dependents` wait for its start, then for its end
};
static_assert(sizeof(Operation) == 64);

/// How long an activity other than a message takes.
using DurationOf = std::function<TimePs(const workload::Program&, std::size_t activity)>;
/// "rank 3, node 17 (recv)": how messages name an operation.
using DescribeOp = std::function<std::string(OpIndex)>;

class Layout;

class Operations {
 public:
  /// An Error names an activity that cannot be simulated: a collective, a message without a peer or to a rank that is
  /// not there, a size or duration below 0 or beyond 26 days.
  static Result<Operations> lay_out(const workload::Workload& workload, const DurationOf& duration_of,
                                    const DescribeOp& describe);

  [[nodiscard]] std::size_t size() const { return table_.size(); }
  [[nodiscard]] std::size_t rank_count() const { return first_of_rank_.size() - 1; }
  Operation& operator[](OpIndex op) { return table_[op]; }
  const Operation& operator[](OpIndex op) const { return table_[op]; }
  [[nodiscard]] OpIndex first(std::uint32_t rank) const { return first_of_rank_[rank]; }
  [[nodiscard]] std::int64_t tag(OpIndex op) const;
  /// The operations of a rank that wait for nothing, counted from its first.
  [[nodiscard]] std::span<const std::uint32_t> starters(std::uint32_t rank) const {
    const auto [begin, end] = starters_of_[workload_->program_of_rank[rank]];
    return {starters_.data() + begin, starters_.data() + end};
  }
  /// How many messages each rank is sent.
  [[nodiscard]] std::span<const std::uint64_t> messages_to() const { return messages_to_; }

  /// Who waits for an operation to start, or to end, in the order in which they were added: how many operations after
  /// it (a difference, which may run through 0).
  struct Dependents {
    std::span<const std::uint32_t> on_start, on_end;
  };
  [[nodiscard]] Dependents dependents_of(const Operation& op) const {
    // Nearly all have at most two, which stand in the operation itself.
    if (op.dependent_starts != Operation::kListed)
      return {{op.dependents, op.dependent_starts}, {op.dependents + op.dependent_starts, op.dependent_ends}};
    const std::uint32_t* const list = lists_.data() + (std::uint64_t{op.dependents[1]} << 32 | op.dependents[0]);
    return {{list + 2, list[0]}, {list + 2 + list[0], list[1]}};
  }

  [[nodiscard]] std::uint32_t cpu_count() const { return largest_cpu_ + 1u; }
  [[nodiscard]] std::uint32_t nic_count() const { return largest_nic_ + 1u; }

 private:
  friend class Layout;

  const workload::Workload* workload_ = nullptr;
  std::vector<OpIndex> first_of_rank_;
  Column<Operation> table_;
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  Column<std::uint32_t> starters_;          // program by program
  std::vector<Range> starters_of_;          // by program
  std::vector<std::uint64_t> messages_to_;  // by rank
  Column<std::uint32_t> lists_;             // each: how many wait for the start, how many for the end, and then these
  std::uint8_t largest_cpu_ = 0, largest_nic_ = 0;
};

// Who can match whom, worked out before anything runs: messages and receives get the number of their queue.

/// As Operation::channel: there is none, since the receiver uses wildcards and its messages are searched for.
inline constexpr std::uint32_t kNoChannel = ~std::uint32_t{0};

/// What `message`, a send or a recv, matches by.
workload::Envelope envelope_of(const Operations& operations, OpIndex message);

/// Gives every message and receive the channel of its (receiver, sender, tag) in `matcher`, so that matching one is
/// looking at the head of a queue. Receiver by receiver: the queues of one lie together, and telling them apart stays
/// within the caches. O(operations).
void number_channels(Operations& operations, workload::MessageMatcher& matcher);

}  // namespace orrery::simulate::loggops
