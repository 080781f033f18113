#include "analyze/device/launches.h"

#include <algorithm>
#include <map>

#include "analyze/device/breakdown_sheets.h"
#include "analyze/device/kernels.h"
#include "base/parallel.h"
#include "base/percent.h"
#include "trace/host_trace.h"

// Each work of the window is joined to the call that launched it. A call is counted once, however many works it
// launched (a graph launches many); works are counted each. Calls that look like launches and have no work anywhere are
// counted apart.

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

struct CallTimes {
  StringId name = 0;
  std::size_t works = 0;
  std::vector<TimePs> host, delay;
};

// By its name, for calls whose work is nowhere to be seen. (cudaLaunchHostFunc runs on the host.)
bool is_launch(std::string_view name) {
  return name.find("LaunchKernel") != std::string_view::npos || name.find("GraphLaunch") != std::string_view::npos;
}

std::size_t launches_without_work(const DeviceRank& devices, const std::vector<std::uint32_t>& works_of_call) {
  const trace::RankTrace& rank = *devices.rank;
  std::size_t count = 0;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (works_of_call[e] != 0 || rank.activity(e) != Activity::runtime_call) continue;
    // By its start, as works of the window are, so that no call is counted in two steps.
    if (rank.start[e] < devices.window.begin || rank.start[e] >= devices.window.end) continue;
    count += is_launch(devices.trace->name(rank, e)) ? 1 : 0;
  }
  return count;
}

class LaunchMeter {
 public:
  LaunchMeter(const DeviceRank& devices, const LaunchRequest& request)
      : devices_(devices), request_(request), works_of_call_(devices.rank->event_count(), 0) {
    launches_.devices = &devices;
  }

  RankLaunches run() {
    // Also work outside the window or of other types says that its call launched something.
    for (const causal::DeviceWork& work : devices_.timeline.works) {
      if (work.call != causal::kNoEvent) works_of_call_[work.call] += 1;
    }
    launches_.calls_without_work = launches_without_work(devices_, works_of_call_);
    std::vector<std::uint8_t> is_counted(devices_.rank->event_count(), 0);
    for (std::uint32_t w = 0; w < devices_.timeline.works.size(); ++w) {
      if (!devices_.belongs(w) || (!request_.with_memory && devices_.types[w] >= WorkType::memory_copy)) continue;
      const causal::DeviceWork& work = devices_.timeline.works[w];
      // A call that a reader made up has a mark for a duration: there is nothing to measure.
      if (work.call == causal::kNoEvent || devices_.rank->duration[work.call] == trace::kMadeUpCallPs) {
        ++launches_.works_without_call;
        continue;
      }
      add_work(work);
      // Once per call, however many works it launched.
      if (std::exchange(is_counted[work.call], 1) == 0) add_call(work.call);
    }
    finish();
    return std::move(launches_);
  }

 private:
  CallTimes& times_of(EventIndex call) {
    CallTimes& times = by_name_[devices_.trace->name(*devices_.rank, call)];
    times.name = devices_.rank->name[call];
    return times;
  }

  // Negative durations, which some recordings have, count as none.
  [[nodiscard]] TimePs host_time(EventIndex call) const { return std::max<TimePs>(0, devices_.rank->duration[call]); }

  void add_work(const causal::DeviceWork& work) {
    const TimePs host = host_time(work.call), length = work.end - work.start, delay = work.start - work.call_start;
    work_.push_back(length);
    delay_.push_back(delay);
    CallTimes& times = times_of(work.call);
    ++times.works;
    times.delay.push_back(delay);
    // Worth telling only of calls that are not outliers themselves: a call that was stopped is longer than any kernel.
    launches_.short_kernels += host <= request_.runtime_cutoff && length < host ? 1 : 0;
    launches_.delay_outliers += delay > request_.delay_cutoff ? 1 : 0;
  }

  void add_call(EventIndex call) {
    const TimePs host = host_time(call);
    host_.push_back(host);
    times_of(call).host.push_back(host);
    // Only a graph launches several works with one call.
    launches_.graph_calls += works_of_call_[call] > 1 ? 1 : 0;
    launches_.runtime_outliers += host > request_.runtime_cutoff ? 1 : 0;
  }

  void finish() {
    launches_.host = distribution_of(host_);
    launches_.work = distribution_of(work_);
    launches_.delay = distribution_of(delay_);
    for (auto& [text, times] : by_name_)
      launches_.calls.push_back({times.name, times.works, distribution_of(times.host), distribution_of(times.delay)});
    // Names come in the order of their texts, and stay so where times are equal.
    std::stable_sort(launches_.calls.begin(), launches_.calls.end(),
                     [](const LaunchCall& a, const LaunchCall& b) { return a.host.sum > b.host.sum; });
  }

  const DeviceRank& devices_;
  const LaunchRequest& request_;
  std::vector<std::uint32_t> works_of_call_;
  std::map<std::string_view, CallTimes> by_name_;
  std::vector<TimePs> host_, work_, delay_;
  RankLaunches launches_;
};

}  // namespace

std::vector<RankLaunches> measure_launches(const std::vector<DeviceRank>& ranks, const LaunchRequest& request) {
  std::vector<RankLaunches> launches(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { launches[r] = LaunchMeter(ranks[r], request).run(); });
  return launches;
}

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

namespace {

void add_rank_column(Sheet& sheet) {
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact});
}

}  // namespace

Sheet launches_sheet(const std::vector<RankLaunches>& launches) {
  Sheet sheet("launches");
  add_rank_column(sheet);
  sheet.add({.name = "measure"})
      .add({.name = "measure_in_words", .title = "how long", .people_only = true})
      .add({.name = "sum", .type = Type::time, .unit = Unit::us, .title = "sum"});
  add_distribution_columns(sheet, true);
  for (const RankLaunches& rank : launches) {
    const auto row = [&](const char* measure, const char* words, const Distribution& values) {
      std::vector<Cell> cells = {rank.devices->rank->rank, measure, words, values.sum};
      append_cells(cells, values);
      sheet.add_row(cells);
    };
    row("cpu", "calls take on the host", rank.host);
    row("gpu", "their work takes", rank.work);
    row("delay", "from call to start", rank.delay);
  }
  return sheet;
}

Sheet launch_counts_sheet(const std::vector<RankLaunches>& launches) {
  Sheet sheet("launch_counts");
  add_rank_column(sheet);
  for (const auto& [name, title] : {std::pair{"calls", "calls"},
                                    {"works", "works"},
                                    {"graph_calls", "of graphs"},
                                    {"works_without_call", "works without a call"},
                                    {"calls_without_work", "calls without work"},
                                    {"short_kernels", "shorter than their call"},
                                    {"runtime_outliers", "slow calls"},
                                    {"delay_outliers", "late starts"}})
    sheet.add({.name = name, .type = Type::integer, .title = title});
  for (const RankLaunches& rank : launches) {
    sheet.add_row({rank.devices->rank->rank, rank.host.count, rank.work.count, rank.graph_calls,
                   rank.works_without_call, rank.calls_without_work, rank.short_kernels, rank.runtime_outliers,
                   rank.delay_outliers});
  }
  return sheet;
}

Sheet launch_calls_sheet(const std::vector<RankLaunches>& launches) {
  Sheet sheet("launch_calls");
  add_rank_column(sheet);
  sheet.add({.name = "call", .title = "call"})
      .add({.name = "count", .type = Type::integer, .title = "calls"})
      .add({.name = "works", .type = Type::integer, .title = "works"});
  for (const auto& [name, title] : {std::pair{"cpu_sum", "time"},
                                    {"cpu_p50", "median"},
                                    {"cpu_max", "longest"},
                                    {"delay_min", "least delay"},
                                    {"delay_p50", "median delay"},
                                    {"delay_max", "most"}})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = title});
  for (const RankLaunches& rank : launches) {
    for (const LaunchCall& call : rank.calls) {
      sheet.add_row({rank.devices->rank->rank, rank.devices->trace->strings.text(call.name), call.host.count,
                     call.works, call.host.sum, call.host.median, call.host.most, call.delay.least, call.delay.median,
                     call.delay.most});
    }
  }
  return sheet;
}

Sheet queue_sheet(const std::vector<RankQueues>& ranks) {
  Sheet sheet("queue");
  add_rank_column(sheet);
  sheet.add({.name = "device", .type = Type::integer, .title = "device", .decimals = report::kExact})
      .add({.name = "stream", .type = Type::integer, .title = "stream", .decimals = report::kExact})
      .add({.name = "until", .title = "in until its"})
      .add({.name = "works", .type = Type::integer, .title = "works"})
      .add({.name = "mean", .type = Type::real, .title = "mean", .decimals = 2});
  for (const char* name : {"p25", "p50", "p75", "max"}) sheet.add({.name = name, .type = Type::integer, .title = name});
  for (const RankQueues& rank : ranks) {
    for (const QueueTimes& queue : rank.queues) {
      const auto row = [&](const char* until, const LengthTimes& lengths) {
        sheet.add_row({rank.devices->rank->rank, queue.device, queue.stream ? Cell(*queue.stream) : Cell(nullptr),
                       until, queue.works, lengths.mean, lengths.quarter, lengths.median, lengths.three_quarters,
                       lengths.most});
      };
      row("end", queue.until_end);
      row("start", queue.until_start);
    }
  }
  return sheet;
}

Sheet full_queue_sheet(const std::vector<RankQueues>& ranks) {
  Sheet sheet("full_queue");
  add_rank_column(sheet);
  sheet.add({.name = "device", .type = Type::integer, .title = "device", .decimals = report::kExact})
      .add({.name = "stream", .type = Type::integer, .title = "stream", .decimals = report::kExact})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "blocked", .type = Type::time, .unit = Unit::us, .title = "blocked"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "of the window", .with_bar = true});
  for (const RankQueues& rank : ranks) {
    for (const QueueTimes& queue : rank.queues) {
      if (!queue.stream || queue.full_calls == 0) continue;
      sheet.add_row({rank.devices->rank->rank, queue.device, *queue.stream, queue.full_calls, queue.blocked,
                     share_percent(queue.blocked, rank.devices->window.span())});
    }
  }
  return sheet;
}

Sheet operators_sheet(const std::vector<RankOperators>& ranks, bool with_kernels) {
  Sheet sheet("operators");
  add_rank_column(sheet);
  sheet.add({.name = "operator", .title = "operator"}).add({.name = "count", .type = Type::integer, .title = "times"});
  for (const auto& [name, title] :
       {std::pair{"launch_delay", "until its launch"}, {"runtime_delay", "until the start"}, {"device", "on devices"}})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = title});
  if (with_kernels) sheet.add({.name = "kernels", .title = "kernels"});
  for (const RankOperators& rank : ranks) {
    const Interner& strings = rank.devices->trace->strings;
    for (const OperatorDelay& op : rank.operators) {
      const std::string kernels = with_kernels ? joined_names(strings, op.kernels) : std::string();
      std::vector<Cell> cells = {rank.devices->rank->rank, strings.text(op.op), op.count,
                                 op.launch_delay,          op.runtime_delay,    op.device_time};
      if (with_kernels) cells.emplace_back(kernels);
      sheet.add_row(cells);
    }
  }
  return sheet;
}

Sheet nested_operators_sheet(const std::vector<RankOperatorTree>& ranks) {
  Sheet sheet("nested_operators");
  add_rank_column(sheet);
  sheet.add({.name = "depth", .type = Type::integer, .decimals = report::kExact})
      .add({.name = "operator"})
      .add({.name = "operator_in_words", .title = "operator, and those inside it", .people_only = true})
      .add({.name = "count", .type = Type::integer, .title = "times"})
      .add({.name = "own_works", .type = Type::integer, .title = "launches itself"})
      .add({.name = "works", .type = Type::integer, .title = "in all"});
  for (const auto& [name, title] :
       {std::pair{"host", "on the host"}, {"own_device", "own work on devices"}, {"device", "all of it"}})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = title});
  for (const RankOperatorTree& rank : ranks) {
    for (const OperatorNode& node : rank.nodes) {
      const std::string_view name = rank.devices->trace->strings.text(node.op);
      const std::string shown = std::string(2 * static_cast<std::size_t>(node.depth), ' ') + std::string(name);
      sheet.add_row({rank.devices->rank->rank, node.depth, name, shown, node.calls, node.own_works, node.works,
                     node.host_time, node.own_device_time, node.device_time});
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
