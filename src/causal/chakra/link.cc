#include "causal/chakra/link.h"

#include <algorithm>
#include <vector>

#include "base/radix_sort.h"
#include "causal/chakra/device_trace.h"
#include "causal/chakra/diagnostics.h"
#include "causal/chakra/gpu_parents.h"
#include "causal/chakra/host_match.h"
#include "causal/chakra/linked_rows.h"
#include "causal/chakra/sync_path.h"
#include "causal/chakra/sync_targets.h"
#include "trace/host_trace.h"

// In the order of the original: events are sorted out, exclusive times of operators found, then the dependencies
// between threads, synchronizations and the parents of device work, and all of it is written onto the rows of the host
// trace. Where the original is quadratic the same answer is found by sorting.

namespace orrery::causal::chakra {
namespace {

// chakra_trace_link looks for a cause on another thread after pauses of more than a millisecond.
constexpr double kPauseUs = 1000;
constexpr std::uint32_t kNoThread = ~std::uint32_t{0};

class Lookup {
 public:
  explicit Lookup(const HostOps& ops) : ops_(ops), last_of_other_(ops.size(), kNoThread) {
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops.thread[i] >= first_op_.size()) first_op_.resize(ops.thread[i] + 1, kNoThread);
      if (first_op_[ops.thread[i]] == kNoThread) first_op_[ops.thread[i]] = i;
      if (i > 0) last_of_other_[i] = ops.thread[i - 1] != ops.thread[i] ? i - 1 : last_of_other_[i - 1];
    }
  }

  // The operator of another thread that starts last before operator `i`; kNoThread if there is none.
  [[nodiscard]] std::uint32_t before(std::uint32_t i) const {
    const std::uint32_t thread = ops_.thread[i];
    const auto at =
        static_cast<std::uint32_t>(std::lower_bound(ops_.ts.begin(), ops_.ts.end(), ops_.ts[i]) - ops_.ts.begin());
    if (at == 0) return kNoThread;
    const std::uint32_t latest = ops_.thread[at - 1] != thread ? at - 1 : last_of_other_[at - 1];
    if (latest == kNoThread || !(ops_.ts[latest] > 0)) return kNoThread;
    std::uint32_t chosen = latest;
    for (std::uint32_t j = latest; j != kNoThread && ops_.ts[j] == ops_.ts[latest]; j = j == 0 ? kNoThread : j - 1) {
      if (ops_.thread[j] != thread && first_op_[ops_.thread[j]] <= first_op_[ops_.thread[chosen]]) chosen = j;
    }
    return chosen;
  }

 private:
  const HostOps& ops_;
  Column<std::uint32_t> last_of_other_;  // per operator: the last one before it that is of another thread
  Column<std::uint32_t> first_op_;       // per thread
};

}  // namespace

Column<std::int64_t> inter_thread_dependencies(const HostOps& ops) {
  Column<std::int64_t> dependencies(ops.size(), 0);
  const Lookup lookup(ops);
  struct ThreadState {
    std::uint32_t last = kNoThread;
    std::int64_t dependency = 0;
  };
  Column<ThreadState> threads;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops.thread[i] >= threads.size()) threads.resize(ops.thread[i] + 1);
    ThreadState& thread = threads[ops.thread[i]];
    if (thread.last == kNoThread || ops.ts[i] - ops.ts[thread.last] - ops.dur[thread.last] > kPauseUs) {
      const std::uint32_t other = lookup.before(i);
      const std::int64_t record_function = other == kNoThread ? trace::kNoNumber : ops.record_function[other];
      thread.dependency = record_function == trace::kNoNumber ? 0 : record_function;
    }
    thread.last = i;
    dependencies[i] = thread.dependency;
  }
  return dependencies;
}

namespace {

// The operators of one thread by (ts, dur).
//
// The original compares every operator with all later ones up to its end. Most of these change nothing, and two jumps
// pass them by:
// - After an operator that was joined to a stretch, those that end no later than it lie inside of what it joined: on to
// `next_longer`.
// - Those that end after the caller does not count: on to the next that ends in time, found by least ends of blocks.
// Negative durations break the first rule, hence an operator that has one is never jumped over.
class ThreadOps {
 public:
  void clear() { position_.clear(), ts_.clear(), dur_.clear(), end_.clear(); }
  void add(std::uint32_t position, double ts, double dur) {
    position_.push_back(position);
    ts_.push_back(ts);
    dur_.push_back(dur);
    end_.push_back(ts + dur);
  }
  [[nodiscard]] std::size_t size() const { return position_.size(); }
  [[nodiscard]] std::uint32_t position(std::size_t i) const { return position_[i]; }

  void prepare() {
    find_next_longer();
    least_end_.clear();
    for (std::size_t begin = 0; begin < size(); begin += kBlock)
      least_end_.push_back(*std::min_element(end_.begin() + begin, end_.begin() + std::min(begin + kBlock, size())));
  }

  [[nodiscard]] double exclusive(std::size_t i) const {
    const double end = end_[i];
    double rest = dur_[i];
    double from = 0, to = 0;
    bool is_open = false;
    for (std::size_t j = next_ending_by(i + 1, end); j < size(); j = next_ending_by(next_longer_[j], end)) {
      if (ts_[j - 1] > end) break;  // the first that starts after the end is still looked at, none behind it
      if (is_open && ts_[j] <= to) {
        to = std::max(to, end_[j]);
      } else {
        if (is_open) rest -= to - from;
        from = ts_[j], to = end_[j];
        is_open = true;
      }
      if (end < ts_[j]) break;
    }
    if (is_open) rest -= to - from;
    return rest;
  }

 private:
  static constexpr std::size_t kBlock = 64;

  void find_next_longer() {
    next_longer_.resize(size());
    std::vector<std::size_t> longer;  // later operators that end ever later
    for (std::size_t i = size(); i-- > 0;) {
      if (dur_[i] < 0) longer.clear();
      while (!longer.empty() && end_[longer.back()] <= end_[i] && dur_[longer.back()] >= 0) longer.pop_back();
      next_longer_[i] = longer.empty() ? (dur_[i] < 0 ? i + 1 : size()) : longer.back();
      longer.push_back(i);
    }
  }

  // The first at or after `j` that ends no later than `end`; size() if there is none before one starts after `end`.
  [[nodiscard]] std::size_t next_ending_by(std::size_t j, double end) const {
    while (j < size()) {
      if (j % kBlock == 0 && least_end_[j / kBlock] > end) {
        if (ts_[j] > end) return size();
        j += kBlock;
        continue;
      }
      if (end_[j] <= end) return j;
      if (ts_[j] > end) return size();
      ++j;
    }
    return size();
  }

  Column<std::uint32_t> position_;
  Column<double> ts_, dur_, end_, least_end_;
  std::vector<std::size_t> next_longer_;
};

}  // namespace

Result<Column<double>> exclusive_times(const HostOps& ops, const std::string& file) {
  Column<KeyedIndex> order;  // by thread, ts, dur
  // The sort is stable: by duration, then by start, then by thread gives all three.
  for (std::uint32_t i = 0; i < ops.size(); ++i) order.push_back({radix_key_of(ops.dur[i]), i});
  radix_sort(order);
  for (KeyedIndex& item : order) item.key = radix_key_of(ops.ts[item.index]);
  radix_sort(order);
  for (KeyedIndex& item : order) item.key = ops.thread[item.index];
  radix_sort(order);

  Column<double> exclusive(ops.size());
  ThreadOps thread;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    thread.clear();
    for (; end < order.size() && order[end].key == order[begin].key; ++end) {
      const std::uint32_t i = order[end].index;
      thread.add(i, ops.ts[i], ops.dur[i]);
    }
    thread.prepare();
    for (std::size_t i = 0; i < thread.size(); ++i) {
      const double rest = thread.exclusive(i);
      if (rest < 0) return stop(file, "an operator's callees take longer than itself: its exclusive time is negative");
      exclusive[thread.position(i)] = rest;
    }
    begin = end;
  }
  return exclusive;
}

namespace {

Result<std::vector<SyncTarget>> synchronisations(const trace::Trace& trace, const trace::RankTrace& rank,
                                                 const DeviceTrace& device, Diagnostics& diagnostics) {
  const Result<SyncPath> path = find_sync_path(trace, rank);
  if (!path) return path.error();
  if (path->refusal) {
    diagnostics.add(kNoSyncPath, [&] { return rank.source.path + ": " + *path->refusal; });
    return std::vector<SyncTarget>();
  }
  return find_sync_targets(rank, device, *path);
}

}  // namespace

Result<trace::HostTrace> link(trace::HostTrace host, trace::Trace& trace, const trace::RankTrace& rank,
                              Diagnostics& diagnostics) {
  const Result<DeviceTrace> device = sort_events(trace, rank);
  if (!device) return device.error();
  const Result<Column<double>> exclusive = exclusive_times(device->host, rank.source.path);
  if (!exclusive) return exclusive.error();
  const Column<std::int64_t> dependencies = inter_thread_dependencies(device->host);
  const Result<std::vector<SyncTarget>> sync_targets = synchronisations(trace, rank, *device, diagnostics);
  if (!sync_targets) return sync_targets.error();
  const WorkByExternalId work_under = find_gpu_parents(trace, rank, *device, diagnostics);
  const Result<HostMatch> match = match_host_rows(host, trace.strings, device->host, dependencies, diagnostics);
  if (!match) return match.error();
  return make_linked_rows(std::move(host), rank, trace.strings,
                          {*device, *exclusive, work_under, *match, *sync_targets});
}

}  // namespace orrery::causal::chakra
