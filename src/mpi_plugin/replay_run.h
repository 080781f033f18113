// The program of one rank, executed once: what is ready is issued, what was issued is looked after, in one loop.
//
// - Of operations that are ready at once the one with the smallest number goes first; those of one line (a
//   communicator, or messages to or from one rank with one tag) go in the order of the line, as MPI matches them.
// - Computation takes its time beside whatever communication is under way, which MPI gets on with between looks at the
//   clock.
// - Where nothing is computed the rank waits inside MPI.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "mpi_plugin/replay_calls.h"
#include "mpi_plugin/replay_work.h"

namespace orrery::replay {

class Run {
 public:
  /// `arithmetic`: what computation is made of; null: looking at the clock.
  Run(const OrreryReplayProgram& program, Calls& calls, Arithmetic* arithmetic);

  /// `times` as OrreryReplayResult has those of a repetition. False: error() says why.
  bool go(std::int64_t* times);
  [[nodiscard]] const std::string& error() const { return error_; }

  // For the thread that watches.

  /// Grows with every operation that ends, and with every run.
  [[nodiscard]] std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_computing() const { return is_computing_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_under_way(std::uint32_t operation) const {
    return states_[operation].load(std::memory_order_relaxed) == kUnderWay;
  }
  [[nodiscard]] std::uint32_t line_ahead(std::uint32_t line) const {
    return ahead_[line].load(std::memory_order_relaxed);
  }

 private:
  enum State : std::uint8_t { kWaits, kHeld, kUnderWay, kEnded };
  struct Computation {
    std::uint32_t operation;
    std::int64_t left;  // units of arithmetic, or the moment at which it ends
  };
  using Heap = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  void begin();
  bool issue_ready();
  bool issue(std::uint32_t operation);
  bool communicate(std::uint32_t operation);
  bool is_turn_of(const OrreryReplayOperation& operation) const;
  void advance_line(const OrreryReplayOperation& operation);
  void start_computing(std::uint32_t operation);
  void compute_a_little();
  bool look_after_requests(bool may_wait);
  void mark_started(std::uint32_t operation);
  void end(std::uint32_t operation, std::int64_t now);
  void release(std::uint32_t successor);
  bool fail(std::uint32_t operation, int code);

  const OrreryReplayProgram& program_;
  Calls& calls_;
  Arithmetic* arithmetic_;
  std::int64_t* times_ = nullptr;
  std::vector<std::uint32_t> missing_;  // dependencies, by operation
  Heap ready_;
  Heap without_slot_[kReplaySlotKinds];
  std::uint32_t free_slots_[kReplaySlotKinds] = {};
  std::vector<Computation> computations_;
  std::vector<MPI_Request> requests_;
  std::vector<std::uint32_t> owners_;  // of requests_
  std::vector<Issued> issued_;         // likewise
  std::vector<int> completed_;
  std::uint32_t ended_ = 0;
  std::string error_;

  std::atomic<std::uint64_t> progress_{0};
  std::atomic<bool> is_computing_{false};
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> ahead_;
};

}  // namespace orrery::replay
