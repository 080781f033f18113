// Which flow takes which link: the incidence both ways, with the state that a flow and a link have in the fluid model.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/units.h"
#include "machine/network.h"

namespace orrery::simulate {

/// A flow at rate r takes weight * r of the link's capacity.
struct LinkShare {
  machine::LinkId link = 0;
  double weight = 1;
};

/// Adding a flow takes time proportional to its links, removing it also looks through the flows on them. Memory of removed flows is used
/// again.
class FlowTable {
 public:
  static constexpr double kUnbound = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNoLink = ~std::uint32_t{0};
  static constexpr std::uint32_t kNoFlow = ~std::uint32_t{0};

  /// How fast a flow is: what the solver asks of every flow on a link, so it is kept small.
  struct Pace {
    double rate = 0;                     ///< bytes per second; 0 until the first solve
    std::uint32_t mark = 0;              ///< MaxMinSolver's
    std::uint32_t bottleneck = kNoLink;  ///< the link at which it stopped growing; kNoLink until the first solve
  };

  /// One flow on a link.
  struct Entry {
    double weight;
    std::uint32_t flow;
  };

  /// One cache line.
  struct Link {
    double capacity = 0;      ///< bytes per second
    double used = 0;          ///< by its flows; while solving: by those that do not grow
    double level = kUnbound;  ///< the rate at which it stopped flows from growing; kUnbound if it stops none
    double bound = 0;         ///< weight of the flows that it stopped
    // While solving:
    double growing = 0;                   ///< weight of the flows that grow
    double queued = kUnbound;             ///< the level for which it is in MaxMinSolver's queue
    std::uint32_t growing_count = 0;      ///< flows that grow
    std::uint32_t mark = 0;               ///< MaxMinSolver's
    std::uint32_t growing_begin = 0;      ///< if `complete`: where MaxMinSolver lists the flows that grow
    std::uint16_t changes_since_sum = 0;  ///< of `used`
    bool complete = false;                ///< every flow that is faster than the level grows
    bool touched = false;                 ///< flows began to grow on it since it was last queued
  };
  static_assert(sizeof(Link) == 64);

  std::uint32_t add_link(double capacity);
  /// `limit_link` is a link more, with weight 1, or kNoLink. Links are distinct.
  std::uint32_t add(double bytes, std::span<const LinkShare> shares, std::uint32_t limit_link);
  void remove(std::uint32_t flow);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Above every id in use.
  [[nodiscard]] std::uint32_t id_limit() const { return static_cast<std::uint32_t>(paces_.size()); }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }

  Pace& pace(std::uint32_t flow) { return paces_[flow]; }
  [[nodiscard]] const Pace& pace(std::uint32_t flow) const { return paces_[flow]; }
  /// Bytes that were left when the flow's bottleneck was last solved.
  double& remaining(std::uint32_t flow) { return routes_[flow].remaining; }
  [[nodiscard]] double remaining(std::uint32_t flow) const { return routes_[flow].remaining; }
  Link& link(std::uint32_t id) { return links_[id]; }
  [[nodiscard]] const Link& link(std::uint32_t id) const { return links_[id]; }
  /// When the link last stopped flows.
  TimePs& solved_ps(std::uint32_t link) { return solved_ps_[link]; }
  [[nodiscard]] TimePs solved_ps(std::uint32_t link) const { return solved_ps_[link]; }
  /// The flows on a link, in no order, and what they weigh there. Apart, since of most flows only the number is needed.
  [[nodiscard]] std::span<const std::uint32_t> flows(std::uint32_t link) const { return on_link_[link].flows; }
  [[nodiscard]] std::span<const double> weights(std::uint32_t link) const { return on_link_[link].weights; }

  /// Calls visit(link, weight) for every link of the flow.
  template <typename Visitor>
  void for_each_share(std::uint32_t flow, Visitor&& visit) const {
    const Route& route = routes_[flow];
    if (route.weight > 0) {
      for (std::uint32_t i = 0; i < route.count; ++i) visit(route.links[i], route.weight);
    } else {
      for (std::uint32_t i = 0; i < route.count; ++i) visit(shares_[route.first_share + i].link, shares_[route.first_share + i].weight);
    }
  }
  /// The flow's links and remaining bytes are soon needed.
  void prefetch(std::uint32_t flow) const { __builtin_prefetch(&routes_[flow]); }
  /// The same of the links themselves, for a flow that was asked for before.
  void prefetch_links(std::uint32_t flow) const {
    const Route& route = routes_[flow];
    if (route.weight == 0) return;
    for (std::uint32_t i = 0; i < route.count; ++i) __builtin_prefetch(&links_[route.links[i]]);
  }
  /// The flow's rate is soon needed.
  void prefetch_pace(std::uint32_t flow) const { __builtin_prefetch(&paces_[flow]); }

 private:
  static constexpr std::uint32_t kShortRoute = 10;

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

  void set_route(std::uint32_t flow, double bytes, std::span<const LinkShare> shares);
  std::uint32_t take_shares(std::uint32_t count);

  // Looked up in no order, and larger than the caches: columns, for their huge pages.
  Column<Pace> paces_;    ///< by flow
  Column<Route> routes_;  ///< by flow
  Column<Link> links_;
  std::vector<LinkShare> shares_;  ///< of long routes and those of several weights, in blocks
  std::vector<TimePs> solved_ps_;  ///< by link
  std::vector<OnLink> on_link_;    ///< by link
  std::vector<LinkShare> new_shares_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_shares_;  ///< by length: where blocks of shares are free
  std::uint32_t size_ = 0;
};

}  // namespace orrery::simulate
