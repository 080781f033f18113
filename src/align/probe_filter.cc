#include "align/probe_filter.h"

#include <algorithm>
#include <cmath>

#include "align/robust.h"

namespace orrery::align {
namespace {

/// The exchanges of one ordered pair of nodes in one window.
struct Bin {
  std::uint32_t from, to;
  std::int64_t window;
  std::uint32_t probe;
  auto operator<=>(const Bin&) const = default;
};

}  // namespace

std::vector<PairObservation> filter_probes(std::span<const ProbeExchange> probes, const ClockFit* guess,
                                           const ProbeFilterOptions& options) {
  std::vector<Bin> bins;
  bins.reserve(probes.size());
  for (std::uint32_t i = 0; i < probes.size(); ++i) {
    const ProbeExchange& probe = probes[i];
    bins.push_back({probe.from, probe.to, static_cast<std::int64_t>(std::floor(probe.t1_ns / options.window_ns)), i});
  }
  std::sort(bins.begin(), bins.end());
  std::vector<PairObservation> observations;
  std::vector<double> there, back, moments;
  for (std::size_t begin = 0, end = 0; begin < bins.size(); begin = end) {
    there.clear(), back.clear(), moments.clear();
    const Bin& bin = bins[begin];
    for (end = begin; end < bins.size() && bins[end].from == bin.from && bins[end].to == bin.to && bins[end].window == bin.window; ++end) {
      const ProbeExchange& probe = probes[bins[end].probe];
      const double at = (probe.t1_ns + probe.t4_ns) / 2;
      double known = 0;
      if (guess != nullptr) {
        const double reference = guess->reference_time(bin.from, at);
        known = guess->offset_ns(bin.to, reference) - guess->offset_ns(bin.from, reference);
      }
      there.push_back(probe.t2_ns - probe.t1_ns - known);
      back.push_back(probe.t4_ns - probe.t3_ns + known);
      moments.push_back(at);
    }
    const double q = guess != nullptr ? options.quantile : 0.5;
    const double fastest_there = quantile(there, q), fastest_back = quantile(back, q);
    const double spread = std::max(quantile(there, 0.5) + quantile(back, 0.5) - fastest_there - fastest_back, 100.0);
    double at = 0;
    for (const double moment : moments) at += (moment - moments[0]) / static_cast<double>(moments.size());
    at += moments[0];
    PairObservation seen{bin.from, bin.to, at, (fastest_there - fastest_back) / 2, spread / std::sqrt(static_cast<double>(moments.size()))};
    if (guess != nullptr) {
      const double reference = guess->reference_time(bin.from, at);
      seen.difference_ns += guess->offset_ns(bin.to, reference) - guess->offset_ns(bin.from, reference);
    }
    observations.push_back(seen);
  }
  return observations;
}

}  // namespace orrery::align
