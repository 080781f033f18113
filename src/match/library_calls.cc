#include "match/library_calls.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "match/communication.h"
#include "workload/workload.h"

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

/// A range of NCCL on its thread.
struct CallRange {
  trace::LaneIndex lane = 0;
  TimePs start = 0, end = 0;
  std::uint32_t parent = kNoParent;  // the innermost range around it
  std::string_view name, kind;
  const CallArguments* arguments = nullptr;
};

/// Names are few and their users many: each is looked at once.
class KindsOfNames {
 public:
  explicit KindsOfNames(const Interner& strings) : strings_(strings) {}
  std::string_view find(StringId name, std::string_view (*kind_of)(std::string_view)) {
    const auto [at, is_new] = kinds_.try_emplace(name);
    if (is_new) at->second = kind_of(strings_.text(name));
    return at->second;
  }

 private:
  const Interner& strings_;
  std::unordered_map<StringId, std::string_view> kinds_;
};

/// Only what the library launches to communicate says so by its name.
std::string_view kind_of_kernel(std::string_view name) {
  return library_kernel(name) == LibraryKernel::entry ? kind_in_name(name) : std::string_view();
}

class CallStacks {
 public:
  CallStacks(const Interner& strings, const trace::RankTrace& rank, std::span<const LibraryCall> ranges) {
    KindsOfNames kinds(strings);
    for (const LibraryCall& range : ranges) {
      calls_.push_back({rank.lane[range.event], rank.start[range.event], rank.end(range.event), kNoParent,
                        strings.text(rank.name[range.event]), kinds.find(rank.name[range.event], kind_in_name),
                        &range.arguments});
    }
    // Of two that begin together the longer is around the other.
    std::stable_sort(calls_.begin(), calls_.end(), [](const CallRange& a, const CallRange& b) {
      return std::tuple(a.lane, a.start, -a.end) < std::tuple(b.lane, b.start, -b.end);
    });
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < calls_.size(); ++i) {
      while (!open.empty() && (calls_[open.back()].lane != calls_[i].lane || calls_[open.back()].end < calls_[i].end))
        open.pop_back();
      if (!open.empty()) calls_[i].parent = open.back();
      open.push_back(i);
    }
  }

  /// The innermost call around a moment of a thread; kNoParent: there is none.
  [[nodiscard]] std::uint32_t innermost(trace::LaneIndex lane, TimePs at) const {
    const auto behind = std::upper_bound(calls_.begin(), calls_.end(), std::pair(lane, at),
                                         [](const std::pair<trace::LaneIndex, TimePs>& moment, const CallRange& call) {
                                           return moment < std::pair(call.lane, call.start);
                                         });
    if (behind == calls_.begin()) return kNoParent;
    auto i = static_cast<std::uint32_t>(behind - calls_.begin()) - 1;
    if (calls_[i].lane != lane) return kNoParent;
    while (i != kNoParent && calls_[i].end < at) i = calls_[i].parent;
    return i;
  }

  /// The calls between the ncclGroupStart that belongs to this ncclGroupEnd and it.
  [[nodiscard]] std::vector<const CallRange*> calls_of_group(std::uint32_t group_end) const {
    std::vector<const CallRange*> found;
    int depth = 1;
    for (std::uint32_t i = group_end; i-- > 0 && calls_[i].lane == calls_[group_end].lane;) {
      if (calls_[i].name == "ncclGroupEnd") ++depth;
      else if (calls_[i].name == "ncclGroupStart" && --depth == 0) break;
      else if (!calls_[i].kind.empty()) found.push_back(&calls_[i]);
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  const CallRange& operator[](std::uint32_t i) const { return calls_[i]; }

 private:
  std::vector<CallRange> calls_;  // by lane and start
};

/// Where a kernel was launched.
struct Launch {
  trace::LaneIndex lane = 0;
  TimePs at = 0;
  bool is_known = false;
};

/// As `kernels`. Calls and kernels are joined within the process: others use the same numbers.
std::vector<Launch> find_launches(const trace::RankTrace& rank, std::span<const LibraryKernelWork> kernels) {
  std::unordered_map<std::int64_t, Launch> by_correlation;
  for (const LibraryKernelWork& kernel : kernels) {
    if (kernel.correlation >= 0) by_correlation.try_emplace(kernel.correlation);
  }
  const trace::SparseColumn& correlations = rank.field(Field::correlation);
  for (std::size_t i = 0; i < correlations.event.size(); ++i) {
    const EventIndex event = correlations.event[i];
    if (rank.activity(event) != trace::Activity::runtime_call) continue;
    const auto wanted = by_correlation.find(correlations.value[i]);
    if (wanted != by_correlation.end()) wanted->second = {rank.lane[event], rank.start[event], true};
  }
  std::vector<Launch> launches;
  for (const LibraryKernelWork& kernel : kernels) {
    const auto found = by_correlation.find(kernel.correlation);
    launches.push_back(found == by_correlation.end() ? Launch{} : found->second);
  }
  return launches;
}

/// The sum of what calls say, where all of them say it.
std::optional<std::int64_t> sum_of(const std::vector<const CallRange*>& calls,
                                   std::optional<std::int64_t> CallArguments::*member) {
  std::int64_t sum = 0;
  for (const CallRange* const call : calls) {
    const std::optional<std::int64_t>& value = call->arguments->*member;
    if (!value || __builtin_add_overflow(sum, *value, &sum)) return std::nullopt;
  }
  return sum;
}

void add_calls(const std::vector<const CallRange*>& calls, LibraryWork& work) {
  if (calls.empty()) return;
  work.kind = calls.front()->kind;
  work.arguments = *calls.front()->arguments;
  work.arguments.bytes = sum_of(calls, &CallArguments::bytes);
  work.arguments.elements = sum_of(calls, &CallArguments::elements);
  for (const CallRange* const call : calls) {
    work.sends += call->kind == "send" ? 1 : 0;
    work.receives += call->kind == "recv" ? 1 : 0;
  }
}

class WorkFinder {
 public:
  WorkFinder(const Interner& strings, const trace::RankTrace& rank, std::span<const LibraryCall> calls,
             std::span<const LibraryKernelWork> kernels)
      : strings_(strings),
        rank_(rank),
        kernels_(kernels),
        stacks_(strings, rank, calls),
        launches_(find_launches(rank, kernels)) {}

  std::vector<LibraryWork> find() {
    struct Placed {
      TimePs launched, start;
      std::uint32_t kernel;
      auto operator<=>(const Placed&) const = default;
    };
    std::vector<Placed> order;
    order.reserve(kernels_.size());
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
      const TimePs start = rank_.start[kernels_[i].event];
      order.push_back({launches_[i].is_known ? launches_[i].at : start, start, i});
    }
    // Recorders mostly write them in that order.
    if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
    KindsOfNames kernel_kinds(strings_);
    works_.reserve(order.size());
    for (const Placed& placed : order) {
      LibraryWork work{.event = kernels_[placed.kernel].event, .stream = kernels_[placed.kernel].stream};
      const std::uint32_t call = call_around(placed.kernel);
      if (call != kNoParent) take(call, work);
      // Without a call the kernel's own name has to say it.
      if (work.kind.empty()) work.kind = kernel_kinds.find(rank_.name[work.event], kind_of_kernel);
      if (!work.kind.empty()) works_.push_back(work);
    }
    return std::move(works_);
  }

 private:
  [[nodiscard]] std::uint32_t call_around(std::uint32_t i) const {
    const Launch& launch = launches_[i];
    const std::uint32_t call = launch.is_known ? stacks_.innermost(launch.lane, launch.at) : kNoParent;
    // A graph is launched outside of the library, but its nodes were made inside.
    if (call != kNoParent || !kernels_[i].made_on) return call;
    return stacks_.innermost(*kernels_[i].made_on, kernels_[i].made_at);
  }

  void take(std::uint32_t call, LibraryWork& work) {
    if (stacks_[call].name != "ncclGroupEnd") {
      if (!stacks_[call].kind.empty()) add_calls({&stacks_[call]}, work);
      return;
    }
    const std::vector<const CallRange*> calls = stacks_.calls_of_group(call);
    std::vector<std::optional<std::uint64_t>> communicators;
    for (const CallRange* const one : calls) {
      if (std::find(communicators.begin(), communicators.end(), one->arguments->communicator) == communicators.end())
        communicators.push_back(one->arguments->communicator);
    }
    // The n-th kernel of the group is that of its n-th communicator.
    const std::size_t kernel = kernels_of_group_[call]++;
    if (communicators.size() < 2 || kernel >= communicators.size()) return add_calls(calls, work);
    std::vector<const CallRange*> own;
    for (const CallRange* const one : calls) {
      if (one->arguments->communicator == communicators[kernel]) own.push_back(one);
    }
    add_calls(own, work);
  }

  const Interner& strings_;
  const trace::RankTrace& rank_;
  const std::span<const LibraryKernelWork> kernels_;
  const CallStacks stacks_;
  const std::vector<Launch> launches_;
  std::unordered_map<std::uint32_t, std::size_t> kernels_of_group_;
  std::vector<LibraryWork> works_;
};

}  // namespace

std::string_view kind_in_name(std::string_view name) {
  const std::optional<CommunicationKind> kind = communication_kind(name);
  if (!kind) return {};
  if (kind->kind == workload::ActivityKind::send) return "send";
  if (kind->kind == workload::ActivityKind::recv) return "recv";
  switch (kind->collective) {
    case workload::Collective::all_reduce: return "allreduce";
    case workload::Collective::all_gather: return "all_gather";
    case workload::Collective::reduce_scatter: return "reduce_scatter";
    case workload::Collective::all_to_all: return "all_to_all";
    case workload::Collective::broadcast: return "broadcast";
    case workload::Collective::barrier: return "barrier";
    case workload::Collective::gather: return "gather";
    case workload::Collective::scatter: return "scatter";
    case workload::Collective::reduce: return "reduce";
  }
  return {};
}

std::vector<LibraryWork> find_library_works(const Interner& strings, const trace::RankTrace& rank,
                                            std::span<const LibraryCall> calls,
                                            std::span<const LibraryKernelWork> kernels) {
  if (kernels.empty()) return {};
  return WorkFinder(strings, rank, calls, kernels).find();
}

std::vector<CallArguments> find_memberships(std::span<const LibraryCall> calls) {
  std::vector<CallArguments> memberships;
  for (const LibraryCall& call : calls) {
    const CallArguments& said = call.arguments;
    if (said.ranks && said.rank && *said.rank < *said.ranks) memberships.push_back(said);
  }
  return memberships;
}

}  // namespace orrery::match
