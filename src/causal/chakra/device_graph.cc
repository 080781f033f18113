#include "causal/chakra/device_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/numbers.h"
#include "causal/chakra/device_trace.h"
#include "causal/chakra/launch_history.h"

// As in causal/hta/edges.cc, for the older HTA that chakra_trace_link runs: no limit to gaps between kernels, no launch
// edges of weight 0, and waits that cannot be placed end the run instead of being left out.

namespace orrery::causal::chakra {
namespace {

using hta::EdgeType;
using hta::kNoNode;
using hta::kNoRow;
using hta::NodeNumber;
using hta::RowIndex;
using hta::Rows;

class DeviceGraph {
 public:
  DeviceGraph(RankGraph& graph, const LaunchHistory& history)
      : graph_(graph),
        rows_(graph.rows),
        history_(history),
        stream_wait_(rows_.trace->strings.find("Stream Wait Event")),
        event_sync_(rows_.trace->strings.find("Event Sync")),
        stream_sync_(rows_.trace->strings.find("Stream Sync")),
        context_sync_(rows_.trace->strings.find("Context Sync")),
        sync_category_(rows_.trace->strings.find("cuda_sync")) {}

  Result<std::optional<std::string>> run() {
    const std::vector<RowIndex> work = work_in_time_order();
    if (history_.has_records) {
      if (std::optional<std::string> refusal = find_text_among_numbers(work)) return refusal;
    }
    for (const RowIndex r : work) {
      const Status added = is_sync(r) ? add_sync(r) : add_kernel(r);
      if (!added) return added.error();
    }
    return std::optional<std::string>();
  }

 private:
  bool is_sync(RowIndex r) const {
    return rows_.rank->categories[rows_.rank->category[rows_.event[r]]].text == sync_category_;
  }

  std::vector<RowIndex> work_in_time_order() const {
    std::vector<RowIndex> work;
    Column<std::int64_t> keys;
    for (const RowIndex r : graph_.clipped) {
      const StringId name = rows_.name(r);
      if (rows_.partner[r] < 0 || (rows_.stream[r] == -1 && name != event_sync_ && name != context_sync_)) continue;
      work.push_back(r);
      // A wait takes effect when it ends, a kernel when it starts.
      keys.push_back(is_sync(r) ? rows_.end(r) : rows_.ts[r]);
    }
    std::vector<RowIndex> sorted;
    sorted.reserve(work.size());
    for (const std::uint32_t i : numpy_order({keys.data(), keys.size()})) sorted.push_back(work[i]);
    return sorted;
  }

  // With recorded events the original turns whole columns into integers.
  std::optional<std::string> find_text_among_numbers(const std::vector<RowIndex>& work) const {
    const Interner& strings = rows_.trace->strings;
    for (const RowIndex r : work) {
      const trace::Lane& lane = rows_.lane(r);
      for (const StringId text : {lane.process.text, lane.thread.text}) {
        if (text != 0 && !parse_number<std::int64_t>(strings.text(text)))
          return "process or thread " + std::string(strings.text(text)) + " is no number";
      }
      const auto bandwidth = rows_.rank->field(trace::Field::bandwidth_text).find(rows_.event[r]);
      if (!bandwidth) continue;
      const std::string_view text = strings.text(static_cast<StringId>(*bandwidth));
      if (!parse_number<std::int64_t>(text)) return "memory bandwidth " + std::string(text) + " is no number";
    }
    return std::nullopt;
  }

  Status add_host_wait(NodeNumber from, RowIndex sync) {
    const RowIndex call = rows_.find(rows_.partner[sync]);
    // Where the original finds no node here its run ends.
    if (call == kNoRow || graph_.nodes.end_of[call] == kNoNode)
      return stop_at(sync, "no host call of the step belongs to the wait");
    graph_.edges.add(from, graph_.nodes.end_of[call], EdgeType::sync_dependency);
    return {};
  }

  Status add_sync(RowIndex r) {
    const StringId name = rows_.name(r);
    if (name == stream_wait_ || name == event_sync_) return add_event_wait(r);
    // The whole context: for what was last on every stream so far, in the order in which streams came up.
    if (name == context_sync_) {
      for (const std::int64_t stream : streams_) {
        if (Status added = add_host_wait(last_on_.at(stream), r); !added) return added;
      }
      return {};
    }
    if (name != stream_sync_) return stop_at(r, "unknown kind of synchronisation");
    // A stream on which nothing has run yet has nothing to wait for.
    const auto last = last_on_.find(rows_.stream[r]);
    return last == last_on_.end() ? Status() : add_host_wait(last->second, r);
  }

  Status add_event_wait(RowIndex r) {
    const auto before = history_.launch_before_record.find(rows_.wait_record[r]);
    if (before == history_.launch_before_record.end() || before->second == kNoRow) return {};
    const RowIndex source = rows_.find(rows_.partner[before->second]);
    if (source == kNoRow) return {};
    // The host waits for the event here, and work of another stream in all that follows.
    if (rows_.name(r) == event_sync_) {
      return graph_.nodes.end_of[source] == kNoNode ? Status() : add_host_wait(graph_.nodes.end_of[source], r);
    }
    const auto after = history_.launch_after_wait.find(rows_.find(rows_.partner[r]));
    if (after == history_.launch_after_wait.end() || after->second == kNoRow) return {};
    waits_for_[rows_.find(rows_.partner[after->second])] = source;  // one place: a later wait takes it
    return {};
  }

  Status add_kernel(RowIndex r) {
    const NodeNumber start = graph_.add_nodes(r);
    graph_.edges.add(start, start + 1, EdgeType::operator_);
    NodeNumber waited_for = kNoNode;
    if (const auto wait = waits_for_.find(r); wait != waits_for_.end()) {
      // Work outside of the step, or later in this order, has no nodes.
      waited_for = graph_.nodes.end_of[wait->second];
      if (waited_for != kNoNode) graph_.edges.add(waited_for, start, EdgeType::sync_dependency);
      waits_for_.erase(wait);
    }
    const auto known = last_on_.find(rows_.stream[r]);
    const NodeNumber last = known == last_on_.end() ? kNoNode : known->second;
    const auto ends_before = [&](NodeNumber node, TimePs time) {
      return node == kNoNode || graph_.nodes.time[node] < time;
    };
    const RowIndex call = rows_.find(rows_.partner[r]);
    // The launch met an empty stream, and what it might have waited for had ended before.
    const bool was_idle = call != kNoRow && history_.queue_length[call] == 1 && history_.queue_length[r] == 0 &&
                          ends_before(last, rows_.ts[call]) && ends_before(waited_for, rows_.ts[call]);
    if (was_idle) {
      if (graph_.nodes.start_of[call] == kNoNode)
        return stop_at(r, "the call that launched this work is not in the step");
      graph_.edges.add(graph_.nodes.start_of[call], start, EdgeType::kernel_launch_delay);
    } else if (last != kNoNode && ends_before(waited_for, graph_.nodes.time[last])) {
      // Not where a wait for another stream ended later: then that, and not the order on the stream, held this work up.
      graph_.edges.add(last, start, EdgeType::kernel_kernel_delay);
    }
    if (last == kNoNode) streams_.push_back(rows_.stream[r]);
    last_on_[rows_.stream[r]] = start + 1;
    return {};
  }

  Error stop_at(RowIndex r, const std::string& why) const {
    Error error = stop(rows_.rank->source.path, "\"" + std::string(rows_.name_text(r)) + "\": " + why);
    error.offset = rows_.rank->source_offset[rows_.event[r]];
    return error;
  }

  RankGraph& graph_;
  const Rows& rows_;
  const LaunchHistory& history_;
  StringId stream_wait_, event_sync_, stream_sync_, context_sync_, sync_category_;
  std::map<std::int64_t, NodeNumber> last_on_;  // end of the last work, by stream alone, as the original does
  std::vector<std::int64_t> streams_;           // in order of first use
  std::unordered_map<RowIndex, RowIndex> waits_for_;
};

}  // namespace

Result<std::optional<std::string>> add_device_work(RankGraph& graph) {
  const Result<LaunchHistory> history = make_launch_history(graph.rows);
  if (!history) return history.error();
  if (history->refusal) return history->refusal;
  return DeviceGraph(graph, *history).run();
}

}  // namespace orrery::causal::chakra
