// ASTRA-sim's system layer: a collective is split into chunks, a chunk passes phases, a phase waits in a queue and runs
// an algorithm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/astra_system.h"
#include "simulate/astra/local_bus.h"
#include "simulate/astra/transport.h"

namespace orrery::simulate::astra {

/// A communicator other than the world.
struct Group {
  std::int64_t id = 0;
  std::span<const std::uint32_t> ranks;      ///< in listed order
  std::vector<std::int64_t> streams_so_far;  ///< per member
};

/// One call of a collective by one rank.
struct CollectiveCall {
  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  machine::AstraCollective type = machine::AstraCollective::all_reduce;
  std::int64_t bytes = 0;
  std::uint32_t excluded_dims = 0;
  std::int32_t priority = 0;
  Group* group = nullptr;   ///< null: the world. Outlives the simulation
  std::uint32_t index = 0;  ///< of the rank in the group
};

class Collectives {
 public:
  /// `simulated`: how many ranks, from 0 on, take part. `bus` may be null: packets take the endpoint's delay then.
  Collectives(const machine::AstraSystem& system, const Grid& grid, std::uint32_t simulated, TickLists& ticks,
              Transport& transport, LocalBus* bus, Dispatcher& dispatcher);

  /// Ends with ActionKind::node_done.
  void start(const CollectiveCall& call);

  // Events of a stream.
  void endpoint_passed(std::uint32_t stream, std::int64_t reduction_ns);
  void packet_ready(std::uint32_t stream);
  void packet_received(std::uint32_t stream);

  [[nodiscard]] std::uint32_t rank_of(std::uint32_t stream) const { return streams_[stream].rank; }

 private:
  using Algorithm = machine::AstraAlgorithm;
  using Type = machine::AstraCollective;

  /// A set of ranks in a ring: every `stride`-th from `base`, or a list.
  struct Members {
    std::uint32_t count = 1, index = 0, base = 0, stride = 1;
    const std::uint32_t* list = nullptr;
    bool local = false;  ///< of a sub-group: a fixed endpoint delay

    [[nodiscard]] std::uint32_t rank(std::uint32_t i) const { return list != nullptr ? list[i] : base + i * stride; }
    /// `distance` steps ahead (or back) of the own one.
    [[nodiscard]] std::uint32_t ahead(std::uint32_t distance) const { return rank((index + distance) % count); }
    [[nodiscard]] std::uint32_t back(std::uint32_t distance) const {
      return rank((index + count - distance % count) % count);
    }
  };

  struct Phase {
    std::int64_t bytes;
    Members members;
    std::uint32_t queue;
    std::int32_t window;
    Type type;
    Algorithm algorithm;
    std::int8_t direction;
    bool second_tree;
  };

  enum class TreeState : std::uint8_t { begin, wait_two, wait_one, send_up, wait_parent, send_down, end };

  /// One chunk of a collective on one rank, in one phase at a time.
  struct Stream {
    std::int64_t tag = 0, priority = 0;
    std::uint32_t rank = 0, data_set = 0;
    std::uint32_t first_phase = 0, phase_count = 0, phase = 0;  // phase: the one running, plus one
    std::int32_t queue = -1;
    bool started = false;
    // Of the running phase: packets may be sent while there are free ones; every received one becomes the next to send.
    bool toggle = false;
    std::uint32_t window = 0, sends_left = 0, free_packets = 0, inserted = 0, sent = 0, received = 0, plain_left = 0,
                  reducing_left = 0;
    TreeState tree = TreeState::begin;
    bool one_reduced = false;
    std::uint32_t parent = 0, left = 0, right = 0;
  };
  struct DataSet {
    std::int64_t chunks_left = 0;
    std::uint32_t rank = 0, node = 0;
  };
  struct RankQueue {
    std::vector<std::uint32_t> streams;  // started ones first
    std::uint32_t running = 0;
  };
  /// Round robin over the queues of one dimension of one rank.
  struct QueueTurns {
    std::uint32_t any = 0, first = 0, last = 0;
  };
  struct Packet {
    std::uint32_t to, from;
    std::int64_t bytes;
  };

  // Plan (collective_plan.cc). False: it cannot be done, and the dispatcher knows why.
  enum class Turn : std::uint8_t { any, first, last };
  bool plan_chunk(const CollectiveCall& call, std::int64_t chunk_bytes, std::vector<Phase>& phases);
  bool add_phase(const CollectiveCall& call, Type type, std::size_t dimension, Turn turn, std::int64_t& bytes,
                 std::vector<Phase>& phases);
  std::uint32_t take_queue(std::uint32_t rank, std::size_t dimension, Turn turn, std::int8_t& direction);
  [[nodiscard]] bool is_sub_group(const CollectiveCall& call) const;
  [[nodiscard]] std::size_t dimension_count(const CollectiveCall& call) const;
  [[nodiscard]] machine::AstraImplementation implementation(const CollectiveCall& call, std::size_t dimension) const;
  [[nodiscard]] Members members_of(const CollectiveCall& call, std::size_t dimension) const;
  std::int64_t next_tag(const CollectiveCall& call);
  std::int64_t next_priority(const CollectiveCall& call);

  // Streams and queues.
  std::uint32_t new_stream(std::span<const Phase> phases);
  void release(std::uint32_t stream);
  void advance(std::uint32_t stream);
  void start_waiting(std::uint32_t rank, std::uint32_t queue);
  RankQueue& queue_of(std::uint32_t rank, std::uint32_t queue) {
    return queues_[std::size_t{rank} * queue_count_ + queue];
  }

  // Algorithms (collective_algorithms.cc).
  void begin_phase(std::uint32_t stream);
  void insert_packet(std::uint32_t stream);
  void send_packet(std::uint32_t stream);
  [[nodiscard]] static Packet packet(const Phase& phase, std::uint32_t number);
  void hand_to_endpoint(std::uint32_t stream, const LocalBus::Crossing& packet);
  void begin_tree(Stream& stream, const Phase& phase);
  void tree_event(std::uint32_t stream, bool received);
  void tree_leaf(std::uint32_t stream);
  void tree_inner(std::uint32_t stream, bool received);
  void tree_root(std::uint32_t stream);
  void tree_send(const Stream& stream, std::uint32_t member);
  void tree_receive(std::uint32_t stream, std::uint32_t member);
  [[nodiscard]] const Phase& running(const Stream& stream) const {
    return phases_[stream.first_phase + stream.phase - 1];
  }

  const machine::AstraSystem& system_;
  const Grid& grid_;
  TickLists& ticks_;
  Transport& transport_;
  LocalBus* bus_;
  Dispatcher& dispatcher_;
  std::uint32_t queue_count_;    // per rank
  std::uint32_t running_limit_;  // per queue
  std::vector<RankQueue> queues_;
  std::vector<QueueTurns> turns_;                                  // rank by rank, dimension by dimension
  std::vector<std::int64_t> priority_counters_, stream_counters_;  // per rank
  std::vector<std::uint32_t> tree_counters_;                       // per rank, collective and dimension
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> free_streams_;
  std::vector<Phase> phases_;
  std::vector<std::vector<std::uint32_t>> free_phase_blocks_;  // by length
  std::vector<DataSet> data_sets_;
  std::vector<std::uint32_t> free_data_sets_;
  std::vector<Phase> scratch_;
};

}  // namespace orrery::simulate::astra
