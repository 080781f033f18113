// What kind of work an event records, independent of the format it came from.
#pragma once

#include <cstdint>

namespace orrery::trace {

enum class Activity : std::uint8_t {
  other,              ///< recorded, but of no known meaning to the analyses
  cpu_operator,       ///< a framework operator on a host thread (aten::mm)
  python,             ///< a Python frame
  annotation,         ///< a range named by the user or the profiler (ProfilerStep#3)
  runtime_call,       ///< a call into the device runtime or driver (cudaLaunchKernel, hipMemcpyAsync)
  kernel,             ///< a device kernel, communication kernels included
  memory_copy,        ///< a copy done by the device
  memory_set,         ///< a fill done by the device
  device_annotation,  ///< a user range projected onto the device
  synchronization,    ///< a recorded wait: Stream Wait Event, Event Sync, Stream Sync, Context Sync
  overhead,           ///< time the profiler itself took
  profiler_span,      ///< the extent of the recording
  mpi_call,           ///< a call into MPI on a host thread: it communicates, waits, or prepares to
};

inline bool is_device_work(Activity activity) {
  return activity == Activity::kernel || activity == Activity::memory_copy || activity == Activity::memory_set;
}

/// Host activity that takes part in call stacks.
inline bool is_host_work(Activity activity) {
  return activity == Activity::cpu_operator || activity == Activity::python || activity == Activity::annotation ||
         activity == Activity::runtime_call || activity == Activity::mpi_call;
}

const char* to_string(Activity activity);

}  // namespace orrery::trace
