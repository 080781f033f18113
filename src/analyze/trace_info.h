// What is in a trace: counts, spans, steps, devices.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace orrery::analyze {

struct CategoryCount {
  StringId text = 0;
  trace::Activity activity{};
  std::uint64_t events = 0;
  TimePs time = 0;
};

struct StepInfo {
  StringId name = 0;
  TimePs start = 0;  ///< since the first event of the rank
  TimePs duration = 0;
};

struct AnnotationCount {
  StringId name = 0;
  std::uint64_t count = 0;
  TimePs time = 0;
};

struct RankInfo {
  const trace::RankTrace* rank = nullptr;
  TimePs begin = 0;
  TimePs span = 0;
  std::vector<CategoryCount> categories;     ///< by number of events
  std::vector<StepInfo> steps;               ///< by start
  std::vector<AnnotationCount> annotations;  ///< host annotations other than steps, by time, the largest first
  std::vector<AnnotationCount> collectives;  ///< recorded collectives by name
  std::size_t host_lanes = 0;
  std::size_t device_streams = 0;
};

/// What was read of one event, as a JSON object in the words of Chrome's traces: {"name","cat","ts","dur","pid","tid","args"}; times in microseconds
/// since the job's epoch.
std::string event_json(const trace::Trace& trace, const trace::RankTrace& rank, trace::EventIndex event);

RankInfo describe(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::analyze
