// Which flow takes which link: the incidence both ways, with the state that a flow and a link have in the fluid model.
//
// In the words of the literature a flow is a variable, its rate x; a link is a constraint, x1 + w x2 + ... <= C. A link
// is saturated when the sum reaches its capacity C. A flow is frozen at the link that is its bottleneck: a saturated
// link on which no flow is faster. All flows frozen at a link have one rate, the link's level.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/column.h"
#include "machine/topology/network.h"

namespace orrery::simulate {

/// What the solver is told that a link can carry, in bytes per second. It wants more than 0 of every link; one that is
/// down is on no route, so that any number will do.
inline double solver_capacity(const machine::Link& link) {
  return link.bytes_per_second > 0 ? link.bytes_per_second : 1;
}

/// A flow at rate r takes weight * r of the link's capacity.
struct LinkShare {
  machine::LinkId link = 0;
  double weight = 1;
  std::uint32_t flows = 1;  ///< counts as so many: the weight is that of all of them
};

/// Adding a flow takes time proportional to its links, removing it also looks through the flows on them. Memory of
/// removed flows is used again.
class FlowTable {
 public:
  static constexpr double kUnbound = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNoLink = ~std::uint32_t{0};
  /// A sum over flows that changed this often is made anew, so that rounding cannot pile up.
  static constexpr std::uint8_t kChangesUntilSummedUp = 250;
  /// A route of at most so many links, all of one weight and with one flow, lies with its flow.
  static constexpr std::uint32_t kShortRoute = 10;

  /// What becomes of the flows frozen at a link, while the solver goes through the levels.
  enum class Frozen : std::uint8_t {
    kept,    ///< they keep their rate as far as is known
    thawed,  ///< they grow
    done,    ///< they have the rate of this solution
  };

  /// One cache line.
  struct Link {
    double capacity = 0;             ///< bytes per second
    double used = 0;                 ///< by frozen flows, here or elsewhere
    double level = kUnbound;         ///< the rate of the flows frozen here; kUnbound if there are none
    double frozen_weight = 0;        ///< of these flows, here
    std::uint32_t frozen_count = 0;  ///< of these flows
    // While solving:
    std::uint32_t growing_count = 0;     ///< flows on it that grow
    double growing = 0;                  ///< their weight
    double queued = kUnbound;            ///< the level for which it is in the queue
    float fastest = 0;                   ///< no flow on it that is frozen elsewhere has a higher rate
    std::uint16_t mark = 0;              ///< MaxMinSolver's: whether it was opened
    std::uint8_t changes_since_sum = 0;  ///< of `used`
    Frozen frozen = Frozen::kept;
  };
  static_assert(sizeof(Link) == 64);

  std::uint32_t add_link(double capacity);
  /// `limit_link` is a link more, with weight 1, or kNoLink. Links are distinct.
  std::uint32_t add(double bytes, std::span<const LinkShare> shares, std::uint32_t limit_link);
  /// The flow must not be frozen.
  void remove(std::uint32_t flow);
  /// A flow that is on none of its links yet: flows() and weights() do not tell of it. Whoever adds it knows that no
  /// other takes them.
  std::uint32_t add_apart(double bytes, std::span<const LinkShare> shares);
  void remove_apart(std::uint32_t flow);
  /// One whose links are not known here until set_route(): until then it has none.
  std::uint32_t add_without_route(double bytes);
  void set_route(std::uint32_t flow, double bytes, std::span<const LinkShare> shares);
  /// Puts a flow that was apart on its links.
  void connect(std::uint32_t flow);

  /// While there are no flows: they are numbered from 0 again.
  void forget_numbers();

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Above every id in use.
  [[nodiscard]] std::uint32_t id_limit() const { return static_cast<std::uint32_t>(bottlenecks_.size()); }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }

  /// The link at which the flow is frozen; kNoLink while it grows, and until the first solve.
  [[nodiscard]] std::uint32_t bottleneck(std::uint32_t flow) const { return bottlenecks_[flow]; }
  void set_bottleneck(std::uint32_t flow, std::uint32_t link) { bottlenecks_[flow] = link; }
  /// How many links it takes.
  [[nodiscard]] std::uint32_t route_length(std::uint32_t flow) const { return routes_[flow].count; }
  /// Bytes per second; 0 while it is not frozen.
  [[nodiscard]] double rate(std::uint32_t flow) const {
    const std::uint32_t link = bottlenecks_[flow];
    return link == kNoLink ? 0 : links_[link].level;
  }
  /// Bytes left, those included that FrozenFlows says were served since.
  double& remaining(std::uint32_t flow) { return routes_[flow].remaining; }
  [[nodiscard]] double remaining(std::uint32_t flow) const { return routes_[flow].remaining; }
  Link& link(std::uint32_t id) { return links_[id]; }
  [[nodiscard]] const Link& link(std::uint32_t id) const { return links_[id]; }
  /// The flows on a link, in no order, and what they weigh there. Apart, since of most flows only the number is needed.
  [[nodiscard]] std::span<const std::uint32_t> flows(std::uint32_t link) const { return on_link_[link].flows; }
  [[nodiscard]] std::span<const double> weights(std::uint32_t link) const { return on_link_[link].weights; }

  /// Calls visit(share) for every link of the flow.
  template <typename Visitor>
  void for_each_link(std::uint32_t flow, Visitor&& visit) const {
    const Route& route = routes_[flow];
    if (route.weight > 0) {
      for (std::uint32_t i = 0; i < route.count; ++i) visit(LinkShare{route.links[i], route.weight});
    } else {
      for (std::uint32_t i = 0; i < route.count; ++i) visit(shares_[route.first_share + i]);
    }
  }
  /// Calls visit(link, weight) for every link of the flow.
  template <typename Visitor>
  void for_each_share(std::uint32_t flow, Visitor&& visit) const {
    for_each_link(flow, [&](const LinkShare& share) { visit(share.link, share.weight); });
  }

 private:
  /// One cache line with all of a flow that does not go far, and weighs the same everywhere.
  struct Route {
    double remaining = 0;
    double weight = 0;              ///< on each of `links`; 0: see shares_
    std::uint32_t first_share = 0;  ///< if not in `links`
    std::uint32_t count = 0;
    std::array<std::uint32_t, kShortRoute> links = {};
  };
  static_assert(sizeof(Route) == 64);

  struct OnLink {
    std::vector<std::uint32_t> flows;
    std::vector<double> weights;  ///< of each
  };

  std::uint32_t take_id();
  std::uint32_t take_shares(std::uint32_t count);

  // Looked up in no order, and larger than the caches: columns, for their huge pages.
  Column<std::uint32_t> bottlenecks_;  ///< by flow
  Column<Route> routes_;               ///< by flow
  Column<Link> links_;
  std::vector<LinkShare> shares_;  ///< of long routes and those of several weights, in blocks
  std::vector<OnLink> on_link_;    ///< by link
  std::vector<LinkShare> new_shares_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_shares_;  ///< by length: where blocks of shares are free
  std::uint32_t size_ = 0;
};

}  // namespace orrery::simulate
