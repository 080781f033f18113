// ASTRA-sim's workload layer: which node of a rank's program starts when. One node at a time computes on the device,
// one on the host, one communicates; receives need no slot.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/column.h"
#include "simulate/astra/custom_collectives.h"
#include "workload/workload.h"

namespace orrery::simulate::astra {

class Issuer {
 public:
  Issuer(const workload::Workload& workload, const machine::AstraSystem& system, std::uint32_t simulated, Queue& queue,
         TickLists& ticks, Transport& transport, Collectives& collectives, CustomCollectives& custom,
         Dispatcher& dispatcher, bool whole_microseconds);

  /// Resolves group names; an Error names the first node whose group does not exist or does not have its rank.
  Status prepare();

  /// Starts what can start on `rank` now.
  void issue_ready(std::uint32_t rank);
  void node_done(std::uint32_t rank, std::uint32_t node);
  void memory_released(std::uint32_t memory);

  /// Nothing will happen any more. Starts what the passes so far have left behind; false if there was nothing.
  bool issue_left_behind();
  [[nodiscard]] bool finished(std::uint32_t rank) const { return ranks_[rank].finish_ns >= 0; }
  [[nodiscard]] std::int64_t finish_ns(std::uint32_t rank) const { return ranks_[rank].finish_ns; }
  /// How long the device computed.
  [[nodiscard]] std::int64_t device_ns(std::uint32_t rank) const { return ranks_[rank].device_ns; }
  [[nodiscard]] std::int64_t start_ns(std::uint32_t rank, std::size_t node) const {
    return start_ns_[first_[rank] + node];
  }
  [[nodiscard]] std::int64_t end_ns(std::uint32_t rank, std::size_t node) const { return end_ns_[first_[rank] + node]; }
  /// Who waits for what, after a deadlock.
  [[nodiscard]] Error explain_deadlock() const;

 private:
  enum Slot : std::uint8_t { host, device, communication, none };
  static constexpr std::size_t kSlots = 4;
  struct Rank {
    std::array<std::vector<std::uint32_t>, kSlots> ready;  // heaps, smallest node first
    std::vector<std::uint32_t> passed_over;                // became ready during a pass
    std::array<bool, kSlots> busy{};
    std::uint32_t nodes_left = 0;
    std::int64_t finish_ns = -1;
    std::int64_t device_ns = 0;
  };
  struct Transaction {
    std::uint32_t rank, node;
    std::int64_t bytes;
  };
  struct SharedMemory {
    bool busy = false;
    std::vector<Transaction> waiting;  // served from the front
    std::size_t next = 0;
  };

  [[nodiscard]] static Slot slot_of(const workload::Program& program, std::size_t node);
  void make_ready(std::uint32_t rank, std::uint32_t node);
  bool take_ready(std::uint32_t rank, std::uint32_t& node);
  void begin(std::uint32_t rank, std::uint32_t node);
  void begin_compute(std::uint32_t rank, std::uint32_t node);
  void begin_collective(std::uint32_t rank, std::uint32_t node);
  void begin_message(std::uint32_t rank, std::uint32_t node);
  void begin_memory(std::uint32_t rank, std::uint32_t node);
  void serve(std::uint32_t memory, const Transaction& transaction);
  void replay(std::uint32_t rank, std::uint32_t node, bool on_device);
  void skip(std::uint32_t rank, std::uint32_t node);
  void end(std::uint32_t rank, std::uint32_t node, bool during_pass);
  void fail(std::uint32_t rank, std::uint32_t node, std::string problem, std::string hint = {});
  [[nodiscard]] std::string explain_collective(std::uint32_t rank, std::uint32_t node) const;
  [[nodiscard]] std::string explain_message(std::uint32_t rank, std::uint32_t node) const;
  [[nodiscard]] std::optional<std::uint32_t> waiting_node(std::uint32_t rank) const;

  const workload::Workload& workload_;
  const machine::AstraSystem& system_;
  Queue& queue_;
  TickLists& ticks_;
  Transport& transport_;
  Collectives& collectives_;
  CustomCollectives& custom_;
  Dispatcher& dispatcher_;
  bool whole_microseconds_;
  std::vector<Rank> ranks_;
  std::vector<std::uint64_t> first_;  // activity number of a rank's first node
  Column<std::uint32_t> dependencies_left_;
  Column<std::int64_t> start_ns_, end_ns_;  // -1: not yet
  std::vector<Group> groups_;               // parallel to Workload::groups
  std::vector<SharedMemory> memories_;
};

}  // namespace orrery::simulate::astra
