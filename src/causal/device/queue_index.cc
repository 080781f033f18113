#include "causal/device/queue_index.h"

#include <algorithm>
#include <string_view>

namespace orrery::causal {

using trace::Field;

QueueIndex::QueueIndex(const trace::Trace& trace, const trace::RankTrace& rank) : rank_(rank) {
  std::vector<std::string_view> texts;
  for (const trace::Lane& lane : rank.lanes) {
    for (const trace::LaneKey key : {lane.process, lane.thread}) {
      if (key.text != 0) texts.push_back(trace.strings.text(key.text));
    }
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  // -1 means "none" in the files, so texts count from -2 downwards.
  const auto number = [&](trace::LaneKey key) {
    if (key.text == 0) return key.number;
    return -2 - static_cast<std::int64_t>(std::lower_bound(texts.begin(), texts.end(), trace.strings.text(key.text)) -
                                          texts.begin());
  };
  for (const trace::Lane& lane : rank.lanes) of_lane_.push_back({number(lane.process), number(lane.thread)});
}

Queue QueueIndex::of(trace::EventIndex event) const {
  Queue queue = of_lane_[rank_.lane[event]];
  if (const auto device = rank_.field(Field::device).find(event); device && *device >= 0) queue.device = *device;
  if (const auto stream = rank_.field(Field::stream).find(event); stream && *stream >= 0) queue.stream = *stream;
  return queue;
}

}  // namespace orrery::causal
