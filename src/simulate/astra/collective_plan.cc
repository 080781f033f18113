// How a collective becomes chunks, and a chunk phases (docs/ASTRA.md).
#include <fmt/format.h>

#include <bit>

#include "simulate/astra/collectives.h"

namespace orrery::simulate::astra {
namespace {

// Tags of collectives begin where those of messages end (kMessageTagModulus).
constexpr std::int64_t kTagModulus = 500'000'000;
constexpr std::int64_t kGroupStreams = 1'000'000;  // stream numbers per group

}  // namespace

bool Collectives::is_sub_group(const CollectiveCall& call) const {
  return call.group != nullptr && call.group->ranks.size() != grid_.ranks();
}

// Logical dimensions: those of the network up to the first flat algorithm, which takes all ranks.
std::size_t Collectives::dimension_count(const CollectiveCall& call) const {
  if (is_sub_group(call)) return 1;
  const auto& list = system_.implementations[static_cast<std::size_t>(call.type)];
  for (std::size_t d = 0; d < list.size(); ++d) {
    if (list[d].flat) return d + 1;
  }
  return list.size();
}

machine::AstraImplementation Collectives::implementation(const CollectiveCall& call, std::size_t dimension) const {
  const auto& list = system_.implementations[static_cast<std::size_t>(call.type)];
  // ASTRA-sim has no dimensions for a group that is not the world, so it takes its default there.
  if (is_sub_group(call) && list.size() > 1) return {};  // a ring
  return list[dimension];
}

Collectives::Members Collectives::members_of(const CollectiveCall& call, std::size_t dimension) const {
  if (is_sub_group(call)) {
    return {static_cast<std::uint32_t>(call.group->ranks.size()), call.index, 0, 1, call.group->ranks.data(), true};
  }
  if (implementation(call, dimension).flat) return {grid_.ranks(), call.rank, 0, 1, nullptr, false};
  const std::uint32_t index = grid_.coordinate(call.rank, dimension);
  const std::uint32_t stride = grid_.stride(dimension);
  return {grid_.count(dimension), index, call.rank - index * stride, stride, nullptr, false};
}

std::uint32_t Collectives::take_queue(std::uint32_t rank, std::size_t dimension, Turn turn, std::int8_t& direction) {
  const auto count = static_cast<std::uint32_t>(system_.queues_per_dim);
  const std::uint32_t half = count / 2;
  QueueTurns& turns = turns_[std::size_t{rank} * grid_.size() + dimension];
  std::uint32_t queue = 0;
  direction = 1;
  switch (turn) {
    case Turn::any:
      // The first half of the queues goes one way round, the second half the other.
      if (count > 1 && turns.any >= half) direction = -1;
      queue = turns.any;
      turns.any = (turns.any + 1) % count;
      break;
    case Turn::first:
      queue = turns.first;
      turns.first = turns.first + 1 >= half ? 0 : turns.first + 1;
      break;
    case Turn::last:
      direction = -1;
      queue = half + turns.last;
      turns.last = half + turns.last + 1 >= count ? 0 : turns.last + 1;
      break;
  }
  return static_cast<std::uint32_t>(dimension) * count + queue;
}

bool Collectives::add_phase(const CollectiveCall& call, Type type, std::size_t dimension, Turn turn,
                            std::int64_t& bytes, std::vector<Phase>& phases) {
  const machine::AstraImplementation chosen = implementation(call, dimension);
  const Members members = members_of(call, dimension);
  const std::uint32_t n = members.count;
  // Excluded dimensions come as the bits of a word of 32.
  if (n == 1 || (dimension < 32 && (call.excluded_dims >> dimension & 1) != 0)) return true;
  Phase phase{bytes, members, 0, chosen.window, type, chosen.algorithm, 1, false};
  phase.queue = take_queue(call.rank, dimension, turn, phase.direction);
  const auto refuse = [&](const char* algorithm, const char* why, const char* hint) {
    dispatcher_.fail({fmt::format("{} cannot be used for {}", algorithm, fmt::format(fmt::runtime(why), n)),
                      {},
                      Error::kNoOffset,
                      hint});
    return false;
  };
  switch (chosen.algorithm) {
    case Algorithm::ring:
    case Algorithm::direct: break;
    case Algorithm::halving_doubling:
      if (type == Type::all_to_all)
        return refuse("halvingDoubling", "all-to-all", "choose ring or direct for all-to-all-implementation");
      if (!std::has_single_bit(n))
        return refuse("halvingDoubling", "{} ranks, which is not a power of two", "choose ring or direct");
      break;
    case Algorithm::double_binary_tree: {
      if (members.local)
        return refuse("doubleBinaryTree", "a group that is not the world", "choose ring, direct or halvingDoubling");
      if (!std::has_single_bit(n))
        return refuse("doubleBinaryTree", "{} ranks, which is not a power of two", "choose ring or direct");
      const std::size_t counter =
          (std::size_t{call.rank} * machine::kAstraCollectives + static_cast<std::size_t>(call.type)) * grid_.size() +
          dimension;
      // The two trees take turns, chunk by chunk.
      phase.second_tree = tree_counters_[counter]++ % 2 == 1;
      phases.push_back(phase);
      return true;  // whatever the type: it behaves as an all-reduce and keeps the size
    }
  }
  // After a phase that scatters each rank has its share only, and the next dimension moves less.
  if (type == Type::reduce_scatter) bytes /= n;
  if (type == Type::all_gather) bytes *= n;
  phases.push_back(phase);
  return true;
}

bool Collectives::plan_chunk(const CollectiveCall& call, std::int64_t chunk_bytes, std::vector<Phase>& phases) {
  phases.clear();
  std::int64_t bytes = chunk_bytes;
  const std::size_t dimensions = dimension_count(call);
  if (call.type != Type::all_reduce || !system_.local_bandwidth_aware) {
    for (std::size_t i = 0; i < dimensions; ++i) {
      // A gather goes from the outermost dimension inwards, so that the outer ones move the least.
      const std::size_t d = call.type == Type::all_gather ? dimensions - 1 - i : i;
      if (!add_phase(call, call.type, d, Turn::any, bytes, phases)) return false;
    }
    return true;
  }
  // localBWAware: scatter outwards, reduce whole in the outermost dimension, where least is left, gather inwards.
  std::size_t last = 0;  // that takes part
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (members_of(call, d).count != 1 && (d >= 32 || (call.excluded_dims >> d & 1) == 0)) last = d;
  }
  for (std::size_t d = 0; d < last; ++d) {
    if (!add_phase(call, Type::reduce_scatter, d, Turn::first, bytes, phases)) return false;
  }
  if (!add_phase(call, Type::all_reduce, last, Turn::first, bytes, phases)) return false;
  for (std::size_t d = last; d-- > 0;) {
    if (!add_phase(call, Type::all_gather, d, Turn::last, bytes, phases)) return false;
  }
  return true;
}

std::int64_t Collectives::next_tag(const CollectiveCall& call) {
  const std::int64_t world_stream = stream_counters_[call.rank]++;
  const std::int64_t stream =
      // A range of streams for each group, so that tags of two groups do not meet.
      call.group == nullptr ? world_stream : call.group->id * kGroupStreams + call.group->streams_so_far[call.index]++;
  return kTagModulus + stream % kTagModulus;
}

std::int64_t Collectives::next_priority(const CollectiveCall& call) {
  switch (system_.policy) {
    // Higher numbers go first: the last of all with lifo, the first of all with fifo.
    case machine::AstraPolicy::lifo: return priority_counters_[call.rank]++;
    case machine::AstraPolicy::fifo: return priority_counters_[call.rank]--;
    case machine::AstraPolicy::explicit_priority: break;
  }
  return call.priority;
}

void Collectives::start(const CollectiveCall& call) {
  std::int64_t bytes = call.bytes;
  std::int64_t chunk = bytes / system_.splits;
  // Otherwise ranks would have parts of no byte.
  if (call.type != Type::all_gather && chunk < grid_.ranks()) {
    chunk = grid_.ranks();
    bytes = system_.splits * chunk;
  }
  if (chunk == 0) {
    return dispatcher_.fail(
        {fmt::format("an all-gather of {} bytes cannot be split into {} chunks", bytes, system_.splits),
         {},
         Error::kNoOffset,
         "lower preferred-dataset-splits, or gather more"});
  }
  const std::int64_t priority = next_priority(call);
  std::uint32_t data_set = 0;
  if (free_data_sets_.empty()) {
    data_set = static_cast<std::uint32_t>(data_sets_.size());
    data_sets_.emplace_back();
  } else {
    data_set = free_data_sets_.back();
    free_data_sets_.pop_back();
  }
  // Rounded up: the last chunk may be a smaller one, but it counts.
  data_sets_[data_set] = {(bytes + chunk - 1) / chunk, call.rank, call.node};
  for (; bytes > 0; bytes = chunk > bytes ? 0 : bytes - chunk) {
    if (!plan_chunk(call, chunk, scratch_)) return;
    if (scratch_.empty()) {  // nobody to talk to
      free_data_sets_.push_back(data_set);
      return ticks_.add(call.rank, 0, {ActionKind::node_done, call.rank, call.node});
    }
    const std::uint32_t stream = new_stream(scratch_);
    streams_[stream].rank = call.rank;
    streams_[stream].data_set = data_set;
    streams_[stream].priority = priority;
    streams_[stream].tag = next_tag(call);
    advance(stream);
  }
}

}  // namespace orrery::simulate::astra
