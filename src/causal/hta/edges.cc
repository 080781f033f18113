#include "causal/hta/edges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/radix_sort.h"
#include "causal/hta/call_stack.h"
#include "causal/hta/event_waits.h"
#include "causal/hta/name_set.h"

// The device's half walks device rows in the order of time, a synchronisation at its end, and explains each start by
// one of three: the launch if it met an empty stream, the kernel before it if the gap is short, or an event waited for.
// The host's half joins the calls of a thread along their stack, and the three calls that share the runtime's lock
// along the order in which they held it. What looks wrong here is HTA's: results must be equal, not better.

namespace orrery::causal::hta {
namespace {

constexpr TimePs kMaxKernelGap = 1500 * kPsPerUs;  // a longer gap leaves the kernel without its predecessor
constexpr std::int32_t kNoQueueLength = -1'000'000'000;

class DeviceEdges {
 public:
  DeviceEdges(const Rows& rows, const Window& window, bool zero_weight_launch_edges, EdgeList& edges)
      : rows_(rows),
        window_(window),
        nodes_(window.nodes),
        edges_(edges),
        zero_weight_launch_edges_(zero_weight_launch_edges),
        launches_(rows) {
    const Interner& strings = rows.trace->strings;
    stream_wait_ = strings.find("Stream Wait Event");
    event_sync_ = strings.find("Event Sync");
    context_sync_ = strings.find("Context Sync");
  }

  Status run() {
    count_queue_lengths();
    find_event_waits();
    for (const RowIndex r : device_rows_in_time_order()) {
      if (rows_.category_text(r) == "cuda_sync") add_sync(r);
      else if (const Status added = add_kernel(r); !added) return added;
    }
    return {};
  }

 private:
  // Outstanding work per stream: +1 at a launch, -1 when a kernel starts; the value after each row.
  void count_queue_lengths() {
    Column<KeyedIndex> device;  // rows with a stream, by correlation, in frame order
    for (const RowIndex r : rows_.frame) {
      if (rows_.stream[r] != -1) device.push_back({radix_key(rows_.correlation[r]), r});
    }
    radix_sort(device);
    const auto range_of = [&](std::int64_t correlation) {
      const std::uint64_t key = radix_key(correlation);
      const auto less = [](const KeyedIndex& item, std::uint64_t k) { return item.key < k; };
      const KeyedIndex* first = std::lower_bound(device.begin(), device.end(), key, less);
      const KeyedIndex* last = first;
      while (last != device.end() && last->key == key) ++last;
      return std::pair(first, last);
    };
    struct Change {
      RowIndex row;
      std::int32_t delta;
      std::uint32_t stream;
    };
    std::unordered_map<std::int64_t, std::uint32_t> stream_number;
    const auto number_of = [&](std::int64_t stream) {
      return stream_number.emplace(stream, static_cast<std::uint32_t>(stream_number.size())).first->second;
    };
    Column<Change> changes;
    std::vector<std::int64_t> launched;
    for (const RowIndex r : launches_.rows()) {
      const auto [first, last] = range_of(rows_.correlation[r]);
      for (const KeyedIndex* at = first; at != last; ++at)
        changes.push_back({r, 1, number_of(rows_.stream[at->index])});
      launched.push_back(rows_.correlation[r]);
    }
    std::sort(launched.begin(), launched.end());
    for (const RowIndex r : rows_.frame) {
      if (rows_.stream[r] == -1 || !std::binary_search(launched.begin(), launched.end(), rows_.correlation[r]))
        continue;
      changes.push_back({r, -1, number_of(rows_.stream[r])});
    }
    Column<KeyedIndex> order;
    for (std::uint32_t i = 0; i < changes.size(); ++i) order.push_back({radix_key(rows_.ts[changes[i].row]), i});
    radix_sort(order);
    queue_length_.assign(rows_.size(), kNoQueueLength);
    std::vector<std::int32_t> length(stream_number.size(), 0);
    for (const KeyedIndex& item : order) {
      const Change& change = changes[item.index];
      length[change.stream] += change.delta;
      // A row that is in several changes keeps the value after the first.
      if (queue_length_[change.row] == kNoQueueLength) queue_length_[change.row] = length[change.stream];
    }
  }

  void find_event_waits() {
    for (const EventRecord& record : find_event_records(rows_, launches_))
      launch_before_record_[rows_.correlation[record.call]] = record.launch_before;
    for (const StreamWait& wait : find_stream_waits(rows_, launches_))
      launch_after_wait_[rows_.index[wait.call]] = wait.launch_after;
  }

  std::vector<RowIndex> device_rows_in_time_order() const {
    Column<KeyedIndex> order;
    for (const RowIndex r : window_.rows) {
      if (rows_.partner[r] < 0) continue;
      const StringId name = rows_.name(r);
      if (rows_.stream[r] == -1 && name != event_sync_ && name != context_sync_) continue;
      // A synchronisation takes effect when it ends.
      order.push_back({radix_key(rows_.category_text(r) == "cuda_sync" ? rows_.end(r) : rows_.ts[r]), r});
    }
    radix_sort(order);
    std::vector<RowIndex> result;
    result.reserve(order.size());
    for (const KeyedIndex& item : order) result.push_back(item.index);
    return result;
  }

  // Wait of the host call with this index for a device node.
  void add_host_wait(NodeNumber from, std::int64_t call_index) {
    const RowIndex call = rows_.find(call_index);
    if (call != kNoRow && nodes_.end_of[call] != kNoNode)
      edges_.add(from, nodes_.end_of[call], EdgeType::sync_dependency);
  }

  void add_sync(RowIndex r) {
    const StringId name = rows_.name(r);
    if (name == stream_wait_ || name == event_sync_) {
      const auto before = launch_before_record_.find(rows_.wait_record[r]);
      if (before == launch_before_record_.end() || before->second == kNoRow) return;
      const RowIndex source = rows_.find(rows_.partner[before->second]);
      if (source == kNoRow) return;
      if (name == event_sync_) {
        if (nodes_.end_of[source] != kNoNode) add_host_wait(nodes_.end_of[source], rows_.partner[r]);
        return;
      }
      const auto after = launch_after_wait_.find(static_cast<std::uint32_t>(rows_.partner[r]));
      if (after == launch_after_wait_.end() || after->second == kNoRow) return;
      if (const RowIndex kernel = rows_.find(rows_.partner[after->second]); kernel != kNoRow)
        wait_of_kernel_[kernel] = source;  // one slot: a later wait overwrites
      return;
    }
    if (name == context_sync_) {
      for (const std::int64_t stream : streams_) add_host_wait(last_on_[stream], rows_.partner[r]);
    } else if (const auto last = last_on_.find(rows_.stream[r]); last != last_on_.end()) {
      add_host_wait(last->second, rows_.partner[r]);
    }
  }

  Status add_kernel(RowIndex r) {
    const NodeNumber start = nodes_.start_of[r];
    if (start == kNoNode) return {};
    const NodeNumber end = nodes_.end_of[r];
    edges_.add_attributed(start, end, EdgeType::operator_, kNoRow);
    NodeNumber waited_for = kNoNode;
    if (const auto wait = wait_of_kernel_.find(r); wait != wait_of_kernel_.end()) {
      waited_for = nodes_.end_of[wait->second];
      if (waited_for != kNoNode) edges_.add(waited_for, start, EdgeType::sync_dependency);
      wait_of_kernel_.erase(wait);
    }
    const RowIndex call = rows_.find(rows_.partner[r]);
    const auto last = last_on_.find(rows_.stream[r]);
    const bool has_last = last != last_on_.end();
    // 0 where there is none: the conditions below ask for that first.
    const TimePs last_time = has_last ? nodes_.time[last->second] : 0;
    const TimePs wait_time = waited_for == kNoNode ? 0 : nodes_.time[waited_for];
    const NodeNumber call_start = call == kNoRow ? kNoNode : nodes_.start_of[call];
    bool launched = false;
    // The launch met an empty stream, and nothing waited for ended after it: only the launch itself can have delayed
    // it.
    if (call != kNoRow && queue_length_[call] == 1 && queue_length_[r] == 0 &&
        (!has_last || last_time < rows_.ts[call]) && (waited_for == kNoNode || wait_time < rows_.ts[call])) {
      if (call_start == kNoNode) {
        return Error{"the runtime call that launched event " + std::to_string(rows_.index[r]) + " is not in the window",
                     rows_.rank->source.path,
                     Error::kNoOffset,
                     "HTA fails here with an assertion",
                     Error::Kind::unusable,
                     Remedy::without_compat};
      }
      edges_.add(call_start, start, EdgeType::kernel_launch_delay);
      launched = true;
    } else if (has_last && rows_.ts[r] - last_time < kMaxKernelGap &&
               (waited_for == kNoNode || wait_time < last_time)) {
      edges_.add_attributed(last->second, start, EdgeType::kernel_kernel_delay, kNoRow);
    }
    // HTA's option: where the delay is explained otherwise, a launch edge of weight 0 still keeps call and kernel in
    // order.
    if (zero_weight_launch_edges_ && !launched && call_start != kNoNode)
      edges_.add(call_start, start, EdgeType::kernel_launch_delay, true);
    if (!has_last) streams_.push_back(rows_.stream[r]);
    last_on_[rows_.stream[r]] = end;
    return {};
  }

  const Rows& rows_;
  const Window& window_;
  const Nodes& nodes_;
  EdgeList& edges_;
  bool zero_weight_launch_edges_;
  StringId stream_wait_, event_sync_, context_sync_;

  Launches launches_;
  Column<std::int32_t> queue_length_;
  std::unordered_map<std::int64_t, RowIndex> launch_before_record_;  // by correlation of the record
  std::unordered_map<std::uint32_t, RowIndex> launch_after_wait_;    // by index of the call
  std::unordered_map<RowIndex, RowIndex> wait_of_kernel_;
  std::map<std::int64_t, NodeNumber> last_on_;  // by stream id alone, as HTA does
  std::vector<std::int64_t> streams_;           // in order of first use
};

}  // namespace

Status add_device_edges(const Rows& rows, const Window& window, bool zero_weight_launch_edges, EdgeList& edges) {
  return DeviceEdges(rows, window, zero_weight_launch_edges, edges).run();
}

namespace {

using trace::LaneKey;

NameSet lock_names(const Rows& rows) {
  // The calls of which HTA assumes that they take turns at one lock of the runtime.
  return {rows.trace->strings, {"cudaHostAlloc", "cudaLaunchKernel", "cudaMemcpyAsync"}};
}

// The thread all matching rows run on, if it is one.
std::optional<LaneKey> only_thread(const Rows& rows, const Window& window, std::string_view text) {
  std::optional<LaneKey> found;
  for (const RowIndex r : window.rows) {
    const std::string_view category = rows.category_text(r);
    if ((category != "cpu_op" && category != "user_annotation") ||
        rows.name_text(r).find(text) == std::string_view::npos)
      continue;
    // Several threads cannot be merged into one stack.
    if (found && *found != rows.lane(r).thread) return std::nullopt;
    found = rows.lane(r).thread;
  }
  if (found && found->number == 0 && found->text == 0) return std::nullopt;  // thread 0 is false in Python
  return found;
}

class StackWalk {
 public:
  StackWalk(const Rows& rows, const Window& window, EdgeList& edges)
      : rows_(rows),
        nodes_(window.nodes),
        edges_(edges),
        is_lock_(lock_names(rows)),
        is_blocking_(rows.trace->strings, kBlockingCalls) {}

  void walk(std::span<const RowIndex> thread) {
    last_node_ = kNoNode;
    last_parent_ = kNoRow;
    depth_ = 0;
    walk_call_stack(
        rows_, thread, [&](RowIndex r) { return rows_.end(r); }, [&](RowIndex r, RowIndex parent) { enter(r, parent); },
        [&](RowIndex r, RowIndex parent) { leave(r, parent); });
  }

 private:
  bool shares_lock(NodeNumber a, NodeNumber b) const {
    // HTA leaves these to the edges of the lock; only from the end of one to the start of the next does the stack say
    // more.
    return is_lock_(rows_.name(nodes_.row[a])) && is_lock_(rows_.name(nodes_.row[b])) &&
           (nodes_.is_start[a] != 0 || nodes_.is_start[b] == 0);
  }

  void enter(RowIndex r, RowIndex parent) {
    const NodeNumber start = nodes_.start_of[r];
    if (start == kNoNode) return;
    if (last_node_ != kNoNode && !shares_lock(last_node_, start)) {
      edges_.add_attributed(last_node_, start, depth_ == 0 ? EdgeType::dependency : EdgeType::operator_, last_parent_);
    }
    last_node_ = start;
    last_parent_ = parent;
    ++depth_;
  }

  void leave(RowIndex r, RowIndex parent) {
    const NodeNumber end = nodes_.end_of[r];
    if (end == kNoNode) return;
    if (last_node_ != kNoNode && !shares_lock(last_node_, end)) {
      edges_.add_attributed(last_node_, end, EdgeType::operator_, last_parent_, is_blocking_(rows_.name(r)));
    }
    last_node_ = end;
    last_parent_ = parent;
    --depth_;
  }

  const Rows& rows_;
  const Nodes& nodes_;
  EdgeList& edges_;
  NameSet is_lock_, is_blocking_;
  NodeNumber last_node_ = kNoNode;
  RowIndex last_parent_ = kNoRow;
  int depth_ = 0;
};

}  // namespace

void add_runtime_lock_edges(const Rows& rows, const Window& window, EdgeList& edges) {
  const NameSet is_lock = lock_names(rows);
  const Nodes& nodes = window.nodes;
  std::vector<NodeNumber> open;
  NodeNumber last = kNoNode;
  for (NodeNumber n = 0; n < nodes.size(); ++n) {
    if (!is_lock(rows.name(nodes.row[n]))) continue;
    if (nodes.is_start[n] != 0) {
      // Starts are kept until the next end, which they are joined to one and all.
      open.push_back(n);
    } else {
      for (; !open.empty(); open.pop_back()) {
        const NodeNumber start = open.back();
        if (nodes.row[start] == nodes.row[n]) edges.add_attributed(start, n, EdgeType::operator_, nodes.row[n]);
        else edges.add(start, n, EdgeType::dependency);
      }
      // Ends that follow one another had the lock one after the other.
      if (last != kNoNode && nodes.is_start[last] == 0) edges.add(last, n, EdgeType::dependency);
    }
    last = n;
  }
}

void add_call_stack_edges(const Rows& rows, const Window& window, EdgeList& edges) {
  const auto forward = only_thread(rows, window, "forward");
  const auto backward = only_thread(rows, window, "autograd");
  // While autograd's thread runs, the one that called it waits: HTA walks both as one stack if each is a single thread.
  const bool merge = forward && backward && *forward != *backward;
  const auto threads = rows_by_thread(rows, {window.rows.begin(), window.rows.size()},
                                      [&](LaneKey thread) { return merge && thread == *backward ? *forward : thread; });
  StackWalk walk(rows, window, edges);
  for (const std::vector<RowIndex>& thread : threads) {
    // Streams are no call stacks.
    const bool is_host = std::all_of(thread.begin(), thread.end(), [&](RowIndex r) { return rows.stream[r] < 0; });
    if (is_host) walk.walk(thread);
  }
}

}  // namespace orrery::causal::hta
