// MPI's functions as the program calls them: each does what it always did, by its second name (PMPI_...), and leaves a
// record.
#include <mpi.h>

#include <cstdio>

#include "tracer/call_arguments.h"
#include "tracer/clock_probes.h"
#include "tracer/entry.h"
#include "tracer/facts.h"
#include "tracer/recorder.h"

#define ORRERY_MPI_EXPORT extern "C" __attribute__((visibility("default")))
#define ORRERY_MPI_UNPACK(...) __VA_ARGS__

namespace orrery::tracer {
namespace {

Settings settings;
Place this_place;

/// After MPI's own initialisation; all that it costs counts as part of that call.
void start_recording(Function function, const void* caller, std::uint64_t enter_ns) {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    std::fprintf(stderr, "orrery_mpi: this process was spawned by another MPI program and is not recorded\n");
    return;
  }
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  settings = read_settings();
  this_place = find_place(settings);
  take_probes(this_place, settings, true);
  recorder =
      Recorder::start(settings, facts_of_this_process(this_place, settings, enter_ns), level == MPI_THREAD_MULTIPLE);
  Entry entry(function, caller);
  entry.times().enter_ns = enter_ns;
  if (!entry.end(MPI_SUCCESS)) return;
  entry.call();
  entry.commit();
}

}  // namespace
}  // namespace orrery::tracer

using namespace orrery::tracer;  // what calls.inc says is in these words

#define ORRERY_MPI_CALL(name, parameters, arguments, before, ...)  \
  ORRERY_MPI_EXPORT int MPI_##name(ORRERY_MPI_UNPACK parameters) { \
    Entry entry(Function::name, __builtin_return_address(0));      \
    before;                                                        \
    entry.begin();                                                 \
    const int result = PMPI_##name(ORRERY_MPI_UNPACK arguments);   \
    if (!entry.end(result)) return result;                         \
    CallDescription& call = entry.call();                          \
    __VA_ARGS__;                                                   \
    entry.commit();                                                \
    return result;                                                 \
  }
#include "tracer/calls.inc"
#undef ORRERY_MPI_CALL

ORRERY_MPI_EXPORT int MPI_Init(int* count, char*** arguments) {
  const std::uint64_t enter_ns = now_ns();
  const int result = PMPI_Init(count, arguments);
  if (result == MPI_SUCCESS) start_recording(Function::Init, __builtin_return_address(0), enter_ns);
  return result;
}

ORRERY_MPI_EXPORT int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const std::uint64_t enter_ns = now_ns();
  const int result = PMPI_Init_thread(count, arguments, required, provided);
  if (result == MPI_SUCCESS) start_recording(Function::Init_thread, __builtin_return_address(0), enter_ns);
  return result;
}

ORRERY_MPI_EXPORT int MPI_Finalize() {
  if (recorder == nullptr) {
    if (this_place.comm != MPI_COMM_NULL)
      take_probes(this_place, settings, false);  // a rank without a file still answers the others
    return PMPI_Finalize();
  }
  Entry entry(Function::Finalize, __builtin_return_address(0));
  entry.begin();
  take_probes(this_place, settings, false);
  PMPI_Comm_free(&this_place.comm);
  const int result = PMPI_Finalize();
  if (!entry.end(result)) return result;
  entry.call();
  entry.commit();
  recorder->finish();
  return result;
}

/// 0 turns the recording off, 1 on; other levels mean nothing to it.
ORRERY_MPI_EXPORT int MPI_Pcontrol(const int level, ...) {
  Entry entry(Function::Pcontrol, __builtin_return_address(0));
  entry.begin();
  const int result = PMPI_Pcontrol(level);
  // The call that turns it on is the first to be recorded, the one that turns it off the last.
  if (level != 0 && recorder != nullptr) recorder->turn(true);
  if (!entry.end(result)) return result;
  entry.call().value(level);
  entry.commit();
  if (level == 0) recorder->turn(false);
  return result;
}

ORRERY_MPI_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  {
    Entry entry(Function::Abort, __builtin_return_address(0));
    entry.begin();
    if (entry.end(MPI_SUCCESS)) {
      entry.call().value(code);
      entry.commit();
      recorder->flush();
    }
  }
  return PMPI_Abort(comm, code);
}
