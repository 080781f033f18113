#include "causal/edge_kind.h"

namespace orrery::causal {

const char* to_string(EdgeKind kind) {
  static constexpr const char* kNames[kJobEdgeKinds] = {
      "cpu operators",    "python",         "runtime calls", "cpu, not recorded", "data loading", "kernels",
      "communication",    "memory copies",  "memory sets",   "launch delay",      "kernel gaps",  "stream waits",
      "return from sync", "thread handoff", "thread idle",   "device idle",       "order",        "before the window",
      "arrival",          "several",        "earlier work"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* identifier(EdgeKind kind) {
  static constexpr const char* kNames[kJobEdgeKinds] = {
      "cpu_operator", "cpu_python",  "cpu_runtime",  "cpu_untraced", "data_loading", "kernel",      "communication",
      "memory_copy",  "memory_set",  "launch_delay", "kernel_gap",   "stream_wait",  "sync_return", "handoff",
      "idle_thread",  "idle_device", "order",        "before",       "arrival",      "several",     "earlier_work"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace orrery::causal
