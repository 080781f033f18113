#include "formats/nsys/process.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace orrery::nsys {
namespace {

using trace::Activity;

constexpr std::uint16_t kNotMade = 0xFFFF;

constexpr std::pair<std::string_view, Activity> kCategories[kRowKinds] = {
    {"kernel", Activity::kernel},
    {"gpu_memcpy", Activity::memory_copy},
    {"gpu_memset", Activity::memory_set},
    {"cuda_sync", Activity::synchronization},
    {"cuda_runtime", Activity::runtime_call},
    {"cuda_driver", Activity::runtime_call},
    {"cpu_op", Activity::cpu_operator},
    {"user_annotation", Activity::annotation},
    {"cpu_instant_event", Activity::other},
    {"overhead", Activity::overhead},
};

}  // namespace

Process::Process(std::uint64_t process, Interner& strings)
    : key(process), number(static_cast<std::int64_t>(process & 0xFFFFFF)), rows(rank, strings) {
  categories_.fill(kNotMade);
}

std::uint16_t Process::category(RowKind kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (categories_[place] == kNotMade)
    categories_[place] = rows.category(kCategories[place].first, kCategories[place].second);
  return categories_[place];
}

void Process::sort_records() {
  by_event = by_sync;
  const auto order_by_sync = [](const EventRecord& a, const EventRecord& b) {
    return std::pair(a.sync, a.correlation) < std::pair(b.sync, b.correlation);
  };
  const auto order_by_event = [](const EventRecord& a, const EventRecord& b) {
    return std::pair(a.event, a.correlation) < std::pair(b.event, b.correlation);
  };
  std::sort(by_sync.begin(), by_sync.end(), order_by_sync);
  std::sort(by_event.begin(), by_event.end(), order_by_event);
}

std::optional<EventRecord> Process::find_record(std::int64_t sync, std::int64_t event,
                                                std::int64_t before_correlation) const {
  if (sync > 0) {
    const auto at =
        std::lower_bound(by_sync.begin(), by_sync.end(), sync,
                         [](const EventRecord& record, std::int64_t wanted) { return record.sync < wanted; });
    if (at != by_sync.end() && at->sync == sync) return *at;
  }
  if (event <= 0) return std::nullopt;
  // Older exports number events, not their recordings: then the last recording before the wait is meant. A process
  // numbers its calls as it makes them.
  const auto behind = std::lower_bound(by_event.begin(), by_event.end(), std::pair(event, before_correlation),
                                       [](const EventRecord& record, const std::pair<std::int64_t, std::int64_t>& to) {
                                         return std::pair(record.event, record.correlation) < to;
                                       });
  if (behind == by_event.begin() || (behind - 1)->event != event || (behind - 1)->sync > 0) return std::nullopt;
  return *(behind - 1);
}

const GraphNode* Process::find_node(std::int64_t node) const {
  const GraphNode* found = nullptr;
  // A graph may be cloned again and again; a file may also lead in a circle.
  for (int clones = 0; clones < 16; ++clones) {
    const auto at = nodes.find(node);
    if (at == nodes.end()) break;
    found = &at->second;
    if (found->original == 0 || found->original == node) break;
    node = found->original;
  }
  return found;
}

std::vector<match::LibraryCall> Process::library_calls() const {
  std::vector<match::LibraryCall> calls;
  for (const NcclRange& range : nccl_ranges) {
    const auto domain = domains.find(range.domain);
    // Where a recording began after NCCL had named its domain, the functions' names have to do.
    if (domain == domains.end() || domain->second == "NCCL") calls.push_back({range.event, range.arguments});
  }
  return calls;
}

std::vector<match::LibraryKernelWork> Process::library_kernels() const {
  std::vector<match::LibraryKernelWork> kernels;
  for (const NcclKernel& kernel : nccl_kernels) {
    match::LibraryKernelWork& work = kernels.emplace_back();
    work.event = kernel.event;
    work.correlation = kernel.correlation;
    work.stream = kernel.stream;
    const GraphNode* const node = kernel.graph_node == 0 ? nullptr : find_node(kernel.graph_node);
    if (node == nullptr || !trace::is_moment_ns(node->at_ns)) continue;
    const auto lane = std::find_if(rank.lanes.begin(), rank.lanes.end(), [&](const trace::Lane& one) {
      return one.process.number == number && one.thread.number == node->thread;
    });
    if (lane == rank.lanes.end()) continue;
    work.made_on = static_cast<trace::LaneIndex>(lane - rank.lanes.begin());
    work.made_at = node->at_ns * kPsPerNs;
  }
  return kernels;
}

Process& Processes::find(std::uint64_t key) {
  std::unique_ptr<Process>& process = all_[key];
  if (process == nullptr) process = std::make_unique<Process>(key, strings_);
  return *process;
}

}  // namespace orrery::nsys
