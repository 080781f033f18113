#include "tracer/session.h"

#include "tracer/clock_probes.h"
#include "tracer/facts.h"
#include "tracer/recorder.h"

namespace orrery::tracer {
namespace {

Settings session_settings;
Place session_place;

}  // namespace

bool begin_session(const std::string& prefix) {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  session_settings = read_settings();
  session_settings.prefix = prefix;
  session_place = find_place(session_settings);
  take_probes(session_place, session_settings, true);
  recorder = Recorder::start(session_settings, facts_of_this_process(session_place, session_settings, now_ns()),
                             level == MPI_THREAD_MULTIPLE);
  return recorder != nullptr;
}

void name_communicator(MPI_Comm handle, const std::string& name) {
  if (recorder == nullptr) return;
  const std::lock_guard lock(recorder->mutex);
  recorder->description.communicators.call(handle, name);
}

void end_session() {
  if (recorder != nullptr) {
    const std::lock_guard lock(recorder->mutex);
    recorder->finish();
  }
  recorder = nullptr;
  take_probes(session_place, session_settings, false);
  PMPI_Comm_free(&session_place.comm);
}

}  // namespace orrery::tracer
