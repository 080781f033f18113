#include "simulate/astra/issuer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/numbers.h"
#include "machine/device/roofline.h"
#include "workload/delays.h"
#include "workload/lane_names.h"

// Per rank a heap of ready nodes per slot, the smallest number first, as in ASTRA-sim. A pass issues all whose slot is
// free; nodes that become ready within the pass have to wait for the next one, which only comes with the next end.
// Nodes that are left behind by that are taken up when the queue has run dry (issue_left_behind).

namespace orrery::simulate::astra {
namespace {

using workload::ActivityKind;
namespace activity = workload::activity;

// ASTRA-sim takes the tags of a workload's messages modulo this number: those beyond are its collectives' own.
constexpr std::int64_t kMessageTagModulus = 500'000'000;

}  // namespace

Issuer::Issuer(const workload::Workload& workload, const machine::AstraSystem& system, std::uint32_t simulated,
               Queue& queue, TickLists& ticks, Transport& transport, Collectives& collectives,
               CustomCollectives& custom, Dispatcher& dispatcher, bool whole_microseconds)
    : workload_(workload),
      system_(system),
      queue_(queue),
      ticks_(ticks),
      transport_(transport),
      collectives_(collectives),
      custom_(custom),
      dispatcher_(dispatcher),
      whole_microseconds_(whole_microseconds),
      ranks_(simulated),
      first_(workload.first_activities()) {
  const std::uint64_t nodes = first_[simulated];
  start_ns_.assign(nodes, -1);
  end_ns_.assign(nodes, -1);
  dependencies_left_.assign(nodes, 0);
  for (std::uint32_t rank = 0; rank < simulated; ++rank) {
    const workload::Program& program = workload.program(rank);
    ranks_[rank].nodes_left = static_cast<std::uint32_t>(program.size());
    for (std::uint32_t node = 0; node < program.size(); ++node) {
      const std::uint32_t needed = program.dependencies.incoming(node).size();
      dependencies_left_[first_[rank] + node] = needed;
      if (needed == 0) make_ready(rank, node);
    }
  }
  // A pool for each node, the last of which may be incomplete, or one for all.
  std::size_t memories = 0;
  if (system.remote_memory) {
    memories = system.remote_memory->sharing == machine::AstraRemoteMemory::Sharing::per_node
                   ? workload.rank_count() / system.remote_memory->npus_per_node + 1
                   : 1;
  }
  memories_.resize(memories);
}

Status Issuer::prepare() {
  for (const workload::CommGroup& group : workload_.groups) {
    const std::string_view name = workload_.strings.text(group.name);
    const std::int64_t id = parse_number<std::int64_t>(name).value_or(0);
    if (id <= 0) {
      return Error{fmt::format("the group '{}' has no positive number as its name", name),
                   {},
                   Error::kNoOffset,
                   "0 is the world and cannot be redefined"};
    }
    groups_.push_back({id, group.ranks, std::vector<std::int64_t>(group.ranks.size(), 0)});
  }
  return {};
}

Issuer::Slot Issuer::slot_of(const workload::Program& program, std::size_t node) {
  if (program.has(node, activity::kOnHost)) return host;
  if (program.kinds[node] == ActivityKind::compute) return device;
  return program.kinds[node] == ActivityKind::recv
             ? none
             : communication;  // memory and metadata share the slot of communication
}

void Issuer::make_ready(std::uint32_t rank, std::uint32_t node) {
  std::vector<std::uint32_t>& heap = ranks_[rank].ready[slot_of(workload_.program(rank), node)];
  heap.push_back(node);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

// The smallest ready node whose slot is free.
bool Issuer::take_ready(std::uint32_t rank_number, std::uint32_t& node) {
  Rank& rank = ranks_[rank_number];
  std::size_t best = kSlots;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    // Receives have no slot, so that any number of them is in flight.
    if (rank.ready[slot].empty() || (slot != none && rank.busy[slot])) continue;
    // Over all slots the smallest number, as if there were one heap.
    if (best == kSlots || rank.ready[slot].front() < rank.ready[best].front()) best = slot;
  }
  if (best == kSlots) return false;
  std::vector<std::uint32_t>& heap = rank.ready[best];
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  node = heap.back();
  heap.pop_back();
  return true;
}

// A node that becomes ready during the pass, because one took no time, waits for the next pass.
void Issuer::issue_ready(std::uint32_t rank) {
  for (std::uint32_t node = 0; take_ready(rank, node);) begin(rank, node);
  std::vector<std::uint32_t> passed_over;
  passed_over.swap(ranks_[rank].passed_over);
  for (const std::uint32_t node : passed_over) make_ready(rank, node);
}

void Issuer::begin(std::uint32_t rank, std::uint32_t node) {
  const workload::Program& program = workload_.program(rank);
  ranks_[rank].busy[slot_of(program, node)] = true;
  start_ns_[first_[rank] + node] = queue_.now();
  // Communication takes its recorded time too then, and holds no link.
  if (system_.replay_only) return replay(rank, node, !program.has(node, activity::kOnHost));
  if (is_communication(program.kinds[node]) && program.has(node, activity::kOnHost)) {
    return fail(rank, node,
                "communicates on the host (is_cpu_op), which ASTRA-sim refuses: \"Comm node should not be on CPU\"",
                "link or convert the traces again with --for astra, which puts it on the device; the default mode "
                "simulates it as it is");
  }
  switch (program.kinds[node]) {
    case ActivityKind::memory_load:
    case ActivityKind::memory_store: return begin_memory(rank, node);
    case ActivityKind::compute: return begin_compute(rank, node);
    case ActivityKind::collective: return begin_collective(rank, node);
    case ActivityKind::send:
    case ActivityKind::recv: return begin_message(rank, node);
    case ActivityKind::none:
    case ActivityKind::metadata: return skip(rank, node);
  }
}

void Issuer::replay(std::uint32_t rank, std::uint32_t node, bool on_device) {
  const TimePs recorded_ps = workload_.program(rank).duration_ps(node);
  const std::int64_t recorded =
      (whole_microseconds_ ? workload::in_whole_microseconds(recorded_ps) : recorded_ps) / kPsPerNs;
  // Without a recorded time ASTRA-sim lets a nanosecond pass.
  const std::int64_t duration = recorded == 0 ? 1 : recorded;
  if (on_device) ranks_[rank].device_ns += duration;
  ticks_.add(rank, duration, {ActionKind::node_done, rank, node});
}

void Issuer::begin_compute(std::uint32_t rank, std::uint32_t node) {
  const workload::Program& program = workload_.program(rank);
  const bool on_host = program.has(node, activity::kOnHost);
  if (!system_.roofline || on_host) return replay(rank, node, !on_host);
  if (!program.has(node, activity::kHasOperations) || !program.has(node, activity::kHasBytes)) {
    return fail(rank, node, "has no num_ops or tensor_size, which the roofline needs");
  }
  // ASTRA-sim passes over computations of no bytes.
  if (program.bytes[node] == 0) return skip(rank, node);
  const double duration = machine::astra_roofline_ns(program.operations[node], program.bytes[node],
                                                     system_.local_memory_gb_per_s, system_.peak_tflops);
  constexpr auto kLongest =
      static_cast<double>(std::int64_t{1} << 61);  // a quarter of what a time can hold: sums of a few still fit
  if (!(duration < kLongest)) {
    return fail(rank, node, "would never end", "are local-mem-bw and peak-perf above 0?");
  }
  ranks_[rank].device_ns += static_cast<std::int64_t>(duration);
  ticks_.add(rank, static_cast<std::int64_t>(duration), {ActionKind::node_done, rank, node});
}

void Issuer::begin_collective(std::uint32_t rank, std::uint32_t node) {
  const workload::Program& program = workload_.program(rank);
  const workload::Collective collective = program.collectives[node];
  // A broadcast is replayed: its recorded time passes on each rank by itself, and no link carries anything.
  if (collective == workload::Collective::broadcast) return replay(rank, node, false);
  const auto type = implemented(collective);
  if (!type) {
    return fail(rank, node, fmt::format("is a {}, which ASTRA-sim does not simulate", to_string(collective)),
                "the default mode simulates it");
  }
  if (!program.has(node, activity::kHasBytes)) return fail(rank, node, "has no comm_size");
  CollectiveCall call{rank,    node, *type, program.bytes[node], program.excluded_dims[node], program.priorities[node],
                      nullptr, rank};
  if (const StringId name = program.group_names[node]; name != 0) {
    const workload::CommGroup* const group = workload_.find_group(name);
    if (group == nullptr) {
      return fail(rank, node,
                  fmt::format("belongs to the group '{}', which is not defined", workload_.strings.text(name)),
                  "give the file of the groups");
    }
    const auto member = std::find(group->ranks.begin(), group->ranks.end(), rank);
    if (member == group->ranks.end())
      return fail(rank, node,
                  fmt::format("belongs to the group '{}', but its rank does not", workload_.strings.text(name)));
    call.group = &groups_[static_cast<std::size_t>(group - workload_.groups.data())];
    call.index = static_cast<std::uint32_t>(member - group->ranks.begin());
  }
  // What is said of this node comes before what is said of its kind.
  const auto of_node = system_.custom_of_node.find(program.ids[node]);
  const std::string& prefix =
      of_node != system_.custom_of_node.end() ? of_node->second : system_.custom[static_cast<std::size_t>(*type)];
  if (prefix.empty()) return collectives_.start(call);
  if (!custom_.start(call, prefix))
    fail(rank, node,
         fmt::format("has no execution trace {}.{}.et, as which its collective is given", prefix, call.index));
}

void Issuer::begin_message(std::uint32_t rank, std::uint32_t node) {
  const workload::Program& program = workload_.program(rank);
  const std::uint32_t peer =
      program.has(node, activity::kHasPeer) ? static_cast<std::uint32_t>(program.peers[node]) : rank;
  const std::int64_t tag = program.tags[node] % kMessageTagModulus;
  if (peer >= workload_.rank_count())
    return fail(rank, node, fmt::format("names rank {}, but there are only {}", peer, workload_.rank_count()));
  if (peer == rank) return fail(rank, node, "sends to or receives from its own rank");
  if (program.bytes[node] <= 0) return fail(rank, node, "is a message of 0 bytes");
  const Action done{ActionKind::node_done, rank, node};
  if (program.kinds[node] == ActivityKind::send) transport_.send(rank, peer, program.bytes[node], tag, done);
  else transport_.receive(peer, rank, program.bytes[node], tag, done);
}

void Issuer::begin_memory(std::uint32_t rank, std::uint32_t node) {
  using Sharing = machine::AstraRemoteMemory::Sharing;
  const workload::Program& program = workload_.program(rank);
  if (!system_.remote_memory)
    return fail(rank, node, "uses remote memory, and the machine has none", "describe it in the remote memory's file");
  if (!program.has(node, activity::kHasBytes)) return fail(rank, node, "has no tensor_size");
  const machine::AstraRemoteMemory& memory = *system_.remote_memory;
  const Transaction transaction{rank, node, program.bytes[node]};
  // A memory of its own is never busy: transactions of one rank share the slot of communication anyway.
  if (memory.sharing == Sharing::per_npu) {
    const std::int64_t duration =
        memory.latency_ns + static_cast<std::int64_t>(static_cast<double>(transaction.bytes) / memory.bytes_per_ns);
    return ticks_.add(rank, duration, {ActionKind::node_done, rank, node});
  }
  const std::uint32_t number = memory.sharing == Sharing::per_node ? rank / memory.npus_per_node : 0;
  if (memories_[number].busy) memories_[number].waiting.push_back(transaction);
  else serve(number, transaction);
}

void Issuer::serve(std::uint32_t number, const Transaction& transaction) {
  const machine::AstraRemoteMemory& memory = *system_.remote_memory;
  const std::int64_t duration =
      memory.latency_ns + static_cast<std::int64_t>(static_cast<double>(transaction.bytes) / memory.bytes_per_ns);
  memories_[number].busy = true;
  ticks_.add(transaction.rank, duration, {ActionKind::node_done, transaction.rank, transaction.node});
  ticks_.add(transaction.rank, duration, {ActionKind::memory_released, number});
}

void Issuer::memory_released(std::uint32_t number) {
  SharedMemory& memory = memories_[number];
  if (memory.next == memory.waiting.size()) {
    memory.busy = false;
    memory.waiting.clear();
    memory.next = 0;
    return;
  }
  // First come, first served.
  const Transaction transaction = memory.waiting[memory.next++];
  serve(number, transaction);
}

void Issuer::end(std::uint32_t rank_number, std::uint32_t node, bool during_pass) {
  Rank& rank = ranks_[rank_number];
  const workload::Program& program = workload_.program(rank_number);
  rank.busy[slot_of(program, node)] = false;
  end_ns_[first_[rank_number] + node] = queue_.now();
  --rank.nodes_left;
  for (const graph::OutgoingEdge& edge : program.dependencies.outgoing(node)) {
    const std::uint32_t target = program.dependencies.node_at(edge.target_position);
    if (--dependencies_left_[first_[rank_number] + target] != 0) continue;
    // ASTRA-sim looks through the nodes that were ready when the pass began.
    if (during_pass) rank.passed_over.push_back(target);
    else make_ready(rank_number, target);
  }
}

void Issuer::skip(std::uint32_t rank, std::uint32_t node) { end(rank, node, true); }

void Issuer::node_done(std::uint32_t rank, std::uint32_t node) {
  end(rank, node, false);
  issue_ready(rank);
  if (ranks_[rank].nodes_left == 0) ranks_[rank].finish_ns = queue_.now();
}

bool Issuer::issue_left_behind() {
  bool any = false;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (finished(rank)) continue;
    const std::uint32_t before = ranks_[rank].nodes_left;
    const auto is_waiting = [](const auto& heap) { return !heap.empty(); };
    const bool ready = std::any_of(ranks_[rank].ready.begin(), ranks_[rank].ready.end(), is_waiting);
    if (ready) issue_ready(rank);
    any = any || ranks_[rank].nodes_left != before || !queue_.empty();
    if (ranks_[rank].nodes_left == 0) ranks_[rank].finish_ns = queue_.now();
  }
  return any;
}

void Issuer::fail(std::uint32_t rank, std::uint32_t node, std::string problem, std::string hint) {
  dispatcher_.fail(
      {fmt::format("{} {}", workload_.describe(rank, node), problem), {}, Error::kNoOffset, std::move(hint)});
}

}  // namespace orrery::simulate::astra
