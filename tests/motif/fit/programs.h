// Programs whose control flow is known, run to make what a tracer would have seen of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "motif/fit/observation.h"

namespace orrery::motif::fit::testing {

/// A sequence of calls as a ClassRun, with given times per transition and bytes per site.
inline ClassRun observed(const RunParameters& run, const std::vector<std::uint32_t>& sequence,
                         const std::function<double(Edge)>& time_us, const std::function<double(std::uint32_t)>& bytes,
                         bool with_order = true) {
  ClassRun out{.run = run, .name = "run" + std::to_string(run.nodes) + "_" + std::to_string(run.size)};
  std::uint32_t previous = 0;
  for (const std::uint32_t site : sequence) {
    EdgeTimes& times = out.edges[{previous, site}];
    ++times.count;
    const double us = previous == 0 ? 0 : time_us({previous, site});
    times.sum_us += us;
    times.least_us = us;
    ++out.bytes[site].calls;
    out.bytes[site].sum += bytes(site);
    previous = site;
  }
  out.last_site = previous;
  if (with_order) {
    out.sequence = sequence;
    for (const std::uint32_t site : sequence) out.sequence_bytes.push_back(bytes(site));
  }
  return out;
}

/// Counts alone.
inline ClassRun counted(const RunParameters& run, const std::vector<std::uint32_t>& sequence) {
  return observed(
      run, sequence, [](Edge) { return 1.0; }, [](std::uint32_t) { return 8.0; });
}

}  // namespace orrery::motif::fit::testing
