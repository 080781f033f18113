// Ranks that behave alike, so that one of each class has to be executed; and the communicators that therefore do.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/membership.h"

namespace orrery::simulate {

/// A partition of the ranks.
struct RankClasses {
  std::vector<std::uint32_t> class_of;  ///< per rank
  std::vector<std::vector<std::uint32_t>>
      members;  ///< per class, ascending; classes are numbered by their first members

  [[nodiscard]] std::size_t size() const { return members.size(); }
  [[nodiscard]] std::uint32_t first(std::uint32_t number) const { return members[number][0]; }
  [[nodiscard]] bool is_trivial() const { return members.size() == class_of.size(); }
};

/// Every rank a class of its own.
RankClasses each_rank_alone(std::size_t rank_count);

/// The coarsest equitable partition that is finer than "has the same program": ranks of one class are in groups whose
/// members have, place by place, the same classes, and exchange their messages with ranks of one class (colour
/// refinement; for the idea see Berkholz, Bonsma and Grohe, Tight lower and upper bounds for the complexity of
/// canonical colour refinement, 2017). If all operations that such ranks take part in take the same time, which the
/// engine watches, then ranks of a class do everything at the same moment.
///
/// Ranks whose messages name ranks instead of places in a role are classes of their own, and so is everybody if
/// receives are wild: who then takes which message is a matter of numbers. O((ranks + members of groups) x rounds),
/// mostly two rounds. `told_apart`: per rank, numbers of those that are known to be unlike; empty: nobody is.
RankClasses find_rank_classes(const workload::Membership& membership,
                              const std::vector<std::uint32_t>& told_apart = {});

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
