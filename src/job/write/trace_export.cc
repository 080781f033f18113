#include "job/write/trace_export.h"

#include <map>
#include <vector>

#include "formats/perfetto/writer.h"
#include "job/write/packet_export.h"

namespace orrery::job {
namespace {

void push(trace::Flows& flows, std::int64_t id, TimePs time, trace::LaneIndex lane, std::uint16_t category,
          char phase) {
  flows.id.push_back(id);
  flows.time.push_back(time);
  flows.lane.push_back(lane);
  flows.category.push_back(category);
  flows.phase.push_back(phase);
}

trace::Flows renumber_flows(const trace::RankTrace& rank, std::int64_t& next_flow) {
  trace::Flows flows;
  std::map<std::int64_t, std::int64_t> ids;
  for (std::size_t i = 0; i < rank.flows.size(); ++i) {
    const auto [id, is_new] = ids.emplace(rank.flows.id[i], next_flow);
    if (is_new) ++next_flow;
    push(flows, id->second, rank.flows.time[i], rank.flows.lane[i], rank.flows.category[i], rank.flows.phase[i]);
  }
  return flows;
}

trace::Flows flows_of_correlations(const trace::RankTrace& rank, std::int64_t& next_flow) {
  trace::Flows flows;
  for (const LaunchArrow& arrow : launch_arrows(rank)) {
    const std::int64_t id = next_flow++;
    push(flows, id, rank.start[arrow.call], rank.lane[arrow.call], rank.category[arrow.call], 's');
    push(flows, id, rank.start[arrow.work], rank.lane[arrow.work], rank.category[arrow.call], 'f');
  }
  return flows;
}

}  // namespace

Status export_trace(const trace::Trace& trace, const std::string& path) {
  perfetto::Header header{.world_size = static_cast<std::int64_t>(trace.ranks.size())};
  if (trace.ranks.size() == 1) header = perfetto::header_of(trace.ranks.front());
  Result<perfetto::TraceWriter> writer = perfetto::TraceWriter::create(path, header);
  if (!writer) return writer.error();
  LaneNumbers numbers;
  std::int64_t next_flow = 1;
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::vector<perfetto::LaneLabel> labels = label_lanes(trace, rank, numbers);
    const trace::Flows flows =
        rank.flows.size() != 0 ? renumber_flows(rank, next_flow) : flows_of_correlations(rank, next_flow);
    writer->add_rank(rank, trace.strings, labels, flows);
  }
  return writer->commit();
}

}  // namespace orrery::job
