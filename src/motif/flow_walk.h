// How often every call and every transition of a control flow happens, in expectation, in one run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "motif/motif.h"

namespace orrery::motif {

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
