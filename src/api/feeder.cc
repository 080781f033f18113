#include <orrery/feeder.h>

#include <string>

#include "api/ready_set.h"
#include "api/workload_data.h"
#include "base/column.h"

// A node waits until all that it depends on are completed, then it is ready, then taken by the caller, who completes it
// or pushes it back. Every call checks that the node is in the state that it asks for, since callers keep nodes.

namespace orrery::api {
namespace {

enum class NodeState : std::uint8_t { pending, ready, taken, completed };

const char* to_string(NodeState state) {
  switch (state) {
    case NodeState::pending: return "waits for others";
    case NodeState::ready: return "was not taken";
    case NodeState::taken: return "is taken";
    case NodeState::completed: return "was completed before";
  }
  return "";
}

}  // namespace

struct Feeder::State {
  State(const WorkloadData& workload_data, std::uint32_t of_rank, Dependencies counted)
      : data(workload_data),
        rank(of_rank),
        successors(workload_data.successors(of_rank, counted == Dependencies::data_only)),
        ready(successors.counts.size()),
        states(successors.counts.size(), NodeState::pending),
        remaining(successors.counts.size()) {
    waiting.append(successors.counts);
    for (std::uint32_t node = 0; node < waiting.size(); ++node) {
      if (waiting[node] == 0) make_ready(node);
    }
  }

  void make_ready(std::uint32_t node) {
    states[node] = NodeState::ready;
    ready.insert(node);
  }

  void complete(std::uint32_t node) {
    states[node] = NodeState::completed;
    --remaining;
    for (const std::uint32_t target : successors.of(node)) {
      if (--waiting[target] == 0) make_ready(target);
    }
  }

  /// Why `node` cannot be `done` ("completed", "pushed back"), if it cannot.
  [[nodiscard]] Status check_taken(const Node& node, const char* done) const {
    if (node.data_ != &data || node.rank_ != rank)
      return Error{"node " + std::to_string(node.id()) +
                   " is not one of this feeder's: it belongs to another rank or workload"};
    if (states[node.index_] == NodeState::taken) return {};
    return Error{.message = "node " + std::to_string(node.id()) + " cannot be " + done + ": it " +
                            to_string(states[node.index_])};
  }

  [[nodiscard]] Status unknown(std::uint64_t id) const { return Error{"there is no node " + std::to_string(id)}; }

  const WorkloadData& data;
  const std::uint32_t rank;
  const Successors& successors;
  ReadySet ready;
  Column<std::uint32_t> waiting;  // per node: dependencies that are not completed
  Column<NodeState> states;
  std::size_t remaining;
};

Result<Feeder> Feeder::make(const Workload& workload, std::size_t rank, Dependencies dependencies) {
  if (rank >= workload.rank_count())
    return Error{"there is no rank " + std::to_string(rank) + " among " + std::to_string(workload.rank_count())};
  return Feeder(std::make_unique<State>(*workload.data_, static_cast<std::uint32_t>(rank), dependencies));
}

Feeder::Feeder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Feeder::Feeder(Feeder&&) noexcept = default;
Feeder& Feeder::operator=(Feeder&&) noexcept = default;
Feeder::~Feeder() = default;

bool Feeder::has_ready() const { return !state_->ready.empty(); }

std::optional<Node> Feeder::next_ready() {
  if (state_->ready.empty()) return std::nullopt;
  const std::uint32_t node = state_->ready.pop();
  state_->states[node] = NodeState::taken;
  return Node(state_->data, state_->rank, node);
}

Status Feeder::push_back(const Node& node) {
  if (Status status = state_->check_taken(node, "pushed back"); !status) return status;
  state_->make_ready(node.index_);
  return {};
}

Status Feeder::push_back(std::uint64_t id) {
  const std::optional<Node> node = lookup(id);
  return node ? push_back(*node) : state_->unknown(id);
}

Status Feeder::complete(const Node& node) {
  if (Status status = state_->check_taken(node, "completed"); !status) return status;
  state_->complete(node.index_);
  return {};
}

Status Feeder::complete(std::uint64_t id) {
  const std::optional<Node> node = lookup(id);
  return node ? complete(*node) : state_->unknown(id);
}

std::optional<Node> Feeder::lookup(std::uint64_t id) const {
  const std::uint32_t node = state_->data.find(state_->rank, id);
  if (node == IdDirectory::kNone) return std::nullopt;
  return Node(state_->data, state_->rank, node);
}

std::size_t Feeder::remaining() const { return state_->remaining; }

}  // namespace orrery::api
