// The links and paths of one instance of one dimension. Network joins the instances of all dimensions; each topology is
// one Fabric.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "machine/topology/dimension.h"

namespace orrery::machine {

// One direction of a cable: what flows share.

using LinkId = std::uint32_t;
using VertexId = std::uint32_t;  ///< devices first (the rank), then switches

struct Link {
  VertexId from = 0;
  VertexId to = 0;
  double bytes_per_second = 0;  ///< after derating; above 0, except for a link that is down
  TimePs latency_ps = 0;
};

// What the links of a fabric have in common: bandwidth and latency, in the units of the engine.

struct LinkGrade {
  double bytes_per_second = 0;
  TimePs latency_ps = 0;

  /// The dimension's own, unless a part of it says otherwise.
  static LinkGrade of(const Dimension& dimension, std::optional<double> bandwidth_gb_per_s = {},
                      std::optional<double> latency_ns = {}) {
    const double gb_per_s = bandwidth_gb_per_s.value_or(dimension.bandwidth_gb_per_s) * dimension.derate;
    const double ns = latency_ns ? *latency_ns : dimension.latency_ns.value_or(0);
    return {.bytes_per_second = gb_per_s * 1e9, .latency_ps = std::llround(ns * static_cast<double>(kPsPerNs))};
  }
  [[nodiscard]] LinkGrade times(std::int64_t cables) const {
    return {bytes_per_second * static_cast<double>(cables), latency_ps};
  }

  [[nodiscard]] Link link(VertexId from, VertexId to) const { return {from, to, bytes_per_second, latency_ps}; }
  /// Both directions of a cable, upwards or forwards first: many fabrics number their links so.
  void append_cable(VertexId from, VertexId to, std::vector<Link>& links) const {
    links.push_back(link(from, to));
    links.push_back(link(to, from));
  }
};

/// Tells the shortest paths between two places apart.
using PathNumber = std::uint64_t;
inline constexpr PathNumber kMaxPaths = PathNumber{1} << 32;

/// Counts its places and links from 0: places 0 … size-1 are devices, the vertices after them switches. Immutable.
/// Paths are computed, not stored, and nothing is allocated for them.
class Fabric {
 public:
  virtual ~Fabric() = default;

  [[nodiscard]] virtual std::uint32_t switch_count() const = 0;
  /// All links in the order of their numbers, vertices and numbers local.
  [[nodiscard]] virtual std::vector<Link> make_links() const = 0;

  /// How many shortest paths lead from one place to another, at least 1, at most kMaxPaths. The places differ.
  [[nodiscard]] virtual PathNumber path_count(std::uint32_t source, std::uint32_t target) const = 0;
  /// The one that is taken when nothing asks for variety.
  [[nodiscard]] virtual PathNumber usual_path(std::uint32_t, std::uint32_t) const { return 0; }
  /// Appends the links of path number `path` < path_count(), each plus `first_link`. Paths are in the order of their
  /// links, where that is not said otherwise.
  virtual void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                           std::vector<LinkId>& route) const = 0;

  /// For people; unique within the fabric.
  [[nodiscard]] virtual std::string switch_name(std::uint32_t index) const = 0;
  /// Which of the parallel links between the same vertices in the same direction this is, from 0.
  [[nodiscard]] virtual std::uint32_t parallel_index(LinkId) const { return 0; }
};

}  // namespace orrery::machine
