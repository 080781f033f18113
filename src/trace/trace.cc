#include "trace/trace.h"

#include "base/json/json_writer.h"

namespace orrery::trace {

const char* to_string(Activity activity) {
  switch (activity) {
    case Activity::other: return "other";
    case Activity::cpu_operator: return "cpu operator";
    case Activity::python: return "python";
    case Activity::annotation: return "annotation";
    case Activity::runtime_call: return "runtime call";
    case Activity::kernel: return "kernel";
    case Activity::memory_copy: return "memory copy";
    case Activity::memory_set: return "memory set";
    case Activity::device_annotation: return "device annotation";
    case Activity::synchronization: return "synchronization";
    case Activity::overhead: return "profiler overhead";
    case Activity::profiler_span: return "profiler span";
    case Activity::mpi_call: return "MPI call";
  }
  return "other";
}

std::string to_json(const Interner& strings, LaneKey key) {
  if (key.text == 0) return std::to_string(key.number);
  std::string quoted;
  append_json_string(quoted, strings.text(key.text));
  return quoted;
}

}  // namespace orrery::trace
