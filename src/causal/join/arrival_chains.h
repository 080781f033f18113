// Hubs for the first arrivals of an operation, where members of it ended before others had come.
//
// Such a member waits for those alone that had come before its end. Told one by one, these are edges by the square of
// the members. But in the order of time they are always the first so many: a chain of hubs, each of the one before it
// and of who came since then, has them all in edges linear in the members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causal/causal_graph.h"
#include "causal/join/needs.h"

namespace orrery::causal {

/// Stands for the first `arrived` of an operation.
struct ArrivalHub {
  std::uint32_t first = 0, end = 0;  ///< in ArrivalChains::arrivals: those who came since the hub before it
  std::uint32_t arrived = 0;

  /// Whether the hub before it, of the same operation, is part of it.
  [[nodiscard]] bool has_before() const { return arrived > end - first; }
};

struct ArrivalChains {
  static constexpr std::uint32_t kNoHub = ~std::uint32_t{0};

  std::vector<ArrivalHub> hubs;  ///< by operation, then by time
  std::vector<std::uint32_t>
      arrivals;  ///< places in CausalGraph::parts; of a hub by time, of equals the first part first
  std::vector<std::uint32_t>
      hub_of;  ///< per part: the hub that has all whom it waits for, itself perhaps included; empty: there is no hub

  [[nodiscard]] std::uint32_t find(std::uint32_t part) const { return hub_of.empty() ? kNoHub : hub_of[part]; }
};

/// Operations of up to so many members have their arrivals one by one, whatever the order: the edges are few, and a
/// path needs no hubs.
inline constexpr std::uint32_t kMostWithoutChains = 16;

/// For parts that wait for everybody (Needs::everybody) and ended before the last had come; with `cut_at_end` also at
/// that very moment. Only where they need many times as many arrivals as there are members. O(parts log members).
ArrivalChains chain_arrivals(std::span<const JobOperation> operations, std::span<const JobPart> parts,
                             std::span<const PartMoments> moments, std::span<const std::uint8_t> everybody,
                             bool cut_at_end);

}  // namespace orrery::causal
