// HTA's graph and path of a small trace as lines of text.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "causal/hta/critical_path.h"
#include "step_path_text.h"

namespace orrery::causal::hta::testing {

using causal::testing::Lines;
using causal::testing::us_text;
using orrery::testing::SmallTrace;

inline std::string describe(const CriticalPath& path, NodeNumber node) {
  return std::string(path.rows.name_text(path.window.nodes.row[node])) +
         (path.window.nodes.is_start[node] != 0 ? ".start" : ".end");
}

/// "operator aten::mm.start -> aten::add.start 10 of aten::mm": type, nodes, weight in microseconds, event it is
/// attributed to.
inline std::string describe(const CriticalPath& path, const Edge& edge) {
  std::string text = std::string(to_string(edge.type)) + " " + describe(path, edge.from) + " -> " +
                     describe(path, edge.to) + " " + us_text(edge.weight);
  if (edge.attributed != kNoRow) text += " of " + std::string(path.rows.name_text(edge.attributed));
  return text;
}

inline Lines edge_lines(const CriticalPath& path) {
  Lines lines;
  for (const Edge& edge : path.edges) lines.push_back(describe(path, edge));
  return lines;
}

inline Lines path_lines(const CriticalPath& path) {
  Lines lines;
  for (const NodeNumber node : path.path_nodes) lines.push_back(describe(path, node));
  return lines;
}

/// A trace and what HTA makes of it; `error` instead of a path where HTA raises or returns None.
struct SmallPath {
  explicit SmallPath(std::string_view lines, const Options& options = {}) : trace(lines) {
    Result<CriticalPath> found = find_critical_path(trace.trace(), trace.rank(), options);
    if (found) path = std::move(*found);
    else error = found.error().message;
  }

  SmallTrace trace;
  CriticalPath path;
  std::string error;
};

/// Something of every kind that can bound a path.
inline constexpr const char* kTrace = R"(
    1       0    20   user_annotation  "load batch"
    1       30   20   cpu_op           "void f<int>"
    1       35   5    cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  50   100  kernel           gemm                   correlation=1
    1       60   5    cuda_runtime     cudaLaunchKernelExC    correlation=2
    gpu0/7  152  40   kernel           ncclKernel_AllReduce   correlation=2
    1       110  90   cuda_runtime     cudaDeviceSynchronize  correlation=3
    gpu0/-1 111  85   cuda_sync        "Context Sync"         correlation=3
    1       210  5    cpu_op           aten::add
)";

inline Options in_annotation(const std::string& text, std::size_t first = 0, std::size_t last = 0) {
  Options options;
  options.window.annotation = text;
  options.window.first_instance = first;
  options.window.last_instance = std::max(first, last);
  return options;
}

}  // namespace orrery::causal::hta::testing
