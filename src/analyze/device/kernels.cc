#include "analyze/device/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyze/device/annotation_segments.h"
#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"
#include "analyze/whatif/edit_selector.h"
#include "base/parallel.h"
#include "base/percent.h"
#include "report/counted.h"

// Four questions of one subject: which works an operator launches and in which order, how kinds of work share the
// devices' time, what each kernel's calls add up to, and which hardware counters were recorded with them. Sums are
// capped instead of wrapping, and every table is sorted by what its rows say, since numbers of texts depend on the
// order of files.

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

// The outermost matching events of each lane, by start.
std::vector<std::vector<EventIndex>> outermost(const DeviceRank& devices, const Column<std::uint8_t>& matches) {
  const trace::RankTrace& rank = *devices.rank;
  std::vector<EventIndex> found;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const Activity activity = rank.activity(e);
    if (matches[rank.name[e]] == 0 || (activity != Activity::cpu_operator && activity != Activity::annotation))
      continue;
    if (rank.has_duration(e) && rank.start[e] >= devices.window.begin && rank.start[e] < devices.window.end)
      found.push_back(e);
  }
  // Of two that start together the longer comes first: it is around the other.
  std::sort(found.begin(), found.end(), [&](EventIndex a, EventIndex b) { return devices.content.before(a, b); });
  std::vector<std::vector<EventIndex>> lanes(rank.lanes.size());
  for (const EventIndex e : found) {
    std::vector<EventIndex>& lane = lanes[rank.lane[e]];
    if (lane.empty() || rank.start[e] >= rank.end(lane.back())) lane.push_back(e);
  }
  return lanes;
}

void add_sequences(const DeviceRank& devices, const Column<std::uint8_t>& matches, std::size_t least,
                   std::vector<KernelSequence>& out) {
  const trace::RankTrace& rank = *devices.rank;
  const auto lanes = outermost(devices, matches);
  std::map<EventIndex, std::vector<std::uint32_t>> works_of;
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    const causal::DeviceWork& work = devices.timeline.works[w];
    if (work.call == causal::kNoEvent) continue;
    const std::vector<EventIndex>& lane = lanes[rank.lane[work.call]];
    const auto after = std::upper_bound(lane.begin(), lane.end(), work.call_start,
                                        [&](TimePs time, EventIndex e) { return time < rank.start[e]; });
    // The call has to lie in the operator as a whole: one that merely began in it was made by what comes next.
    if (after != lane.begin() && work.call_end <= rank.end(*(after - 1))) works_of[*(after - 1)].push_back(w);
  }
  // By what they say, not by number: the numbers of texts depend on the order of the file.
  std::map<std::vector<std::string_view>, KernelSequence> by_names;
  for (const auto& [op, works] : works_of) {
    if (works.size() < least) continue;
    std::vector<std::string_view> key = {devices.trace->name(rank, op)};
    for (const std::uint32_t w : works) key.push_back(devices.trace->strings.text(devices.name_of(w)));
    KernelSequence& sequence = by_names[std::move(key)];
    if (sequence.count++ == 0) {
      sequence.rank = rank.rank;
      sequence.op = rank.name[op];
      for (const std::uint32_t w : works) sequence.kernels.push_back(devices.name_of(w));
    }
    for (const std::uint32_t w : works)
      sequence.device_time =
          plus_capped(sequence.device_time, devices.timeline.works[w].end - devices.timeline.works[w].start);
    sequence.host_time = plus_capped(sequence.host_time, rank.duration[op]);
  }
  const std::size_t first = out.size();
  for (auto& [key, sequence] : by_names) out.push_back(std::move(sequence));
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                   [](const KernelSequence& a, const KernelSequence& b) { return a.count > b.count; });
}

}  // namespace

std::vector<KernelSequence> kernel_sequences(const std::vector<DeviceRank>& ranks, const std::string& pattern,
                                             std::size_t least) {
  std::vector<KernelSequence> sequences;
  if (ranks.empty()) return sequences;
  const Column<std::uint8_t> matches = matching(ranks.front().trace->strings, NamePattern::glob(pattern));
  for (const DeviceRank& devices : ranks) add_sequences(devices, matches, least, sequences);
  return sequences;
}

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

namespace {

std::string types_label(std::size_t set) {
  std::string label;
  for (std::size_t t = 0; t < kWorkTypes; ++t) {
    if ((set >> t & 1U) != 0)
      label += fmt::format("{}{}", label.empty() ? "" : " overlapping ", identifier(static_cast<WorkType>(t)));
  }
  return label;
}

}  // namespace

Sheet types_sheet(const std::vector<RankKernels>& ranks) {
  Sheet sheet("types");
  sheet.add({.name = "type", .title = "what runs"})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "pct", .type = Type::real, .unit = Unit::pct, .title = "of busy time", .with_bar = true});
  std::array<TimePs, kTypeSets> sums = {};
  TimePs busy = 0;
  for (const RankKernels& rank : ranks) {
    for (const DeviceTime& time : rank.times) {
      for (std::size_t set = 1; set < kTypeSets; ++set) sums[set] = plus_capped(sums[set], time.busy[set]);
      busy = plus_capped(busy, time.busy_time());
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t set = 1; set < kTypeSets; ++set) {
    if (sums[set] > 0) order.push_back(set);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  for (const std::size_t set : order) sheet.add_row({types_label(set), sums[set], share_percent(sums[set], busy)});
  return sheet;
}

Sheet type_totals_sheet(const std::vector<RankKernels>& ranks) {
  Sheet sheet("type_totals");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "type", .title = "type"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "summed"})
      .add({.name = "any", .type = Type::time, .unit = Unit::us, .title = "any runs"})
      .add({.name = "window", .type = Type::real, .unit = Unit::pct, .title = "of the window", .with_bar = true});
  for (const RankKernels& rank : ranks) {
    for (std::size_t t = 0; t < kWorkTypes; ++t) {
      if (rank.works[t] == 0) continue;
      TimePs any = 0, window = 0;
      for (const DeviceTime& time : rank.times) {
        any = plus_capped(any, time.time_of(static_cast<WorkType>(t)));
        window = plus_capped(window, time.window);
      }
      sheet.add_row({rank.devices->rank->rank, identifier(static_cast<WorkType>(t)), rank.works[t], rank.time[t], any,
                     share_percent(any, window)});
    }
  }
  return sheet;
}

namespace {

void add_kernel_columns(Sheet& sheet) {
  sheet.add({.name = "type"})
      .add({.name = "name", .title = "name"})
      .add({.name = "type_in_words", .title = "type", .people_only = true})
      .add({.name = "names", .type = Type::integer})
      .add({.name = "count", .type = Type::integer, .title = "calls"})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "pct", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  for (const auto& [key, title] :
       {std::pair{"max", "longest"}, {"min", ""}, {"mean", "mean"}, {"std", "std"}, {"p50", "median"}})
    sheet.add({.name = key, .type = Type::time, .unit = Unit::us, .title = title});
}

void add_kernel_rows(Sheet& sheet, const std::vector<Cell>& where, const Interner& strings,
                     const std::vector<KernelSum>& sums) {
  TimePs all = 0;
  for (const KernelSum& sum : sums) all = plus_capped(all, sum.calls.sum);
  for (const KernelSum& sum : sums) {
    std::vector<Cell> cells = where;
    const std::string rest = fmt::format("(the other {})", report::counted(sum.names, "name"));
    const std::string_view name = sum.is_rest ? std::string_view(rest) : strings.text(sum.name);
    const Distribution& calls = sum.calls;
    if (sum.is_rest) cells.emplace_back(nullptr);
    else cells.emplace_back(identifier(sum.type));
    cells.insert(cells.end(),
                 {name, sum.is_rest ? Cell(nullptr) : Cell(to_string(sum.type)), sum.names, calls.count, calls.sum,
                  share_percent(calls.sum, all), calls.most, calls.least, calls.mean, calls.deviation, calls.median});
    sheet.add_row(cells, sum.is_rest ? report::Tone::faint : report::Tone::plain);
  }
}

}  // namespace

Sheet kernels_sheet(const std::vector<RankKernels>& ranks) {
  Sheet sheet("kernels");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact});
  add_kernel_columns(sheet);
  for (const RankKernels& rank : ranks)
    add_kernel_rows(sheet, {rank.devices->rank->rank}, rank.devices->trace->strings, rank.sums);
  return sheet;
}

Sheet kernels_over_ranks_sheet(const Interner& strings, const std::vector<KernelSum>& over_ranks) {
  Sheet sheet("kernels_over_ranks");
  add_kernel_columns(sheet);
  add_kernel_rows(sheet, {}, strings, over_ranks);
  return sheet;
}

Sheet by_annotation_sheet(const std::vector<RankKernels>& ranks) {
  Sheet sheet("by_annotation");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "annotation"})
      .add({.name = "annotation_in_words", .title = "launched in", .people_only = true})
      .add({.name = "kernels", .type = Type::integer, .title = "works"})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "pct", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  for (const RankKernels& rank : ranks) {
    TimePs all = 0;
    for (const AnnotationKernels& sum : rank.by_annotation) all = plus_capped(all, sum.time);
    for (const AnnotationKernels& sum : rank.by_annotation) {
      const std::string_view name =
          sum.is_none ? std::string_view() : rank.devices->trace->strings.text(sum.annotation);
      sheet.add_row({rank.devices->rank->rank, name, sum.is_none ? std::string_view("(no annotation)") : name,
                     sum.works, sum.time, share_percent(sum.time, all)});
    }
  }
  return sheet;
}

std::string joined_names(const Interner& strings, const std::vector<StringId>& names) {
  std::string joined;
  for (const StringId name : names) joined += fmt::format("{}{}", joined.empty() ? "" : " -> ", strings.text(name));
  return joined;
}

Sheet sequences_sheet(const Interner& strings, const std::vector<KernelSequence>& sequences, bool with_kernels) {
  Sheet sheet("sequences");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "operator", .title = "operator"})
      .add({.name = "count", .type = Type::integer, .title = "times"})
      .add({.name = "device", .type = Type::time, .unit = Unit::us, .title = "on devices"})
      .add({.name = "host", .type = Type::time, .unit = Unit::us, .title = "on the host"});
  if (with_kernels) sheet.add({.name = "kernels", .title = "kernels"});
  for (const KernelSequence& s : sequences) {
    const std::string kernels = with_kernels ? joined_names(strings, s.kernels) : std::string();
    std::vector<Cell> cells = {s.rank, strings.text(s.op), s.count, s.device_time, s.host_time};
    if (with_kernels) cells.emplace_back(kernels);
    sheet.add_row(cells);
  }
  return sheet;
}

namespace {

using trace::Activity;
using trace::EventIndex;

constexpr std::string_view kRangeCategory = "cuda_profiler_range";

// cudaLaunchKernel, cudaLaunchKernelExC, cuLaunchKernel, hipModuleLaunchKernel; a graph's kernels are not counted one
// by one.
bool launches_a_kernel(std::string_view name) { return name.find("LaunchKernel") != std::string_view::npos; }

template <typename Test>
std::vector<EventIndex> events_in_order(const DeviceRank& devices, Test&& test) {
  std::vector<EventIndex> found;
  for (EventIndex e = 0; e < devices.rank->event_count(); ++e) {
    const TimePs start = devices.rank->start[e];
    // Of a whole trace the last moment belongs to it; of a step it belongs to the next one.
    if (start < devices.window.begin || start > devices.window.end ||
        (start == devices.window.end && !devices.window.is_whole_trace))
      continue;
    if (test(e)) found.push_back(e);
  }
  std::sort(found.begin(), found.end(), [&](EventIndex a, EventIndex b) {
    if (devices.rank->start[a] != devices.rank->start[b]) return devices.rank->start[a] < devices.rank->start[b];
    return devices.content.before(a, b);
  });
  return found;
}

// Operators around each of some calls, the outermost first. Calls are by start.
std::vector<std::vector<StringId>> operators_around(const DeviceRank& devices, const std::vector<EventIndex>& calls) {
  const trace::RankTrace& rank = *devices.rank;
  std::vector<std::vector<EventIndex>> operators(rank.lanes.size());
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) == Activity::cpu_operator && rank.has_duration(e)) operators[rank.lane[e]].push_back(e);
  }
  for (auto& lane : operators)
    std::sort(lane.begin(), lane.end(), [&](EventIndex a, EventIndex b) { return devices.content.before(a, b); });
  std::vector<std::size_t> next(rank.lanes.size(), 0);
  // Operators that have begun and may not have ended, by lane: calls and operators are swept at once.
  std::vector<std::vector<EventIndex>> open(rank.lanes.size());
  std::vector<std::vector<StringId>> around;
  for (const EventIndex call : calls) {
    const auto& lane = operators[rank.lane[call]];
    auto& stack = open[rank.lane[call]];
    for (std::size_t& n = next[rank.lane[call]]; n < lane.size() && rank.start[lane[n]] <= rank.start[call]; ++n) {
      // Only what ended before this operator began is taken off; one that ended since then is sorted out below.
      while (!stack.empty() && rank.end(stack.back()) <= rank.start[lane[n]]) stack.pop_back();
      stack.push_back(lane[n]);
    }
    std::vector<StringId>& names = around.emplace_back();
    for (const EventIndex e : stack) {
      // A call that ends after an operator was not made by it, though it began inside.
      if (rank.end(e) >= rank.end(call)) names.push_back(rank.name[e]);
    }
  }
  return around;
}

}  // namespace

std::vector<EventIndex> counted_ranges(const DeviceRank& devices) {
  return events_in_order(devices, [&](EventIndex e) {
    return devices.trace->strings.text(devices.rank->categories[devices.rank->category[e]].text) == kRangeCategory;
  });
}

std::vector<KernelCounters> kernel_counters(const DeviceRank& devices, const std::vector<EventIndex>& ranges,
                                            std::vector<std::map<std::string, std::string>> arguments) {
  const std::vector<EventIndex> calls = events_in_order(devices, [&](EventIndex e) {
    return devices.rank->activity(e) == Activity::runtime_call &&
           launches_a_kernel(devices.trace->name(*devices.rank, e));
  });
  std::vector<std::vector<StringId>> operators;
  // Ranges of counters have no correlation. As many of them as launches can only be one each, in the same order.
  if (calls.size() == ranges.size()) operators = operators_around(devices, calls);
  std::vector<KernelCounters> rows;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    KernelCounters& row = rows.emplace_back();
    row.rank = devices.rank->rank;
    row.kernel = devices.rank->name[ranges[i]];
    if (!operators.empty()) row.operators = std::move(operators[i]);
    row.counters = std::move(arguments[i]);
  }
  return rows;
}

report::Sheet counters_sheet(const Interner& strings, const std::vector<KernelCounters>& rows) {
  report::Sheet sheet("counters");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "kernel", .title = "kernel"})
      .add({.name = "operators", .title = "launched in"})
      .add({.name = "counter", .title = "counter"})
      .add({.name = "value", .title = "value"});
  for (const KernelCounters& row : rows) {
    std::string joined;
    for (std::size_t i = 0; row.operators && i < row.operators->size(); ++i)
      joined += fmt::format("{}{}", i == 0 ? "" : " > ", strings.text((*row.operators)[i]));
    for (const auto& [name, value] : row.counters)
      sheet.add_row({row.rank, strings.text(row.kernel), row.operators ? report::Cell(joined) : report::Cell(nullptr),
                     name, value});
  }
  return sheet;
}

namespace {

// Durations by name and type.
class CallGroups {
 public:
  void add(const DeviceRank& devices, bool with_memory) {
    for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
      const WorkType type = devices.types[w];
      if (!devices.belongs(w) || (!with_memory && type >= WorkType::memory_copy)) continue;
      // Name and type in one number, taken apart again in take().
      const std::uint64_t key = std::uint64_t{devices.name_of(w)} * kWorkTypes + static_cast<std::uint64_t>(type);
      groups_[key].push_back(devices.time_of(w));
    }
  }

  std::vector<KernelSum> take(const Interner& strings, const KernelRequest& request) {
    std::vector<KernelSum> sums;
    for (auto& [key, calls] : groups_) {
      sums.push_back({.name = static_cast<StringId>(key / kWorkTypes),
                      .type = static_cast<WorkType>(key % kWorkTypes),
                      .is_rest = false,
                      .names = 1,
                      .calls = distribution_of(calls)});
    }
    // Equal weights go by text and not by number, since texts are numbered in the order of reading.
    std::sort(sums.begin(), sums.end(), [&](const KernelSum& a, const KernelSum& b) {
      const std::int64_t left = weight_of(a, request.order), right = weight_of(b, request.order);
      if (left != right) return left > right;
      if (a.name != b.name) return strings.text(a.name) < strings.text(b.name);
      return a.type < b.type;
    });
    if (request.top != 0 && sums.size() > request.top) put_rest_together(sums, request.top);
    return sums;
  }

 private:
  static std::int64_t weight_of(const KernelSum& sum, KernelOrder order) {
    switch (order) {
      case KernelOrder::calls: return static_cast<std::int64_t>(sum.calls.count);
      case KernelOrder::mean: return sum.calls.mean;
      case KernelOrder::longest: return sum.calls.most;
      case KernelOrder::time: break;
    }
    return sum.calls.sum;
  }

  // The durations themselves are put together, because percentiles of groups cannot be added up.
  void put_rest_together(std::vector<KernelSum>& sums, std::size_t top) {
    std::vector<TimePs> calls;
    for (std::size_t i = top; i < sums.size(); ++i) {
      const std::vector<TimePs>& group =
          groups_[std::uint64_t{sums[i].name} * kWorkTypes + static_cast<std::uint64_t>(sums[i].type)];
      calls.insert(calls.end(), group.begin(), group.end());
    }
    const std::size_t names = sums.size() - top;
    sums.resize(top);
    sums.push_back(
        {.name = 0, .type = WorkType::computation, .is_rest = true, .names = names, .calls = distribution_of(calls)});
  }

  std::unordered_map<std::uint64_t, std::vector<TimePs>> groups_;
};

// The annotation a piece of work was launched in: the innermost of the launching thread. The thread of autograd has
// none of its own: it works for the main thread, which stands in its backward pass meanwhile. Where the launch was not
// recorded or lies in none, the innermost one that the profiler drew on the device's lane.
class LaunchingAnnotation {
 public:
  explicit LaunchingAnnotation(const DeviceRank& devices)
      : rank_(*devices.rank),
        main_lane_(devices.window.main_lane),
        host_(devices, trace::Activity::annotation),
        device_(devices, trace::Activity::device_annotation),
        is_autograd_(rank_.lanes.size(), 0) {
    for (trace::EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (is_autograd_[rank_.lane[e]] == 0 && rank_.activity(e) == trace::Activity::cpu_operator)
        is_autograd_[rank_.lane[e]] = devices.trace->name(rank_, e).starts_with("autograd::") ? 1 : 0;
    }
  }

  [[nodiscard]] trace::EventIndex of(const causal::DeviceWork& work) const {
    trace::EventIndex found = causal::kNoEvent;
    if (work.call != causal::kNoEvent) {
      const trace::LaneIndex lane = rank_.lane[work.call];
      found = host_.find(lane, work.call_start);
      if (found == causal::kNoEvent && is_autograd_[lane] != 0 && main_lane_)
        found = host_.find(*main_lane_, work.call_start);
    }
    return found != causal::kNoEvent ? found : device_.find(rank_.lane[work.event], work.start);
  }

 private:
  const trace::RankTrace& rank_;
  std::optional<trace::LaneIndex> main_lane_;
  AnnotationSegments host_;
  AnnotationSegments device_;
  std::vector<std::uint8_t> is_autograd_;
};

std::vector<AnnotationKernels> sum_by_annotation(const DeviceRank& devices, bool with_memory) {
  const LaunchingAnnotation launched_in(devices);
  std::map<std::string_view, AnnotationKernels> by_name;
  AnnotationKernels none{.annotation = 0, .is_none = true, .works = 0, .time = 0};
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    if (!devices.belongs(w) || (!with_memory && devices.types[w] >= WorkType::memory_copy)) continue;
    const trace::EventIndex event = launched_in.of(devices.timeline.works[w]);
    AnnotationKernels& sum = event == causal::kNoEvent ? none : by_name[devices.trace->name(*devices.rank, event)];
    if (event != causal::kNoEvent) sum.annotation = devices.rank->name[event];
    ++sum.works;
    sum.time = plus_capped(sum.time, devices.time_of(w));
  }
  std::vector<AnnotationKernels> sums;
  sums.reserve(by_name.size() + 1);
  for (const auto& [name, sum] : by_name) sums.push_back(sum);
  if (none.works > 0) sums.push_back(none);
  std::stable_sort(sums.begin(), sums.end(),
                   [](const AnnotationKernels& a, const AnnotationKernels& b) { return a.time > b.time; });
  return sums;
}

RankKernels kernels_of_rank(const DeviceRank& devices, const KernelRequest& request) {
  RankKernels kernels;
  kernels.devices = &devices;
  kernels.times.resize(devices.devices.size());
  for (std::size_t d = 0; d < devices.devices.size(); ++d)
    kernels.times[d].device = devices.devices[d], kernels.times[d].window = devices.window.span();
  // Sets of types are bits: the busy time of each set of types that ran at once is kept apart.
  constexpr std::size_t kMemory = std::size_t{1} << static_cast<std::size_t>(WorkType::memory_copy) |
                                  std::size_t{1} << static_cast<std::size_t>(WorkType::memory_set);
  const std::size_t asked = request.with_memory ? kTypeSets - 1 : (kTypeSets - 1) & ~kMemory;
  // Masked, so that copies beside a kernel do not make a set of their own if nobody asked for them.
  sweep_devices(devices, [&](const Stretch& s) { kernels.times[s.device].busy[s.types & asked] += s.end - s.begin; });
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    const auto type = static_cast<std::size_t>(devices.types[w]);
    if (!devices.belongs(w) || (asked >> type & 1U) == 0) continue;
    ++kernels.works[type];
    kernels.time[type] = plus_capped(kernels.time[type], devices.time_of(w));
  }
  CallGroups groups;
  groups.add(devices, request.with_memory);
  kernels.sums = groups.take(devices.trace->strings, request);
  kernels.by_annotation = sum_by_annotation(devices, request.with_memory);
  return kernels;
}

}  // namespace

std::vector<RankKernels> sum_kernels(const std::vector<DeviceRank>& ranks, const KernelRequest& request) {
  std::vector<RankKernels> kernels(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { kernels[r] = kernels_of_rank(ranks[r], request); });
  return kernels;
}

std::vector<KernelSum> sum_over_ranks(const std::vector<DeviceRank>& ranks, const KernelRequest& request) {
  CallGroups groups;
  for (const DeviceRank& devices : ranks) groups.add(devices, request.with_memory);
  return ranks.empty() ? std::vector<KernelSum>{} : groups.take(ranks.front().trace->strings, request);
}

}  // namespace orrery::analyze
