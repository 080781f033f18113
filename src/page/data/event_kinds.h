// What kind of time an event of a trace is, for its colour in the page: that of the edges which its time is on, or
// would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/column.h"
#include "causal/edge_kind.h"
#include "trace/trace.h"

namespace orrery::page {

// The kinds of time as the page knows them: those of edges, and one more for ranges that hold others.

/// Annotations and recorded spans: drawn as containers. The kinds before it are those of causal::EdgeKind, by their
/// numbers.
inline constexpr std::uint8_t kAnnotationKind = static_cast<std::uint8_t>(causal::kJobEdgeKinds);
inline constexpr std::size_t kKinds = causal::kJobEdgeKinds + 1;

struct KindInfo {
  std::string_view id;      ///< "cpu_operator": the CSS variable --k-cpu_operator is its colour
  std::string_view title;   ///< "cpu operators"
  std::string_view family;  ///< host, runtime, untraced, loading, kernel, communication, copy, delay, idle, order or
                            ///< annotation: alike in colour
};

KindInfo kind_info(std::size_t kind);

/// Per event a number of page/data/event_kinds.h. One pass over the events.
Column<std::uint8_t> event_kinds(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::page
