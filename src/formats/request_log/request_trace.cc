#include "formats/request_log/request_trace.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trace/disjoint_rows.h"

namespace orrery::request_log {
namespace {

using trace::Activity;

enum RequestCategory : std::uint16_t { kRequest, kRequestPart };

void add_lane(trace::RankTrace& rank, Interner& strings) {
  const auto number = static_cast<std::int64_t>(rank.lanes.size()) + 1;
  trace::Lane lane;
  lane.thread.number = number;
  lane.process_name = strings.intern("requests");
  lane.thread_name = strings.intern("requests " + std::to_string(number));
  rank.lanes.push_back(lane);
}

void add_arguments(trace::RankTrace& rank, trace::EventIndex event, const LoggedRequest& request) {
  const std::pair<const char*, const std::optional<std::uint32_t>&> known[] = {
      {"prompt", request.prompt}, {"generate", request.generate}, {"replica", request.replica}};
  for (const auto& [name, value] : known) {
    if (value) rank.arguments.named(name, trace::ValueType::integer).push(event, *value);
  }
}

}  // namespace

trace::RankTrace trace_requests(const RequestLog& log, Interner& strings) {
  trace::RankTrace rank;
  rank.source.path = log.path;
  rank.source.format = "request_log";
  rank.source.file_bytes = log.file_bytes;
  rank.source.text_bytes = log.text_bytes;
  rank.source.entries = log.requests.size();
  // Ranges that the recorder names, so that all verbs know when something went on.
  for (const char* const category : {"request", "request part"})
    rank.categories.push_back({strings.intern(category), Activity::annotation});
  std::vector<std::size_t> order(log.requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return log.requests[a].arrival_ps < log.requests[b].arrival_ps;
  });
  trace::DisjointRows rows;
  for (const std::size_t i : order) {
    const LoggedRequest& request = log.requests[i];
    const TimePs begin = request.arrival_ps;
    const trace::LaneIndex lane = rows.take(begin, begin + request.latency_ps);
    if (lane == rank.lanes.size()) add_lane(rank, strings);
    const auto add = [&](std::string_view name, TimePs from, TimePs until, RequestCategory category) {
      return rank.append_event({.start = begin + from,
                                .duration = until - from,
                                .name = strings.intern(name),
                                .lane = lane,
                                .category = static_cast<std::uint16_t>(category)},
                               {.ordinal = static_cast<std::uint32_t>(rank.event_count())});
    };
    add_arguments(rank, add(request.id, 0, request.latency_ps, kRequest), request);
    const TimePs queued = request.queue_ps.value_or(0);
    if (queued > 0) add("queued", 0, queued, kRequestPart);
    if (request.ttft_ps > queued) add("prefill", queued, request.ttft_ps, kRequestPart);
    if (request.latency_ps > request.ttft_ps) add("decode", request.ttft_ps, request.latency_ps, kRequestPart);
  }
  return rank;
}

}  // namespace orrery::request_log
