#include "workload/message_pattern.h"

#include <algorithm>
#include <cassert>
#include <utility>

// The patterns of the literature for one rank: binomial and binary trees, dissemination (Hensgen, Finkel and Manber),
// rings, recursive doubling and halving (Rabenseifner), linear exchanges and pipelines. A step waits for the receives
// whose data it passes on, and for nothing else: what may go on beside it, does.

namespace orrery::workload {
namespace {

using StepId = MessagePattern::StepId;

/// The root changes places with rank 0; applying it twice changes nothing.
std::uint32_t swap_root(std::uint32_t rank, std::uint32_t root) { return rank == 0 ? root : rank == root ? 0 : rank; }

std::uint32_t after_by(std::uint32_t rank, std::uint32_t distance, std::uint32_t ranks) {
  return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % ranks);
}

std::uint32_t before_by(std::uint32_t rank, std::uint32_t distance, std::uint32_t ranks) {
  return after_by(rank, ranks - distance % ranks, ranks);
}

}  // namespace

StepId MessagePattern::add(bool is_send, std::uint32_t peer, std::int64_t bytes, std::initializer_list<StepId> after) {
  steps_.push_back({is_send, peer, bytes, static_cast<std::uint32_t>(after_.size()), 0});
  for (const StepId step : after) wait_for(step);
  return static_cast<StepId>(steps_.size() - 1);
}

void MessagePattern::wait_for(StepId step) {
  if (step == kNothing) return;
  assert(step + 1 < steps_.size());
  after_.push_back(step);
  ++steps_.back().after_count;
}

void MessagePattern::sequence(StepId first) {
  for (StepId i = first; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    // Only sends that begin a part wait for all before: the others wait for them already.
    if (!step.is_send || step.after_count != 0) continue;
    step.first_after = static_cast<std::uint32_t>(after_.size());
    step.after_count = first;
    for (StepId before = 0; before < first; ++before) after_.push_back(before);
  }
}

void MessagePattern::clear() {
  steps_.clear();
  after_.clear();
}

void append_binomial_broadcast(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                               std::int64_t bytes) {
  const std::uint32_t place = swap_root(rank, root);
  StepId received = MessagePattern::kNothing;
  // In round k the 2^k places that have the data pass it on to as many.
  for (std::uint64_t distance = 1; distance < ranks; distance *= 2) {
    if (place < distance && place + distance < ranks) {
      pattern.send(swap_root(static_cast<std::uint32_t>(place + distance), root), bytes, {received});
    } else if (place >= distance && place < 2 * distance) {
      received = pattern.recv(swap_root(static_cast<std::uint32_t>(place - distance), root), bytes);
    }
  }
}

void append_binomial_reduce(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                            std::int64_t bytes) {
  const std::uint32_t place = swap_root(rank, root);
  const auto first = static_cast<StepId>(pattern.steps().size());
  std::uint64_t parent_distance = 0;
  for (std::uint64_t distance = 1; distance < ranks; distance *= 2) {
    if (place < distance && place + distance < ranks)
      pattern.recv(swap_root(static_cast<std::uint32_t>(place + distance), root), bytes);
    if (place >= distance && place < 2 * distance) parent_distance = distance;
  }
  if (parent_distance == 0) return;
  const StepId send = pattern.send(swap_root(static_cast<std::uint32_t>(place - parent_distance), root), bytes);
  // What is passed up contains all that was received from below.
  for (StepId received = first; received < send; ++received) pattern.wait_for(received);
}

void append_binary_broadcast(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes) {
  const StepId received = rank == 0 ? MessagePattern::kNothing : pattern.recv((rank - 1) / 2, bytes);
  // The children of a node in a heap that counts from 0.
  for (std::uint64_t child = 2 * std::uint64_t{rank} + 1; child <= 2 * std::uint64_t{rank} + 2 && child < ranks;
       ++child) {
    pattern.send(static_cast<std::uint32_t>(child), bytes, {received});
  }
}

// After round k everybody has heard of 2^k others, for any number of ranks.
void append_dissemination(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes) {
  StepId received = MessagePattern::kNothing;
  for (std::uint64_t distance = 1; distance < ranks; distance *= 2) {
    pattern.send(after_by(rank, static_cast<std::uint32_t>(distance), ranks), bytes, {received});
    received = pattern.recv(before_by(rank, static_cast<std::uint32_t>(distance), ranks), bytes);
  }
}

void append_ring(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t steps,
                 std::int64_t chunk_bytes) {
  StepId received = MessagePattern::kNothing;
  for (std::uint32_t step = 0; step < steps; ++step) {
    pattern.send(after_by(rank, 1, ranks), chunk_bytes, {received});
    received = pattern.recv(before_by(rank, 1, ranks), chunk_bytes);
  }
}

void append_recursive_doubling(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes) {
  StepId received = MessagePattern::kNothing;
  for (std::uint64_t bit = 1; bit < ranks; bit *= 2) {
    const auto peer = static_cast<std::uint32_t>(rank ^ bit);
    pattern.send(peer, bytes, {received});
    received = pattern.recv(peer, bytes);
  }
}

void append_recursive_halving(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes) {
  StepId received = MessagePattern::kNothing;
  const auto exchange = [&](std::uint64_t bit) {
    const auto peer = static_cast<std::uint32_t>(rank ^ bit);
    pattern.send(peer, bytes, {received});
    received = pattern.recv(peer, bytes);
  };
  std::uint64_t bit = 1;
  // Halves outwards, then the way back: reduce-scatter and all-gather.
  for (; bit < ranks; bit *= 2) {
    bytes /= 2;
    exchange(bit);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    exchange(bit);
    bytes *= 2;
  }
}

void append_linear_all_to_all(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks,
                              std::int64_t bytes_each) {
  // Each distance in turn: at no time do two send to the same rank.
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    pattern.send(after_by(rank, distance, ranks), bytes_each);
    pattern.recv(before_by(rank, distance, ranks), bytes_each);
  }
}

void append_linear_gather(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                          std::int64_t bytes_each) {
  if (rank != root) {
    pattern.send(root, bytes_each);
    return;
  }
  for (std::uint32_t place = 1; place < ranks; ++place) pattern.recv(swap_root(place, root), bytes_each);
}

void append_linear_scatter(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                           std::int64_t bytes_each) {
  if (rank != root) {
    pattern.recv(root, bytes_each);
    return;
  }
  for (std::uint32_t place = 1; place < ranks; ++place) pattern.send(swap_root(place, root), bytes_each);
}

void append_pipelined_chain(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes,
                            std::int64_t segment_bytes) {
  for (std::int64_t at = 0; at < bytes; at += segment_bytes) {
    const std::int64_t size = std::min(segment_bytes, bytes - at);
    const StepId received = rank == 0 ? MessagePattern::kNothing : pattern.recv(rank - 1, size);
    if (rank + 1 < ranks) pattern.send(rank + 1, size, {received});
  }
}

void append_double_ring(MessagePattern& pattern, std::uint32_t rank, std::uint32_t ranks, std::int64_t bytes) {
  const std::uint32_t next = after_by(rank, 1, ranks), previous = before_by(rank, 1, ranks);
  for (const auto& [to, from] : {std::pair{next, previous}, std::pair{previous, next}}) {
    if (rank == 0) {
      pattern.send(to, bytes);
      pattern.recv(from, bytes);
    } else {
      const StepId received = pattern.recv(from, bytes);
      pattern.send(to, bytes, {received});
    }
  }
}

}  // namespace orrery::workload
