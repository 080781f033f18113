// Links that are kept for the flows of one route, after the first of them has ended.
//
// A job does the same collectives over the same links again and again, and mostly nobody else comes there. While nobody
// does, the next flow of the route needs not look at any of its links to know that it is alone, and what it carried is
// written to none of them: both are known of the route as a whole. Whoever else comes to one of its links ends the
// lease, and the links are told what they carried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "simulate/fluid/flow_table.h"

namespace orrery::simulate {

/// The name of a list of links and weights that comes again: equal numbers, equal lists. Whoever makes the lists gives
/// the numbers, from 1 on.
using RouteNumber = std::uint32_t;
inline constexpr RouteNumber kNoRoute = 0;  ///< it has no name

struct RouteLease {
  static constexpr std::uint32_t kNoFlow = ~std::uint32_t{0};

  std::vector<LinkShare> shares;  ///< empty: there is no lease
  std::uint32_t flow = kNoFlow;   ///< that takes the route now
  double rate = 0;                ///< of such a flow
  std::uint32_t bottleneck = 0;   ///< likewise
  double bytes = 0;               ///< of each flow that ended and that the links were not told of,
  std::uint64_t ended = 0;        ///< how many these are,
  TimePs busy_ps = 0;             ///< and how long they took together
  std::uint32_t term = 0;         ///< counts the leases that were here
  std::uint32_t served = 0;       ///< flows that ended, as far as it takes to trust it
  bool is_disputed = false;       ///< others came to its links before
  TimePs taken_until_ps = 0;      ///< by flows that were committed ahead of time

  /// That nobody else is likely to come: those who do come early, since jobs do the same again and again.
  [[nodiscard]] bool is_trusted() const { return served >= kTrusted && !is_disputed; }
  static constexpr std::uint32_t kTrusted = 128;

  [[nodiscard]] bool is_active() const { return flow != kNoFlow; }
  /// Of a link of the route. O(log links).
  [[nodiscard]] const LinkShare& share(machine::LinkId link) const;
  /// Routes ascend by link, as those of plans do: so that a link is found among many.
  static bool can_be_of(std::span<const LinkShare> shares);
};

/// At most one lease of all routes with the same hash.
class RouteLeases {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};

  /// Where the lease of this route is, or would be.
  [[nodiscard]] Number place(std::span<const LinkShare> shares);
  /// The lease of this route; kNone if there is none. O(links), but for a route with a number O(1) from the second time
  /// on.
  [[nodiscard]] Number find(std::span<const LinkShare> shares, RouteNumber route);
  RouteLease& operator[](Number number) { return leases_[number]; }
  const RouteLease& operator[](Number number) const { return leases_[number]; }

 private:
  /// A lease that was found for a route: still the same while the term is.
  struct Found {
    Number number = kNone;
    std::uint32_t term = 0;
  };
  static constexpr std::size_t kLeases = 1024;
  [[nodiscard]] bool is_of(Number number, std::span<const LinkShare> shares) const;

  std::vector<RouteLease> leases_;  ///< none until the first place is asked for
  std::vector<Found> found_;        ///< by RouteNumber
};

}  // namespace orrery::simulate
