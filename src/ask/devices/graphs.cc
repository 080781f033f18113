#include "ask/devices/graphs.h"

#include <fmt/format.h>

#include "analyze/capture/graph_sheets.h"
#include "report/bar.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr std::string_view kNoGraphs = "no graph was launched in what was recorded";

/// "rank 0, whole trace, 25.6 ms: 16 launches of 3 graphs run 1,600 kernels, copies and sets, 18.6 % of the time; ..."
std::string graphs_sentence(const DeviceJob& job, const std::vector<analyze::GraphRank>& ranks, bool has_captures) {
  std::size_t launches = 0, graphs = 0, works = 0, told = 0;
  TimePs busy = 0, idle = 0;
  for (const analyze::GraphRank& rank : ranks) {
    const analyze::GraphLaunches& found = rank.origins->launches();
    launches += found.launches.size();
    graphs += found.graphs.size();
    works += found.works.size();
    told += analyze::works_with_origin(*rank.devices->rank);
    for (const analyze::LaunchGap& gap : rank.gaps) {
      busy = analyze::plus_capped(busy, gap.busy);
      idle = analyze::plus_capped(idle, gap.idle);
    }
  }
  std::string text =
      fmt::format("{}: {} of {} run {}, busy for {}; between launches the device is idle for {}.", window_in_words(job),
                  report::counted(launches, "launch", "launches"), report::counted(graphs, "graph"),
                  report::counted(works, "work"), format_duration(busy), format_duration(idle));
  if (told == 0 && has_captures) return text + " What was captured fits none of them.";
  if (told == 0) return text + " No operators are known of them: --capture FILE gives them.";
  return fmt::format("{} Operators are known of {} of them.", text,
                     report::percent(static_cast<double>(told), static_cast<double>(works)));
}

}  // namespace

Result<report::Answer> run(const GraphsRequest& request, Context& context) {
  const auto job = load_devices(context, request.devices, {.operands = true});
  if (!job) return job.error();
  report::Answer answer = context.answer();
  if (answer.for_people() && !analyze::any_device_work(job->ranks)) {
    tell_no_device_work(answer, request.devices, *job);
    return answer;
  }
  const std::vector<analyze::GraphRank> ranks = analyze::look_at_graphs(job->ranks);
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const analyze::GraphRank& rank) {
    return !rank.origins->launches().launches.empty();
  });
  if (any) answer.headline(graphs_sentence(*job, ranks, !request.devices.recording.captures.empty())).gap();
  else answer.headline(fmt::format("{}: {}.", window_in_words(*job), kNoGraphs)).gap();
  DeviceTables tables(answer, *job);
  const std::size_t rows = rows_shown(request.top);
  tables.add([&] { return analyze::graphs_sheet(ranks); }, kNoGraphs,
             {.view = {.rows = rows, .rest = "graphs", .largest = "launches"}});
  tables.add([&] { return analyze::nodes_sheet(ranks, request.top); }, kNoGraphs,
             {.view = {.rows = rows, .rest = "nodes", .largest = "mean"}});
  tables.add([&] { return analyze::gap_causes_sheet(ranks, request.top); }, "no device waits for a launch of a graph",
             {.view = {.rows = rows, .rest = "causes", .largest = "idle"}});
  tables.add([&] { return analyze::launches_sheet(ranks); }, kNoGraphs,
             {.view = {.rows = rows, .rest = "launches", .largest = "gap"}});
  tables.finish();
  tell_next(answer, request.devices, "which operators take the time?", "kernels");
  return answer;
}

}  // namespace orrery::ask
