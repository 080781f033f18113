// What the links of a fabric have in common: bandwidth and latency, in the units of the engine.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/topology/dimension.h"
#include "machine/topology/link.h"

namespace orrery::machine {

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

}  // namespace orrery::machine
