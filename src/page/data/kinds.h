// The kinds of time as the page knows them: those of edges, and one more for ranges that hold others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "causal/edge_kind.h"

namespace orrery::page {

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

}  // namespace orrery::page
