#include "job/trace_export.h"

#include <algorithm>
#include <map>
#include <vector>

#include "formats/perfetto/writer.h"

namespace orrery::job {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

/// Numbers that run on over the ranks.
struct Numbering {
  std::int64_t next_process = 1;
  std::int64_t next_thread = 1;
  std::int64_t next_flow = 1;
};

std::vector<perfetto::LaneLabel> label_lanes(const trace::Trace& trace, const trace::RankTrace& rank, Numbering& numbers) {
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

void push(trace::Flows& flows, std::int64_t id, TimePs time, trace::LaneIndex lane, std::uint16_t category, char phase) {
  flows.id.push_back(id);
  flows.time.push_back(time);
  flows.lane.push_back(lane);
  flows.category.push_back(category);
  flows.phase.push_back(phase);
}

trace::Flows renumber_flows(const trace::RankTrace& rank, Numbering& numbers) {
  trace::Flows flows;
  std::map<std::int64_t, std::int64_t> ids;
  for (std::size_t i = 0; i < rank.flows.size(); ++i) {
    const auto [id, is_new] = ids.emplace(rank.flows.id[i], numbers.next_flow);
    if (is_new) ++numbers.next_flow;
    push(flows, id->second, rank.flows.time[i], rank.flows.lane[i], rank.flows.category[i], rank.flows.phase[i]);
  }
  return flows;
}

/// From the call to each piece of work with its correlation id; of calls with the same id the first counts.
trace::Flows flows_of_correlations(const trace::RankTrace& rank, Numbering& numbers) {
  const trace::SparseColumn& correlation = rank.field(Field::correlation);
  std::vector<std::pair<std::int64_t, EventIndex>> calls;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    if (rank.activity(correlation.event[i]) == Activity::runtime_call) calls.emplace_back(correlation.value[i], correlation.event[i]);
  }
  std::sort(calls.begin(), calls.end());
  trace::Flows flows;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    const EventIndex work = correlation.event[i];
    if (!is_device_work(rank.activity(work))) continue;
    const auto call = std::lower_bound(calls.begin(), calls.end(), std::pair(correlation.value[i], EventIndex{0}));
    if (call == calls.end() || call->first != correlation.value[i]) continue;
    const std::int64_t id = numbers.next_flow++;
    push(flows, id, rank.start[call->second], rank.lane[call->second], rank.category[call->second], 's');
    push(flows, id, rank.start[work], rank.lane[work], rank.category[call->second], 'f');
  }
  return flows;
}

}  // namespace

Status export_trace(const trace::Trace& trace, const std::string& path) {
  perfetto::Header header{.world_size = static_cast<std::int64_t>(trace.ranks.size())};
  if (trace.ranks.size() == 1) header = perfetto::header_of(trace.ranks.front());
  Result<perfetto::TraceWriter> writer = perfetto::TraceWriter::create(path, header);
  if (!writer) return writer.error();
  Numbering numbers;
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::vector<perfetto::LaneLabel> labels = label_lanes(trace, rank, numbers);
    const trace::Flows flows = rank.flows.size() != 0 ? renumber_flows(rank, numbers) : flows_of_correlations(rank, numbers);
    writer->add_rank(rank, trace.strings, labels, flows);
  }
  return writer->commit();
}

}  // namespace orrery::job
