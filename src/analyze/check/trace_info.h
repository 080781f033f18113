// What is in a trace: counts, spans, steps, devices.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::analyze {

struct CategoryCount {
  std::string name;
  trace::Activity activity{};
  std::uint64_t events = 0;
  TimePs time = 0;
};

struct StepInfo {
  std::string name;
  TimePs start = 0;  ///< since the first event of the rank
  TimePs duration = 0;
};

struct AnnotationCount {
  std::string name;
  std::uint64_t count = 0;
  TimePs time = 0;
};

/// Texts are its own: the rank need not be there any more.
struct RankInfo {
  TimePs begin = 0;  ///< since the trace's epoch
  TimePs span = 0;
  std::uint64_t events = 0, flow_points = 0, memory_bytes = 0;
  std::vector<CategoryCount> categories;  ///< by number of events, then by name
  std::vector<StepInfo> steps;            ///< by start
  std::vector<AnnotationCount>
      annotations;  ///< host annotations other than steps, by time, the largest first, then by name
  std::vector<AnnotationCount> collectives;  ///< recorded collectives by name
  std::size_t host_lanes = 0;
  std::size_t device_streams = 0;
};

/// What was read of one event, as a JSON object in the words of Chrome's traces:
/// {"name","cat","ts","dur","pid","tid","args"}; times in microseconds since the job's epoch.
std::string event_json(const trace::Trace& trace, const trace::RankTrace& rank, trace::EventIndex event);

RankInfo describe(const trace::Trace& trace, const trace::RankTrace& rank);

/// For another process of the same program. `begin` is left out: it counts from another epoch there.
void pack(const RankInfo& info, PackedWriter& writer);
RankInfo unpack_info(PackedReader& reader);

// What is in a trace, as Sheets.

struct DescribedRank {
  const trace::RankTrace* rank = nullptr;  ///< where it is from; its events are not looked at
  RankInfo info;
};

/// Which way it was recorded, in this order and in words that programs can rely on: host, device, mpi, shapes, stacks,
/// modules, memory, flops, host_trace (a host execution trace was recorded beside it). What recording costs hangs on it
/// (whatif/recording_cost.h). From categories and the head of the file: the order of events is nothing to it. Empty
/// where nobody recorded anything (simulated runs).
std::vector<std::string_view> recorded_with(const DescribedRank& described);

/// Of these ranks, each row with its rank:
/// - ranks, one row per rank: path, format, sizes, counts, span_us; what people read are lines (report::to_lines), not
/// a
///   table;
/// - devices: id, name, memory_bytes, multiprocessors;
/// - categories: name, meaning, events, time_us; by number of events;
/// - steps: name, start_us, duration_us; by start;
/// - annotations: name, count, time_us; by time;
/// - collectives: the same.
std::vector<report::Sheet> info_sheets(std::span<const DescribedRank> ranks);

/// Their places in that list.
inline constexpr std::size_t kRanksOfInfo = 0, kCategoriesOfInfo = 2;

}  // namespace orrery::analyze
