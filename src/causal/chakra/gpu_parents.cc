#include "causal/chakra/gpu_parents.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/radix_sort.h"
#include "causal/chakra/diagnostics.h"
#include "causal/hta/rows.h"

// The parent of device work is the last operator before its launch on the launching thread: first among those with the
// external id of the work, then among all. Two sorted lists answer both by one search each. Kernels of NCCL pass over
// "nccl:coalesced", which stands around many.

namespace orrery::causal::chakra {
namespace {

constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

// Operators among which parents are looked for, in the order of time.
struct Candidates {
  Column<double> ts;
  Column<std::uint32_t> thread;
  Column<std::int64_t> external_id;
  Column<std::uint8_t> is_coalesced;  ///< named "nccl:coalesced"
  [[nodiscard]] std::size_t size() const { return ts.size(); }

  void add(double at, std::uint32_t on_thread, std::int64_t id, bool coalesced) {
    ts.push_back(at);
    thread.push_back(on_thread);
    external_id.push_back(id);
    is_coalesced.push_back(coalesced ? 1 : 0);
  }
};

// The original also has an entry for the process and for each thread, at their first event. It means to give them their
// threads, but they all end up on thread 0: only launches from there ever meet them.
struct Mark {
  double ts;
  std::uint32_t thread;
  std::int64_t external_id;
  bool is_coalesced;
};

std::vector<Mark> synthetic_marks_and(const Candidates& real, const trace::RankTrace& rank, const DeviceTrace& device,
                                      std::uint32_t thread_zero) {
  const std::int64_t epoch_us = hta::written_epoch_us(rank);
  constexpr double kNever = 1e300;
  std::vector<double> first_of_thread(device.threads.size(), kNever);
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    double& first = first_of_thread[device.thread_of_lane[rank.lane[e]]];
    first = std::min(first, hta::microseconds_as_double(epoch_us, rank.start[e]));
  }
  std::vector<Mark> marks;
  marks.push_back(
      {*std::min_element(first_of_thread.begin(), first_of_thread.end()), thread_zero, kNoExternalId, false});
  for (std::size_t i = 0; i < real.size(); ++i)
    marks.push_back({real.ts[i], real.thread[i], real.external_id[i], real.is_coalesced[i] != 0});
  std::vector<std::uint32_t> by_first_event(device.threads.size());
  for (std::uint32_t t = 0; t < by_first_event.size(); ++t) by_first_event[t] = t;
  std::stable_sort(by_first_event.begin(), by_first_event.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return first_of_thread[a] < first_of_thread[b]; });
  for (const std::uint32_t t : by_first_event) {
    const double first = first_of_thread[t];
    if (first == kNever) continue;
    const auto at = std::find_if(marks.begin(), marks.end(),
                                 [&](const Mark& mark) { return mark.thread == t && mark.ts >= first; });
    marks.insert(at, {first, thread_zero, kNoExternalId, false});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.ts < b.ts; });
  return marks;
}

Candidates make_candidates(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTrace& device) {
  Candidates candidates;
  const StringId coalesced = trace.strings.find("nccl:coalesced");
  const HostOps& ops = device.host;
  for (std::size_t i = 0; i < ops.size(); ++i)
    candidates.add(ops.ts[i], ops.thread[i], ops.external_id[i], rank.name[ops.event[i]] == coalesced);
  const auto zero = std::find(device.threads.begin(), device.threads.end(), trace::LaneKey{0, 0});
  if (zero == device.threads.end()) return candidates;
  const auto thread_zero = static_cast<std::uint32_t>(zero - device.threads.begin());
  const Column<std::uint32_t>& launching = device.launches.thread;
  // Nobody launches from there, so nobody meets the marks.
  if (std::find(launching.begin(), launching.end(), thread_zero) == launching.end()) return candidates;
  const std::vector<Mark> marks = synthetic_marks_and(candidates, rank, device, thread_zero);
  candidates = {};
  for (const Mark& mark : marks) candidates.add(mark.ts, mark.thread, mark.external_id, mark.is_coalesced);
  return candidates;
}

class ParentSearch {
 public:
  explicit ParentSearch(Candidates candidates) : candidates_(std::move(candidates)) {
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) by_thread_.push_back({candidates_.thread[i], i});
    radix_sort(by_thread_);
    for (const KeyedIndex& item : by_thread_)
      by_id_.push_back({radix_key(candidates_.external_id[item.index]), item.index});
    radix_sort(by_id_);  // by external id, thread, time
  }

  // The external id of the parent goes to `out`; false if there is none.
  bool find(double launch_ts, std::uint32_t thread, std::int64_t external_id, bool skip_coalesced,
            std::int64_t& out) const {
    const auto before = static_cast<std::uint32_t>(
        // Strictly before: an operator that begins with the launch did not make it.
        std::lower_bound(candidates_.ts.begin(), candidates_.ts.end(), launch_ts) - candidates_.ts.begin());
    std::uint32_t parent = last_with_id(external_id, thread, before, skip_coalesced);
    if (parent == kNoParent) parent = last_on_thread(thread, before, skip_coalesced);
    if (parent == kNoParent) return false;
    out = candidates_.external_id[parent];
    return true;
  }

 private:
  std::uint32_t last_with_id(std::int64_t external_id, std::uint32_t thread, std::uint32_t before,
                             bool skip_coalesced) const {
    const std::uint64_t key = radix_key(external_id);
    const auto precedes = [&](const KeyedIndex& item, std::uint32_t limit) {
      if (item.key != key) return item.key < key;
      const std::uint32_t other = candidates_.thread[item.index];
      return other != thread ? other < thread : item.index < limit;
    };
    const KeyedIndex* at = std::lower_bound(by_id_.begin(), by_id_.end(), before, precedes);
    // From the last on: coalesced ones are passed over.
    while (at != by_id_.begin() && (--at)->key == key && candidates_.thread[at->index] == thread) {
      if (!skip_coalesced || candidates_.is_coalesced[at->index] == 0) return at->index;
    }
    return kNoParent;
  }

  std::uint32_t last_on_thread(std::uint32_t thread, std::uint32_t before, bool skip_coalesced) const {
    const auto precedes = [&](const KeyedIndex& item, std::uint32_t limit) {
      return item.key != thread ? item.key < thread : item.index < limit;
    };
    const KeyedIndex* at = std::lower_bound(by_thread_.begin(), by_thread_.end(), before, precedes);
    while (at != by_thread_.begin() && (--at)->key == thread) {
      if (!skip_coalesced || candidates_.is_coalesced[at->index] == 0) return at->index;
    }
    return kNoParent;
  }

  Candidates candidates_;
  Column<KeyedIndex> by_thread_, by_id_;
};

// One mark per text: it contains "nccl" in any case.
Column<std::uint8_t> find_nccl_names(const Interner& strings) {
  Column<std::uint8_t> is_nccl(strings.size());
  std::string lower;
  for (StringId id = 0; id < is_nccl.size(); ++id) {
    lower = strings.text(id);
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    is_nccl[id] = lower.find("nccl") != std::string::npos;
  }
  return is_nccl;
}

}  // namespace

WorkByExternalId::Range WorkByExternalId::find(std::int64_t id) const {
  const auto [first, last] = std::equal_range(external_id.begin(), external_id.end(), id);
  return {static_cast<std::size_t>(first - external_id.begin()), static_cast<std::size_t>(last - external_id.begin())};
}

WorkByExternalId find_gpu_parents(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTrace& device,
                                  Diagnostics& diagnostics) {
  const Column<std::uint8_t> is_nccl = find_nccl_names(trace.strings);
  const ParentSearch search(make_candidates(trace, rank, device));
  const DeviceWork& work = device.work;
  Column<KeyedIndex> found;
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    const StringId name = rank.name[work.event[i]];
    const auto example = [&] { return rank.source.path + ": " + std::string(trace.strings.text(name)); };
    const std::size_t launch = device.launches.find(work.correlation[i]);
    if (launch == LaunchCalls::kMissing) {
      diagnostics.add(kWorkWithoutLaunch, example);
      continue;
    }
    std::int64_t id = 0;
    if (search.find(device.launches.ts[launch], device.launches.thread[launch], work.external_id[i], is_nccl[name] != 0,
                    id))
      found.push_back({radix_key(id), i});
    else diagnostics.add(kWorkWithoutOperator, example);
  }
  radix_sort(found);
  WorkByExternalId result;
  for (const KeyedIndex& item : found) {
    result.external_id.push_back(static_cast<std::int64_t>(item.key ^ std::uint64_t{1} << 63));
    result.work.push_back(item.index);
  }
  return result;
}

}  // namespace orrery::causal::chakra
