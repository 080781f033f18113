// Which flow takes which link: the incidence both ways, with the state that a flow and a link have in the fluid model.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.h"
#include "machine/network.h"

namespace orrery::simulate {

/// A flow at rate r takes weight * r of the link's capacity.
struct LinkShare {
  machine::LinkId link = 0;
  double weight = 1;
};

/// Adding and removing a flow takes time proportional to its links, however many flows those have. Memory of removed flows is used again.
class FlowTable {
 public:
  static constexpr double kUnbound = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNoLink = ~std::uint32_t{0};

  /// What the solver touches of a flow at every step: half a cache line.
  struct Flow {
    double rate = 0;                     ///< bytes per second; 0 until the first solve
    double remaining = 0;                ///< bytes, when `bottleneck` was last solved
    std::uint32_t mark = 0;              ///< MaxMinSolver's
    std::uint32_t bottleneck = kNoLink;  ///< the link at which it stopped growing; kNoLink until the first solve
    std::uint32_t first_share = 0;
    std::uint32_t share_count = 0;
  };

  /// One link of a flow.
  struct Share {
    double weight;
    std::uint32_t link;
    std::uint32_t position;  ///< in the link's list of flows
  };

  /// One flow on a link.
  struct Entry {
    double weight;
    std::uint32_t flow;
    std::uint32_t share;  ///< index of the Share that is the other end
  };

  struct Link {
    double capacity = 0;         ///< bytes per second
    double used = 0;             ///< by its flows; while solving: by those that do not grow any more
    double growing = 0;          ///< while solving: weight of the flows that still grow
    double level = kUnbound;     ///< the rate at which it stopped flows from growing; kUnbound if it stops none
    double least_remaining = 0;  ///< among the flows it stopped
    TimePs solved_ps = 0;        ///< when `level` was last determined
    std::uint32_t growing_count = 0;
    std::uint32_t mark = 0;          ///< MaxMinSolver's
    std::uint32_t sums_updated = 0;  ///< how often `used` was changed rather than summed up
    bool complete = false;           ///< while solving: all flows that may change are among the growing ones
  };

  std::uint32_t add_link(double capacity);
  /// Removed by its id alone, see remove(). Links are distinct.
  std::uint32_t add(double bytes, std::span<const LinkShare> shares, std::uint32_t limit_link);
  void remove(std::uint32_t flow);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Above every id in use.
  [[nodiscard]] std::uint32_t id_limit() const { return static_cast<std::uint32_t>(flows_.size()); }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }
  [[nodiscard]] double rate(std::uint32_t flow) const { return flows_[flow].rate; }

  Flow& flow(std::uint32_t id) { return flows_[id]; }
  [[nodiscard]] const Flow& flow(std::uint32_t id) const { return flows_[id]; }
  Link& link(std::uint32_t id) { return links_[id]; }
  [[nodiscard]] const Link& link(std::uint32_t id) const { return links_[id]; }
  [[nodiscard]] std::span<const Share> shares(const Flow& flow) const { return {shares_.data() + flow.first_share, flow.share_count}; }
  [[nodiscard]] std::span<const Entry> entries(std::uint32_t link) const { return entries_[link]; }

 private:
  std::uint32_t take_shares(std::uint32_t count);

  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<Share> shares_;
  std::vector<std::vector<Entry>> entries_;  ///< by link
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_shares_;  ///< by length: where blocks of shares are free
  std::uint32_t size_ = 0;
};

}  // namespace orrery::simulate
