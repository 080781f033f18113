#include "simulate/graph_transfers.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "simulate/event_queue.h"

// Two sources of time are advanced together: the graph, where a node is known once all its incoming edges are, and the
// network, which says when operations end. Whichever has the earlier moment goes on; what follows from it without the
// network is followed at once, down to the next transfers.

namespace orrery::simulate {
namespace {

using graph::Position;
using graph::Slot;

constexpr std::uint32_t kNoTransfer = std::numeric_limits<std::uint32_t>::max();
constexpr TimePs kUndecided = -1;

/// All weights of the graph with the edits laid over, by slot.
std::vector<TimePs> edited_weights(const graph::Edits& edits) {
  const graph::TimePatch::Folded folded = edits.weights().fold();
  if (folded.dense != nullptr) return {folded.dense->begin(), folded.dense->end()};
  std::vector<TimePs> weights(edits.graph().weights().begin(), edits.graph().weights().end());
  for (std::size_t i = 0; i < folded.indices.size(); ++i) weights[folded.indices[i]] = folded.values[i];
  return weights;
}

struct Ready {
  std::uint32_t operation = 0;

  [[nodiscard]] bool is_before(const Ready& other) const { return operation < other.operation; }
};

class TransferSweep {
 public:
  TransferSweep(const graph::Edits& edits, std::span<const CommOp> operations, std::span<const GraphTransfer> transfers,
                NetworkModel& model)
      : graph_(edits.graph()),
        weights_(edited_weights(edits)),
        operations_(operations),
        transfers_(transfers),
        model_(model),
        transfer_of_slot_(graph_.edge_count(), kNoTransfer),
        time_(graph_.node_count(), 0),
        awaited_(graph_.node_count(), 0),
        lengths_(transfers.size(), 0),
        states_(operations.size()) {
    // Moments have no duration of their own here, all time is on edges: else the sums below would lack them.
    assert(graph_.durations().empty());
    for (std::uint32_t t = 0; t < transfers.size(); ++t) transfer_of_slot_[transfers[t].slot] = t;
  }

  Result<std::vector<TimePs>> run() {
    model_.restart();
    for (Position p = 0; p < graph_.node_count(); ++p) {
      awaited_[p] = graph_.incoming_at(p).size();
      // Nodes that nothing leads to are known from the start.
      if (awaited_[p] == 0) known_.push_back(p);
    }
    follow();
    for (;;) {
      const TimePs now = std::min(ready_.next_time(), model_.next_event());
      if (now == kNever) break;
      now_ = now;
      // What ends comes before what begins, so that the two do not count as sharing; what follows from an end at this
      // moment begins at it.
      if (model_.next_event() == now) end_operations();
      else if (Status status = start_operations(); !status) return status.error();
      follow();
    }
    return std::move(lengths_);
  }

 private:
  struct State {
    TimePs first_ready = kNever;
    TimePs start = kUndecided;
    TimePs length = kUndecided;
    std::vector<std::uint32_t> begun;  ///< transfers that may begin, while it is not known how long they take
  };

  // Whatever is known by now, and what follows from that without the network.
  void follow() {
    while (!known_.empty()) {
      const Position p = known_.back();
      known_.pop_back();
      for (const graph::OutgoingEdge& edge : graph_.outgoing_at(p)) {
        if (transfer_of_slot_[edge.slot] != kNoTransfer) begin(transfer_of_slot_[edge.slot], time_[p]);
        else reach(edge.target_position, time_[p] + weights_[edge.slot]);
      }
    }
  }

  void reach(Position p, TimePs time) {
    // The latest of all that lead there.
    time_[p] = std::max(time_[p], time);
    if (--awaited_[p] == 0) known_.push_back(p);
  }

  void begin(std::uint32_t transfer, TimePs time) {
    State& state = states_[transfers_[transfer].operation];
    // Its length is known beforehand, but the operation still needs to begin.
    if (transfers_[transfer].ends == TransferEnd::on_its_own) end(transfer, transfers_[transfer].lag);
    else if (state.length != kUndecided) return end_with(transfer, state);
    else state.begun.push_back(transfer);
    // A negative weight could lead back to before this moment; the network's time does not go back.
    time = std::max(time, now_);
    if (state.start != kUndecided || time >= state.first_ready) return;
    state.first_ready = time;
    ready_.push(time, {transfers_[transfer].operation});
  }

  [[nodiscard]] TimePs beginning(std::uint32_t transfer) const {
    return time_[graph_.source_positions()[transfers_[transfer].slot]];
  }

  void end(std::uint32_t transfer, TimePs length) {
    lengths_[transfer] = length;
    reach(graph_.target_position(transfers_[transfer].slot), beginning(transfer) + length);
  }

  void end_with(std::uint32_t transfer, const State& state) {
    const TimePs lag = transfers_[transfer].lag;
    if (transfers_[transfer].ends == TransferEnd::with_operation) return end(transfer, state.length + lag);
    // It ends with the operation, but takes its lag at least, however late it began.
    end(transfer, std::max(state.start + state.length - beginning(transfer), lag));
  }

  Status start_operations() {
    due_.clear();
    ready_.take(due_);
    for (const Ready ready : due_) {
      State& state = states_[ready.operation];
      if (state.start != kUndecided) continue;  // another of its transfers could begin earlier
      state.start = now_;
      if (Status status = model_.start(ready.operation, operations_[ready.operation], now_); !status) return status;
    }
    return {};
  }

  void end_operations() {
    finished_.clear();
    model_.advance(now_, finished_);
    for (const OpId id : finished_) {
      State& state = states_[id];
      state.length = now_ - state.start;
      for (const std::uint32_t transfer : state.begun) end_with(transfer, state);
      state.begun = {};
    }
  }

  const graph::Graph& graph_;
  std::vector<TimePs> weights_;  // by slot
  std::span<const CommOp> operations_;
  std::span<const GraphTransfer> transfers_;
  NetworkModel& model_;
  Column<std::uint32_t> transfer_of_slot_;
  Column<TimePs> time_;   // by position: the latest of what is known to lead there
  Column<Slot> awaited_;  // by position: incoming edges that nothing is known of yet
  std::vector<Position> known_;
  std::vector<TimePs> lengths_;  // by transfer
  std::vector<State> states_;    // by operation
  MomentQueue<Ready> ready_;     // operations that may enter the network
  TimePs now_ = 0;
  std::vector<Ready> due_;
  std::vector<OpId> finished_;
};

}  // namespace

Result<std::vector<TimePs>> simulate_transfers(const graph::Edits& edits, std::span<const CommOp> operations,
                                               std::span<const GraphTransfer> transfers, NetworkModel& model) {
  return TransferSweep(edits, operations, transfers, model).run();
}

}  // namespace orrery::simulate
