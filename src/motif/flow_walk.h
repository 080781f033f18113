// How often every call and every transition of a control flow happens, in expectation, in one run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "motif/motif.h"

namespace orrery::motif {

// How often a chain takes each of its steps.

/// Per step of the chain, the expected number per entry. Steps are laws of their own, which need not balance; the
/// shares of the steps after one context are what a walk is drawn by, and from these the numbers follow: what comes to
/// a context leaves it. A chain whose shares never lead to its end has the numbers that its laws say.
std::vector<double> step_rates(const Flow& chain, const Scope& scope);

struct FlowCounts {
  struct Call {
    double calls = 0, bytes = 0;
  };
  std::map<std::uint32_t, Call> sites = {};
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> transitions = {};  ///< from 0: the start
};

/// Bytes of one call at a site.
using BytesAt = std::function<double(std::uint32_t site, const Scope& scope)>;

/// The work doubles with every loop or chain inside another (kDeepestFlow in motif.h bounds that).
FlowCounts count_flow(const Flow& flow, const Scope& scope, const BytesAt& bytes);

}  // namespace orrery::motif
