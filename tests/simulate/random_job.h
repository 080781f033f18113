// Random workloads for properties.
#pragma once

#include <rapidcheck.h>

#include <utility>
#include <vector>

#include "simulate/small_job.h"

namespace orrery::simulate::testing {

inline TimePs draw(TimePs from, TimePs to) { return *rc::gen::inRange<TimePs>(from, to); }

/// A few ranks with computes, memory and host activities, collectives in the same order on all ranks, and messages
/// whose sends come before their recvs in a common order of rounds: random, but without deadlocks.
inline std::vector<std::vector<Node>> random_ranks() {
  const auto rank_count = static_cast<std::size_t>(draw(1, 5));
  std::vector<std::vector<Node>> ranks(rank_count);
  const auto add = [&](std::size_t rank, Node node) {
    std::vector<Node>& nodes = ranks[rank];
    for (std::uint32_t before = 0; before < nodes.size(); ++before) {
      if (draw(0, 6) == 0) node.after.push_back(before);
    }
    nodes.push_back(std::move(node));
  };
  const TimePs rounds = draw(1, 12);
  for (TimePs round = 0; round < rounds; ++round) {
    for (std::size_t rank = 0; rank < rank_count; ++rank) {
      for (TimePs n = draw(0, 4); n > 0; --n) {
        Node node = compute(draw(0, 1000));
        if (draw(0, 4) == 0) node.flags |= workload::activity::kOnHost;
        if (draw(0, 6) == 0) node.kind = ActivityKind::memory_store;
        if (draw(0, 8) == 0) node.kind = ActivityKind::none;
        add(rank, node);
      }
    }
    const TimePs kind = draw(0, 3), bytes = draw(0, 500);
    if (kind == 0) {
      for (std::size_t rank = 0; rank < rank_count; ++rank) add(rank, all_reduce(bytes));
    } else if (kind == 1 && rank_count > 1) {
      const auto from = static_cast<std::size_t>(draw(0, static_cast<TimePs>(rank_count)));
      const auto to = (from + 1) % rank_count;
      add(from, send(static_cast<std::int32_t>(to), bytes));
      add(to, recv(static_cast<std::int32_t>(from), bytes));
    }
  }
  return ranks;
}

}  // namespace orrery::simulate::testing
