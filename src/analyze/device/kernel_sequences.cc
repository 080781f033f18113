#include "analyze/device/kernel_sequences.h"

#include <algorithm>
#include <map>

#include "analyze/distribution.h"
#include "analyze/whatif/edit_selector.h"

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

// The outermost matching events of each lane, by start.
std::vector<std::vector<EventIndex>> outermost(const DeviceRank& devices, const Column<std::uint8_t>& matches) {
  const trace::RankTrace& rank = *devices.rank;
  std::vector<EventIndex> found;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const Activity activity = rank.activity(e);
    if (matches[rank.name[e]] == 0 || (activity != Activity::cpu_operator && activity != Activity::annotation)) continue;
    if (rank.has_duration(e) && rank.start[e] >= devices.window.begin && rank.start[e] < devices.window.end) found.push_back(e);
  }
  // Of two that start together the longer comes first: it is around the other.
  std::sort(found.begin(), found.end(), [&](EventIndex a, EventIndex b) { return devices.content.before(a, b); });
  std::vector<std::vector<EventIndex>> lanes(rank.lanes.size());
  for (const EventIndex e : found) {
    std::vector<EventIndex>& lane = lanes[rank.lane[e]];
    if (lane.empty() || rank.start[e] >= rank.end(lane.back())) lane.push_back(e);
  }
  return lanes;
}

void add_sequences(const DeviceRank& devices, const Column<std::uint8_t>& matches, std::size_t least, std::vector<KernelSequence>& out) {
  const trace::RankTrace& rank = *devices.rank;
  const auto lanes = outermost(devices, matches);
  std::map<EventIndex, std::vector<std::uint32_t>> works_of;
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    const causal::DeviceWork& work = devices.timeline.works[w];
    if (work.call == causal::kNoEvent) continue;
    const std::vector<EventIndex>& lane = lanes[rank.lane[work.call]];
    const auto after =
        std::upper_bound(lane.begin(), lane.end(), work.call_start, [&](TimePs time, EventIndex e) { return time < rank.start[e]; });
    if (after != lane.begin() && work.call_end <= rank.end(*(after - 1))) works_of[*(after - 1)].push_back(w);
  }
  // By what they say, not by number: the numbers of texts depend on the order of the file.
  std::map<std::vector<std::string_view>, KernelSequence> by_names;
  for (const auto& [op, works] : works_of) {
    if (works.size() < least) continue;
    std::vector<std::string_view> key = {devices.trace->name(rank, op)};
    for (const std::uint32_t w : works) key.push_back(devices.trace->strings.text(devices.name_of(w)));
    KernelSequence& sequence = by_names[std::move(key)];
    if (sequence.count++ == 0) {
      sequence.rank = rank.rank;
      sequence.op = rank.name[op];
      for (const std::uint32_t w : works) sequence.kernels.push_back(devices.name_of(w));
    }
    for (const std::uint32_t w : works)
      sequence.device_time = plus_capped(sequence.device_time, devices.timeline.works[w].end - devices.timeline.works[w].start);
    sequence.host_time = plus_capped(sequence.host_time, rank.duration[op]);
  }
  const std::size_t first = out.size();
  for (auto& [key, sequence] : by_names) out.push_back(std::move(sequence));
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                   [](const KernelSequence& a, const KernelSequence& b) { return a.count > b.count; });
}

}  // namespace

std::vector<KernelSequence> kernel_sequences(const std::vector<DeviceRank>& ranks, const std::string& pattern, std::size_t least) {
  std::vector<KernelSequence> sequences;
  if (ranks.empty()) return sequences;
  const Column<std::uint8_t> matches = matching(ranks.front().trace->strings, NamePattern::glob(pattern));
  for (const DeviceRank& devices : ranks) add_sequences(devices, matches, least, sequences);
  return sequences;
}

}  // namespace orrery::analyze
