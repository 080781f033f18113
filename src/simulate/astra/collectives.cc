// Streams and the queues they wait in.
#include "simulate/astra/collectives.h"

#include <algorithm>

namespace orrery::simulate::astra {

Collectives::Collectives(const machine::AstraSystem& system, const Grid& grid, std::uint32_t simulated,
                         TickLists& ticks, Transport& transport, LocalBus* bus, Dispatcher& dispatcher)
    : system_(system),
      grid_(grid),
      ticks_(ticks),
      transport_(transport),
      bus_(bus),
      dispatcher_(dispatcher),
      queue_count_(static_cast<std::uint32_t>(grid.size() * static_cast<std::size_t>(system.queues_per_dim))),
      // Active chunks are shared among the queues of a dimension, rounded up.
      running_limit_(
          static_cast<std::uint32_t>((system.active_chunks + system.queues_per_dim - 1) / system.queues_per_dim)),
      queues_(std::size_t{simulated} * queue_count_),
      turns_(std::size_t{simulated} * grid.size()),
      priority_counters_(simulated, 0),
      stream_counters_(simulated, 0),
      tree_counters_(std::size_t{simulated} * machine::kAstraCollectives * grid.size(), 0) {}

std::uint32_t Collectives::new_stream(std::span<const Phase> phases) {
  std::uint32_t number = 0;
  if (free_streams_.empty()) {
    number = static_cast<std::uint32_t>(streams_.size());
    streams_.emplace_back();
  } else {
    number = free_streams_.back();
    free_streams_.pop_back();
    streams_[number] = Stream();
  }
  Stream& stream = streams_[number];
  stream.phase_count = static_cast<std::uint32_t>(phases.size());
  if (free_phase_blocks_.size() <= phases.size()) free_phase_blocks_.resize(phases.size() + 1);
  // Blocks are used again by their length, since collectives of one program have few lengths.
  std::vector<std::uint32_t>& blocks = free_phase_blocks_[phases.size()];
  if (blocks.empty()) {
    stream.first_phase = static_cast<std::uint32_t>(phases_.size());
    phases_.insert(phases_.end(), phases.begin(), phases.end());
  } else {
    stream.first_phase = blocks.back();
    blocks.pop_back();
    std::copy(phases.begin(), phases.end(), phases_.begin() + stream.first_phase);
  }
  return number;
}

void Collectives::release(std::uint32_t number) {
  const Stream& stream = streams_[number];
  free_phase_blocks_[stream.phase_count].push_back(stream.first_phase);
  free_streams_.push_back(number);
}

// The order of these steps decides who sends first. The node is done while its last stream still holds its place in the
// queue.
void Collectives::advance(std::uint32_t number) {
  const std::uint32_t rank = streams_[number].rank;
  const std::int32_t previous = streams_[number].queue;
  const bool ended = streams_[number].phase == streams_[number].phase_count;
  if (ended) {
    DataSet& data_set = data_sets_[streams_[number].data_set];
    if (--data_set.chunks_left == 0) {
      const Action done{ActionKind::node_done, data_set.rank, data_set.node};
      free_data_sets_.push_back(streams_[number].data_set);
      dispatcher_.run(done);
    }
  }
  if (previous >= 0) {
    std::vector<std::uint32_t>& waiting = queue_of(rank, static_cast<std::uint32_t>(previous)).streams;
    waiting.erase(std::find(waiting.begin(), waiting.end(), number));
  }
  const auto leave_previous = [&] {
    if (previous < 0) return;
    --queue_of(rank, static_cast<std::uint32_t>(previous)).running;
    start_waiting(rank, static_cast<std::uint32_t>(previous));
  };
  if (ended) {
    leave_previous();
    release(number);
    return;
  }
  Stream& stream = streams_[number];
  const std::uint32_t queue = phases_[stream.first_phase + stream.phase].queue;
  ++stream.phase;
  stream.queue = static_cast<std::int32_t>(queue);
  stream.started = false;
  std::vector<std::uint32_t>& waiting = queue_of(rank, queue).streams;
  const auto before = [&](std::uint32_t other) {
    return streams_[other].started || streams_[other].priority >= stream.priority;
  };
  waiting.insert(std::find_if_not(waiting.begin(), waiting.end(), before), number);
  leave_previous();
  start_waiting(rank, queue);
}

void Collectives::start_waiting(std::uint32_t rank, std::uint32_t queue_number) {
  RankQueue& queue = queue_of(rank, queue_number);  // stays in place: no queue is ever added
  for (std::size_t i = queue.running; i < queue.streams.size() && queue.running < running_limit_; ++i) {
    streams_[queue.streams[i]].started = true;
    begin_phase(queue.streams[i]);
    ++queue.running;
  }
}

}  // namespace orrery::simulate::astra
