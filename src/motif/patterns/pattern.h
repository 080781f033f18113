// A communication pattern of a parallel program: what every rank does, round by round, for any number of ranks. The
// built-in motifs are these.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/patterns/parameters.h"
#include "motif/patterns/script.h"
#include "workload/role.h"

namespace orrery::motif {

inline constexpr std::uint32_t kMostRanks = 1u << 20;
/// So that sums over all activities of a job have room.
inline constexpr std::uint64_t kMostRounds = 1'000'000'000'000;
/// Of those that are not all alike, over all programs: each is looked at before the first is run.
inline constexpr std::uint64_t kMostUnlikeRounds = 100'000'000;

/// Groups of ranks that do collectives of their own: the rows of a grid, say. Each rank is in one of them.
struct SubGroup {
  std::string_view name;
  std::vector<workload::Axis> axes;
};

struct Pattern {
  std::uint32_t ranks = 0;
  std::uint64_t rounds = 1;
  /// Every round is like the first: what is known of one is known of all.
  bool rounds_alike = true;
  /// Where they are not all alike: rounds of a rank with the same number other than 0 are. None: no two are.
  std::function<std::uint64_t(std::uint32_t rank, std::uint64_t round)> content = {};
  /// Ranks of a class do the same in every round. `class_of` tells them apart: equal numbers, equal scripts, with peers
  /// counted from the rank itself (around the ends) if `relative`, and as they are if not.
  bool relative = false;
  std::function<std::uint64_t(std::uint32_t rank)> class_of = [](std::uint32_t rank) { return rank; };
  std::vector<SubGroup> groups = {};  ///< Script::Step::group counts these
  /// Appends what `rank` does in a round. The same whenever it is asked.
  std::function<void(Script& script, std::uint32_t rank, std::uint64_t round)> append;
};

/// A pattern to be had by name.
struct PatternInfo {
  std::string_view name;      ///< "halo3d"
  std::string_view sentence;  ///< what it does
  std::span<const Parameter> parameters;
  Result<Pattern> (*make)(const Values& values, std::uint32_t ranks);
};

}  // namespace orrery::motif
