#include "job/write/export_lanes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace orrery::job {

std::vector<perfetto::LaneLabel> label_lanes(const trace::Trace& trace, const trace::RankTrace& rank,
                                             LaneNumbers& numbers) {
  std::vector<perfetto::LaneLabel> labels;
  std::map<trace::LaneKey, std::int64_t> processes;
  const std::string owner = (rank.source.format == "xspace" ? "node " : "rank ") + std::to_string(rank.rank);
  for (const trace::Lane& lane : rank.lanes) {
    const auto [process, is_new] = processes.emplace(lane.process, numbers.next_process);
    if (is_new) ++numbers.next_process;
    perfetto::LaneLabel label{.process = process->second, .thread = numbers.next_thread++};
    const std::string_view name = trace.strings.text(lane.process_name);
    label.process_name = owner + " " + (name.empty() ? to_json(trace.strings, lane.process) : std::string(name));
    label.thread_name = trace.strings.text(lane.thread_name);
    if (label.thread_name.empty()) label.thread_name = to_json(trace.strings, lane.thread);
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<LaunchArrow> launch_arrows(const trace::RankTrace& rank) {
  const trace::SparseColumn& correlation = rank.field(trace::Field::correlation);
  std::vector<std::pair<std::int64_t, trace::EventIndex>> calls;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    if (rank.activity(correlation.event[i]) == trace::Activity::runtime_call)
      calls.emplace_back(correlation.value[i], correlation.event[i]);
  }
  std::sort(calls.begin(), calls.end());
  std::vector<LaunchArrow> arrows;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    const trace::EventIndex work = correlation.event[i];
    if (!is_device_work(rank.activity(work))) continue;
    const auto call =
        std::lower_bound(calls.begin(), calls.end(), std::pair(correlation.value[i], trace::EventIndex{0}));
    if (call != calls.end() && call->first == correlation.value[i]) arrows.push_back({call->second, work});
  }
  return arrows;
}

}  // namespace orrery::job
