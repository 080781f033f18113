#include "causal/chakra/launch_history.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/radix_sort.h"
#include "causal/chakra/device_trace.h"
#include "causal/hta/name_set.h"

// The order in which numpy's quicksort leaves equal keys shows in the result, so that sort is here again: introsort
// with the median of three as pivot, insertion sort up to 16, heap sort past twice the logarithm of partitions. With it
// queue lengths are summed up, and records and waits are placed among the launches in the order in which the original
// sees them.

namespace orrery::causal::chakra {
namespace {

// numpy's SMALL_QUICKSORT.
constexpr std::ptrdiff_t kInsertionLimit = 16;

class Introsort {
 public:
  Introsort(std::span<const std::int64_t> keys, Column<std::uint32_t>& order)
      : keys_(keys.data()), order_(order.data()) {}

  void sort(std::ptrdiff_t count) {
    if (count < 2) return;
    // numpy's limit of partitions: twice the logarithm of the length.
    put_off_.push_back({0, count - 1, 2 * (static_cast<int>(std::bit_width(static_cast<std::size_t>(count))) - 1)});
    while (!put_off_.empty()) {
      const Part part = put_off_.back();
      put_off_.pop_back();
      if (part.partitions_left < 0) heap_sort(part.first, part.last - part.first + 1);
      else quick_sort(part);
    }
  }

 private:
  struct Part {
    std::ptrdiff_t first, last;
    int partitions_left;
  };

  std::int64_t key(std::ptrdiff_t at) const { return keys_[order_[at]]; }

  void quick_sort(Part part) {
    while (part.last - part.first >= kInsertionLimit) {
      const std::ptrdiff_t pivot = partition(part.first, part.last);
      --part.partitions_left;
      // The larger half is put off, as numpy does: then the stack stays short, and equal keys end up in the same order.
      if (pivot - part.first < part.last - pivot) {
        put_off_.push_back({pivot + 1, part.last, part.partitions_left});
        part.last = pivot - 1;
      } else {
        put_off_.push_back({part.first, pivot - 1, part.partitions_left});
        part.first = pivot + 1;
      }
    }
    insertion_sort(part.first, part.last);
  }

  // Returns where the pivot ended up.
  std::ptrdiff_t partition(std::ptrdiff_t first, std::ptrdiff_t last) {
    const std::ptrdiff_t middle = first + (last - first) / 2;
    // Median of three: the three are left in order, so that the first and the last bound the loops below.
    if (key(middle) < key(first)) std::swap(order_[middle], order_[first]);
    if (key(last) < key(middle)) std::swap(order_[last], order_[middle]);
    if (key(middle) < key(first)) std::swap(order_[middle], order_[first]);
    const std::int64_t pivot = key(middle);
    std::ptrdiff_t up = first;
    std::ptrdiff_t down = last - 1;
    // The pivot waits next to the last place, where neither loop runs past it.
    std::swap(order_[middle], order_[down]);
    for (;;) {
      do ++up;
      // Equal keys stop both loops and are swapped: that is where numpy's order of equals comes from.
      while (key(up) < pivot);
      do --down;
      while (pivot < key(down));
      if (up >= down) break;
      std::swap(order_[up], order_[down]);
    }
    std::swap(order_[up], order_[last - 1]);
    return up;
  }

  void insertion_sort(std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first + 1; i <= last; ++i) {
      const std::uint32_t item = order_[i];
      std::ptrdiff_t at = i;
      for (; at > first && keys_[item] < key(at - 1); --at) order_[at] = order_[at - 1];
      order_[at] = item;
    }
  }

  // Positions in the heap count from 1: that of the greatest key.
  void sift_down(std::uint32_t* heap, std::ptrdiff_t at, std::ptrdiff_t count, std::uint32_t item) {
    for (std::ptrdiff_t child = 2 * at; child <= count; child = 2 * at) {
      if (child < count && keys_[heap[child - 1]] < keys_[heap[child]]) ++child;
      if (!(keys_[item] < keys_[heap[child - 1]])) break;
      heap[at - 1] = heap[child - 1];
      at = child;
    }
    heap[at - 1] = item;
  }

  void heap_sort(std::ptrdiff_t first, std::ptrdiff_t count) {
    std::uint32_t* const heap = order_ + first;
    for (std::ptrdiff_t at = count / 2; at > 0; --at) sift_down(heap, at, count, heap[at - 1]);
    for (; count > 1; --count) {
      const std::uint32_t item = std::exchange(heap[count - 1], heap[0]);
      sift_down(heap, 1, count - 1, item);
    }
  }

  const std::int64_t* keys_;
  std::uint32_t* order_;
  std::vector<Part> put_off_;
};

}  // namespace

Column<std::uint32_t> numpy_order(std::span<const std::int64_t> keys) {
  Column<std::uint32_t> order(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) order[i] = i;
  Introsort(keys, order).sort(static_cast<std::ptrdiff_t>(keys.size()));
  return order;
}

namespace {

using hta::kNoRow;
using hta::RowIndex;
using hta::Rows;
using trace::LaneKey;

struct Launch {
  RowIndex call;
  RowIndex kernel;
};

class HistoryBuilder {
 public:
  explicit HistoryBuilder(const Rows& rows) : rows_(rows) {}

  Result<LaunchHistory> build() {
    find_calls();
    if (const Status counted = count_queue_lengths(); !counted) return counted.error();
    for (const RowIndex r : in_time_order(calls_)) {
      if (const RowIndex kernel = device_partner(r); kernel != kNoRow) launches_.push_back({r, kernel});
    }
    find_records();
    if (!history_.refusal) find_waits();
    return std::move(history_);
  }

 private:
  using StreamOfProcess = std::pair<std::int64_t, LaneKey>;           // stream, process of the device
  using StreamOfThread = std::tuple<LaneKey, LaneKey, std::int64_t>;  // process and thread of the call, stream
  static constexpr std::int64_t kNoLaunch = -1;

  std::vector<RowIndex> in_time_order(const std::vector<RowIndex>& list) const {
    Column<std::int64_t> keys;
    for (const RowIndex r : list) keys.push_back(rows_.ts[r]);
    std::vector<RowIndex> sorted;
    sorted.reserve(list.size());
    for (const std::uint32_t i : numpy_order({keys.data(), keys.size()})) sorted.push_back(list[i]);
    return sorted;
  }

  // The row of a stream that belongs to this call and knows it too.
  RowIndex device_partner(RowIndex call) const {
    const RowIndex r = rows_.partner[call] > 0 ? rows_.find(rows_.partner[call]) : kNoRow;
    return r != kNoRow && rows_.stream[r] != -1 && rows_.partner[r] > 0 ? r : kNoRow;
  }

  bool occurs(std::string_view name) const {
    const StringId id = rows_.trace->strings.find(name);
    if (id == Interner::kMissing) return false;
    for (RowIndex r = 0; r < rows_.size(); ++r) {
      if (rows_.name(r) == id) return true;
    }
    return false;
  }

  void find_calls() {
    // Names that the original counts as launches, and no others.
    const hta::NameSet is_launch(rows_.trace->strings, {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",
                                                        "cudaMemcpyAsync", "cudaMemsetAsync"});
    for (const RowIndex r : rows_.frame) {
      if (is_launch(rows_.name(r)) && rows_.partner[r] > 0) calls_.push_back(r);
    }
  }

  // +1 at a launch, -1 when the work starts.
  struct Change {
    RowIndex row;
    std::int64_t stream;
    std::int32_t by;
  };

  Status count_queue_lengths() {
    Column<KeyedIndex> device;  // rows with a stream, by correlation, in the order of the frame
    for (const RowIndex r : rows_.frame) {
      if (rows_.stream[r] != -1) device.push_back({radix_key(rows_.correlation[r]), r});
    }
    // By a stable sort: rows of one correlation keep the order of the frame.
    radix_sort(device);
    const auto less = [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; };
    std::vector<Change> changes;
    Column<std::uint8_t> is_started(rows_.size(), 0);
    for (const RowIndex r : calls_) {
      const std::uint64_t key = radix_key(rows_.correlation[r]);
      for (const KeyedIndex* at = std::lower_bound(device.begin(), device.end(), key, less);
           at != device.end() && at->key == key; ++at) {
        changes.push_back({r, rows_.stream[at->index], 1});
        is_started[at->index] = 1;
      }
    }
    const std::size_t launched = changes.size();
    for (const RowIndex r : rows_.frame) {
      if (is_started[r] != 0) changes.push_back({r, rows_.stream[r], -1});
    }
    if (changes.empty())
      return stop(rows_.rank->source.path, "no kernel or copy has a recorded launch: there are no queues");
    // A merge in pandas would repeat rows here, and the original goes on with numbers that mean nothing.
    if (changes.size() != 2 * launched)
      return stop(rows_.rank->source.path, "several launches have one correlation: queues do not add up");
    sum_up(changes);
    return {};
  }

  void sum_up(const std::vector<Change>& changes) {
    Column<std::int64_t> keys;
    for (const Change& change : changes) keys.push_back(rows_.ts[change.row]);
    history_.queue_length.assign(rows_.size(), LaunchHistory::kNoLength);
    std::unordered_map<std::int64_t, std::int32_t> length_of;
    for (const std::uint32_t i : numpy_order({keys.data(), keys.size()})) {
      const Change& change = changes[i];
      history_.queue_length[change.row] = length_of[change.stream] += change.by;
    }
  }

  // Launches and other rows together, in the order of time: calls visit(launch number or kNoLaunch, row).
  template <typename Visit>
  void visit_with_launches(const std::vector<RowIndex>& others, bool backwards, Visit&& visit) const {
    Column<std::int64_t> keys;
    for (const Launch& launch : launches_) keys.push_back(rows_.ts[launch.call]);
    for (const RowIndex r : others) keys.push_back(rows_.ts[r]);
    Column<std::uint32_t> order = numpy_order({keys.data(), keys.size()});
    if (backwards) std::reverse(order.begin(), order.end());
    for (const std::uint32_t i : order) {
      if (i < launches_.size()) visit(static_cast<std::int64_t>(i), launches_[i].call);
      else visit(kNoLaunch, others[i - launches_.size()]);
    }
  }

  RowIndex call_of(std::int64_t launch) const {
    return launch == kNoLaunch ? kNoRow : launches_[static_cast<std::size_t>(launch)].call;
  }

  void find_records() {
    if (!occurs("cudaEventRecord")) return;
    const StringId record = rows_.trace->strings.find("cudaEventRecord");
    std::unordered_map<std::int64_t, StreamOfProcess> recorded_on;
    std::unordered_set<std::int64_t> correlations;
    std::vector<RowIndex> records;
    for (const RowIndex r : rows_.frame) {
      if (rows_.wait_stream[r] <= -1) continue;
      const StreamOfProcess on{rows_.wait_stream[r], rows_.lane(r).process};
      const auto [at, is_new] = recorded_on.emplace(rows_.wait_record[r], on);
      if (!is_new && at->second != on)
        history_.refusal = "an event is waited for as if it were recorded on several streams";
    }
    for (const RowIndex r : rows_.frame) {
      if (rows_.name(r) != record) continue;
      if (!correlations.insert(rows_.correlation[r]).second)
        history_.refusal = "several cudaEventRecord calls have one correlation";
      if (recorded_on.contains(rows_.correlation[r])) records.push_back(r);
    }
    if (history_.refusal || records.empty()) return;
    history_.has_records = true;
    std::map<StreamOfProcess, std::int64_t> last;
    visit_with_launches(in_time_order(records), false, [&](std::int64_t launch, RowIndex r) {
      if (launch != kNoLaunch) {
        const RowIndex kernel = launches_[static_cast<std::size_t>(launch)].kernel;
        std::int64_t& known =
            last.emplace(StreamOfProcess{rows_.stream[kernel], rows_.lane(kernel).process}, kNoLaunch).first->second;
        known = std::max(known, launch);
        return;
      }
      const auto at = last.find(recorded_on.at(rows_.correlation[r]));
      history_.launch_before_record[rows_.correlation[r]] = at == last.end() ? kNoRow : call_of(at->second);
    });
  }

  void find_waits() {
    if (!occurs("cudaStreamWaitEvent") || !occurs("Stream Wait Event")) return;
    const StringId wait = rows_.trace->strings.find("cudaStreamWaitEvent");
    std::vector<RowIndex> calls, waits;
    for (const RowIndex r : rows_.frame) {
      if (rows_.name(r) == wait && rows_.partner[r] > 0) calls.push_back(r);
    }
    for (const RowIndex r : in_time_order(calls)) {
      if (device_partner(r) != kNoRow) waits.push_back(r);
    }
    if (waits.empty()) {
      history_.refusal = "no cudaStreamWaitEvent belongs to a recorded wait";
      return;
    }
    std::map<StreamOfThread, std::int64_t> first;
    visit_with_launches(waits, true, [&](std::int64_t launch, RowIndex r) {
      const trace::Lane& lane = rows_.lane(r);
      const RowIndex device =
          launch == kNoLaunch ? device_partner(r) : launches_[static_cast<std::size_t>(launch)].kernel;
      const StreamOfThread key{lane.process, lane.thread, rows_.stream[device]};
      const auto at = first.find(key);
      if (launch == kNoLaunch) history_.launch_after_wait[r] = at == first.end() ? kNoRow : call_of(at->second);
      else if (at == first.end()) first.emplace(key, launch);
      else at->second = std::min(at->second, launch);
    });
  }

  const Rows& rows_;
  LaunchHistory history_;
  std::vector<RowIndex> calls_;
  std::vector<Launch> launches_;  // numbered in the order of time
};

}  // namespace

Result<LaunchHistory> make_launch_history(const Rows& rows) { return HistoryBuilder(rows).build(); }

}  // namespace orrery::causal::chakra
