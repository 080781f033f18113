#include "analyze/device/kernel_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/distribution.h"
#include "analyze/whatif/edit_selector.h"
#include "base/percent.h"
#include "report/counted.h"

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

}  // namespace orrery::analyze
