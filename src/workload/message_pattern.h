// Who sends what to whom: the point-to-point patterns that collectives are made of, for one rank at a time. Generators
// write them out as workloads; a simulator that knows only messages replaces collectives by them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace orrery::workload {

/// The messages of one rank in order, each after some of those before it. Ranks are 0 to `ranks` - 1 of the group.
class MessagePattern {
 public:
  using StepId = std::uint32_t;
  static constexpr StepId kNothing = ~StepId{0};

  struct Step {
    bool is_send = false;
    std::uint32_t peer = 0;
    std::int64_t bytes = 0;
    std::uint32_t first_after = 0, after_count = 0;
  };

  StepId send(std::uint32_t peer, std::int64_t bytes, std::initializer_list<StepId> after = {}) {
    return add(true, peer, bytes, after);
  }
  StepId recv(std::uint32_t peer, std::int64_t bytes, std::initializer_list<StepId> after = {}) {
    return add(false, peer, bytes, after);
  }
  /// The step added last also waits for `step`, unless that is kNothing.
  void wait_for(StepId step);
  /// Puts what was added from `first` on behind what was added before: a send that waits for nothing now waits for all
  /// of that. (Receives may be posted early.)
  void sequence(StepId first);

  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// The steps that `step` waits for.
  [[nodiscard]] std::span<const StepId> after(const Step& step) const {
    return {after_.data() + step.first_after, step.after_count};
  }
  void clear();

 private:
  StepId add(bool is_send, std::uint32_t peer, std::int64_t bytes, std::initializer_list<StepId> after);

  std::vector<Step> steps_;
  std::vector<StepId> after_;
};

// Each appends what `rank` of `ranks` does; two patterns one after the other start independently.

/// Rank r passes to r + 1, 2, 4, ... until all have it: log2 rounds. `root` changes places with rank 0.
void append_binomial_broadcast(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                               std::int64_t bytes);
/// The way back: a rank sends on when it has received from all below it.
void append_binomial_reduce(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                            std::int64_t bytes);
/// From rank 0 to 1 and 2, from 1 to 3 and 4, ...
void append_binary_broadcast(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes);
/// Rounds with the rank 1, 2, 4, ... further: a barrier for 1 byte.
void append_dissemination(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes);
/// `steps` times to the next rank and from the one before, each send after the receive before it.
void append_ring(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t steps,
                 std::int64_t chunk_bytes);
/// All bytes with the rank whose number differs in bit 0, 1, ...; for powers of two.
void append_recursive_doubling(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes);
/// Halves with ever farther ranks, then back: reduce-scatter and all-gather; for powers of two. Halves are rounded
/// down.
void append_recursive_halving(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes);
/// To every other rank, the next one first.
void append_linear_all_to_all(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks,
                              std::int64_t bytes_each);
void append_linear_gather(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                          std::int64_t bytes_each);
void append_linear_scatter(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                           std::int64_t bytes_each);
/// From rank 0 along the row to the last, segment by segment.
void append_pipelined_chain(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes,
                            std::int64_t segment_bytes);
/// Once around and once back around, from rank 0 to rank 0.
void append_double_ring(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes);

}  // namespace orrery::workload
