// Communicators that do the same at the same time, because their members are of the same classes.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/engine/rank_classes.h"
#include "workload/membership.h"

namespace orrery::simulate {

using workload::Communicator;

/// The communicators whose members are, place by place, of the same classes: what one does they all do.
struct Bundle {
  std::vector<std::uint32_t> communicators;
  std::vector<std::uint32_t> classes;  ///< of their members, each once; that of the first members is the first
  std::vector<std::uint32_t> streams;  ///< what the program of each of these classes calls them
};

struct Bundles {
  std::vector<Bundle> all;  ///< by first communicators
  std::vector<std::uint32_t> of_communicator;
  std::vector<std::uint64_t> first_stream;  ///< per class, and the total
  std::vector<std::uint32_t> of_stream;     ///< by first_stream and stream

  Bundles(const workload::Membership& membership, const RankClasses& classes);
  /// Of a stream of a class of ranks.
  [[nodiscard]] std::uint32_t number(std::uint32_t rank_class, std::uint32_t stream) const {
    return of_stream[first_stream[rank_class] + stream];
  }
};

}  // namespace orrery::simulate
