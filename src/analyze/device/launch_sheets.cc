#include "analyze/device/launch_sheets.h"

#include "analyze/device/breakdown_sheets.h"
#include "analyze/device/kernel_sheets.h"
#include "base/percent.h"

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

namespace {

void add_rank_column(Sheet& sheet) { sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact}); }

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
    sheet.add_row({rank.devices->rank->rank, rank.host.count, rank.work.count, rank.graph_calls, rank.works_without_call,
                   rank.calls_without_work, rank.short_kernels, rank.runtime_outliers, rank.delay_outliers});
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
      sheet.add_row({rank.devices->rank->rank, rank.devices->trace->strings.text(call.name), call.host.count, call.works, call.host.sum,
                     call.host.median, call.host.most, call.delay.least, call.delay.median, call.delay.most});
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
        sheet.add_row({rank.devices->rank->rank, queue.device, queue.stream ? Cell(*queue.stream) : Cell(nullptr), until, queue.works,
                       lengths.mean, lengths.quarter, lengths.median, lengths.three_quarters, lengths.most});
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

}  // namespace

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
  for (const auto& [name, title] : {std::pair{"host", "on the host"}, {"own_device", "own work on devices"}, {"device", "all of it"}})
    sheet.add({.name = name, .type = Type::time, .unit = Unit::us, .title = title});
  for (const RankOperatorTree& rank : ranks) {
    for (const OperatorNode& node : rank.nodes) {
      const std::string_view name = rank.devices->trace->strings.text(node.op);
      const std::string shown = std::string(2 * static_cast<std::size_t>(node.depth), ' ') + std::string(name);
      sheet.add_row({rank.devices->rank->rank, node.depth, name, shown, node.calls, node.own_works, node.works, node.host_time,
                     node.own_device_time, node.device_time});
    }
  }
  return sheet;
}

std::vector<Sheet> launch_sheets(const std::vector<RankLaunches>& launches, const std::vector<RankQueues>& queues) {
  std::vector<Sheet> sheets;
  sheets.push_back(launches_sheet(launches));
  sheets.push_back(launch_counts_sheet(launches));
  sheets.push_back(launch_calls_sheet(launches));
  sheets.push_back(queue_sheet(queues));
  sheets.push_back(full_queue_sheet(queues));
  return sheets;
}

}  // namespace orrery::analyze
