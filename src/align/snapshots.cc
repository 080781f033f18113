#include "align/snapshots.h"

#include <utility>
#include <vector>

#include "base/int128.h"

namespace orrery::align {
namespace {

constexpr std::int64_t kYearNs =
    31'557'600'000'000'000;  // no job runs as long: larger readings count from the Unix epoch

}  // namespace

trace::ClockSnapshots recorded_snapshots(const trace::Trace& trace, const trace::RankTrace& rank) {
  trace::ClockSnapshots snapshots;
  const trace::SparseColumn& readings = rank.field(trace::Field::tracer_clock);
  for (std::size_t i = 0; i < readings.event.size(); ++i) {
    const std::int64_t host_ns = trace.epoch_unix_ns - rank.era_ns + rank.start[readings.event[i]] / kPsPerNs;
    snapshots.pairs.push_back({host_ns, readings.value[i]});
  }
  return snapshots;
}

trace::ClockSnapshots since_start(trace::ClockSnapshots snapshots, std::optional<std::int64_t> profile_start_unix_ns,
                                  const trace::NodeStart* start) {
  if (snapshots.host_start_ns != 0 || snapshots.pairs.empty()) return snapshots;
  const trace::SnapshotPair& first = snapshots.pairs.front();
  const bool are_absolute = first.host_ns > kYearNs;
  snapshots.host_start_ns =
      start != nullptr ? start->host_start_ns : profile_start_unix_ns.value_or(are_absolute ? first.host_ns : 0);
  if (!are_absolute) return snapshots;
  const std::int64_t host_start = snapshots.host_start_ns;
  // Over the first moments the two clocks differ in rate by less than a nanosecond per millisecond.
  const bool start_is_known = start != nullptr && start->tracer_start_ns != 0;
  const Int128 tracer_start =
      start_is_known ? Int128{start->tracer_start_ns} : Int128{first.tracer_ns} - first.host_ns + host_start;
  std::vector<trace::SnapshotPair> placed;
  for (const trace::SnapshotPair& pair : snapshots.pairs) {
    const Int128 host = Int128{pair.host_ns} - host_start, tracer = pair.tracer_ns - tracer_start;
    if (host > kYearNs || host < -kYearNs || tracer > kYearNs || tracer < -kYearNs) continue;  // of another time
    placed.push_back({static_cast<std::int64_t>(host), static_cast<std::int64_t>(tracer)});
  }
  snapshots.pairs = std::move(placed);
  return snapshots;
}

}  // namespace orrery::align
