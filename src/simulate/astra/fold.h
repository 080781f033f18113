// Symmetric ranks: when every rank does the same and the network looks the same from each, one rank stands for all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/astra_system.h"
#include "simulate/astra/actions.h"
#include "simulate/astra/network.h"
#include "workload/workload.h"

namespace orrery::simulate::astra {

/// Which of the collectives with an algorithm of their own it is, if any.
std::optional<machine::AstraCollective> implemented(workload::Collective collective);

/// A group of permutations of the ranks that takes rank 0 to any other and under which job and network look the same:
/// per dimension either a rotation (ring and direct algorithms) or an exchange by XOR (halving-doubling). Rank 0 alone
/// is simulated: whenever it sends to rank d, the rank that is moved to 0 when 0 is moved to d does the same, and its
/// message reaches rank 0 at the moment at which that of rank 0 reaches d.
///
/// The one thing that is not symmetric is the order of simultaneous events: ranks take turns, and who comes first
/// depends on their numbers. Invariant: events that reach one rank at the same time and were caused at the same time by
/// different ranks are alike, so that their order does not matter. `sees` watches it; when it is broken, the job has to
/// be simulated in full.
class Fold {
 public:
  static constexpr std::uint32_t kRepresentative = 0;

  /// Whether the job allows it at all: one program for all ranks, world collectives only, algorithms that fit together,
  /// no memory shared between ranks.
  static bool applies(const workload::Workload& workload, const machine::AstraSystem& system);

  Fold(const workload::Workload& workload, const machine::AstraSystem& system);

  /// The rank from which the representative receives what it sends to `rank`.
  [[nodiscard]] std::uint32_t inverse(std::uint32_t rank) const;

  /// An event at `now` that `source` (relative to the representative) caused at `caused_at`, and whose effect is
  /// described by `what`: the same number for events whose order does not matter. False: the order would matter.
  bool sees(std::int64_t now, std::int64_t caused_at, std::uint32_t source, std::uint64_t what);

 private:
  struct Seen {
    std::int64_t caused_at;
    std::uint32_t source;
    std::uint64_t what;
  };

  const std::vector<machine::AstraDimension>& dimensions_;
  std::vector<bool> exchanges_;  // per dimension: XOR instead of rotation
  std::int64_t now_ = -1;
  std::vector<Seen> seen_;  // distinct kinds of events at now_
};

}  // namespace orrery::simulate::astra
