#include "formats/step_logs/log_rank.h"

#include <algorithm>
#include <optional>

namespace orrery::step_logs {

using trace::Activity;

trace::LaneIndex LogRank::lane_of(Lane lane) {
  for (trace::LaneIndex l = 0; l < rank_.lanes.size(); ++l) {
    if (rank_.lanes[l].thread.number == lane) return l;
  }
  trace::Lane made;
  made.thread.number = lane;
  made.thread_name = strings_.intern(lane == kSteps ? "steps" : "intervals");
  rank_.lanes.push_back(made);
  return static_cast<trace::LaneIndex>(rank_.lanes.size() - 1);
}

std::uint16_t LogRank::category_of(Activity activity) {
  const auto at = std::find_if(rank_.categories.begin(), rank_.categories.end(),
                               [&](const trace::Category& one) { return one.activity == activity; });
  if (at == rank_.categories.end())
    rank_.categories.push_back(
        {strings_.intern(activity == Activity::annotation ? "user_annotation" : "cpu_op"), activity});
  return static_cast<std::uint16_t>(std::find_if(rank_.categories.begin(), rank_.categories.end(),
                                                 [&](const trace::Category& one) { return one.activity == activity; }) -
                                    rank_.categories.begin());
}

std::optional<trace::EventIndex> LogRank::add(Activity activity, std::string_view name, Lane lane, Int128 start,
                                              Int128 end, std::uint64_t offset) {
  if (rank_.event_count() == 0) rank_.epoch_unix_ns = static_cast<std::int64_t>(start / kPsPerNs);
  const Int128 epoch = static_cast<Int128>(rank_.epoch_unix_ns) * kPsPerNs;
  const bool has_end = end >= start;
  if (!trace::is_moment(start - epoch) || (has_end && !trace::is_moment(end - epoch))) return std::nullopt;
  const auto ordinal = static_cast<std::uint32_t>(rank_.event_count());
  ++rank_.source.entries;
  return rank_.append_event(
      {.start = static_cast<TimePs>(start - epoch),
       .duration = has_end ? static_cast<TimePs>(end - start) : 0,
       .name = strings_.intern(name),
       .lane = lane_of(lane),
       .category = category_of(activity),
       .phase = has_end ? 'X' : 'i',
       .flags = static_cast<std::uint8_t>((has_end ? trace::kHasDuration : 0) | trace::kHasCategory)},
      {ordinal, offset});
}

void LogRank::add_counter(std::string_view name, Int128 time, double value) {
  if (rank_.event_count() == 0 && rank_.counters.size() == 0)
    rank_.epoch_unix_ns = static_cast<std::int64_t>(time / kPsPerNs);
  const Int128 moment = time - static_cast<Int128>(rank_.epoch_unix_ns) * kPsPerNs;
  if (!trace::is_moment(moment)) return;
  rank_.counters.push(trace::Counters::kNoDevice, strings_.intern(name), 0, static_cast<TimePs>(moment), value);
}

void LogRank::add_step(std::int64_t number, Int128 start, Int128 end, std::uint64_t offset) {
  const auto step = add(Activity::annotation, "step " + std::to_string(number), kSteps, start, end, offset);
  if (step) rank_.field(trace::Field::step).push(*step, number);
}

}  // namespace orrery::step_logs
