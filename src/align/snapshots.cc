#include "align/snapshots.h"

namespace orrery::align {
namespace {

constexpr std::int64_t kYearNs = 31'557'600'000'000'000;  // no job runs as long: larger readings count from the Unix epoch

}  // namespace

trace::ClockSnapshots recorded_snapshots(const trace::Trace& trace, const trace::RankTrace& rank) {
  trace::ClockSnapshots snapshots;
  const trace::SparseColumn& readings = rank.field(trace::Field::tracer_clock);
  for (std::size_t i = 0; i < readings.event.size(); ++i) {
    const std::int64_t host_ns = trace.epoch_unix_ns + rank.start[readings.event[i]] / kPsPerNs;
    snapshots.pairs.push_back({host_ns, readings.value[i]});
  }
  return snapshots;
}

trace::ClockSnapshots since_start(trace::ClockSnapshots snapshots, std::optional<std::int64_t> profile_start_unix_ns,
                                  const trace::NodeStart* start) {
  if (snapshots.host_start_ns != 0 || snapshots.pairs.empty()) return snapshots;
  const trace::SnapshotPair& first = snapshots.pairs.front();
  const bool are_absolute = first.host_ns > kYearNs;
  snapshots.host_start_ns = start != nullptr ? start->host_start_ns : profile_start_unix_ns.value_or(are_absolute ? first.host_ns : 0);
  if (!are_absolute) return snapshots;
  const std::int64_t host_start = snapshots.host_start_ns;
  // Over the first moments the two clocks differ in rate by less than a nanosecond per millisecond.
  const bool start_is_known = start != nullptr && start->tracer_start_ns != 0;
  snapshots.tracer_start_ns = start_is_known ? start->tracer_start_ns : first.tracer_ns - (first.host_ns - host_start);
  for (trace::SnapshotPair& pair : snapshots.pairs) {
    pair.host_ns -= host_start;
    pair.tracer_ns -= snapshots.tracer_start_ns;
  }
  return snapshots;
}

}  // namespace orrery::align
