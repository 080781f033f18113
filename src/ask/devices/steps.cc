#include "ask/devices/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/device/engine_steps.h"
#include "analyze/distribution.h"
#include "report/bar.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using analyze::RankSteps;
using analyze::StepSource;

constexpr std::string_view kNoSteps =
    "no step was found: no engine's or profiler's name of one, no annotation around most launches, no graph, and no "
    "sequence of device work that comes again";

/// Of the first rank that has steps.
std::string told_by(const RankSteps& rank) {
  switch (rank.source) {
    case StepSource::engine: {
      std::set<std::string> engines;
      for (const analyze::MeasuredStep& step : rank.steps) {
        if (step.says) engines.insert(step.says->engine);
      }
      std::string text;
      for (const std::string& engine : engines) text += (text.empty() ? "" : ", ") + engine;
      return "by the names of " + text;
    }
    case StepSource::profiler: return "by the profiler";
    case StepSource::annotation: return fmt::format("by the annotation \"{}\"", rank.steps.front().name);
    case StepSource::graph: return "by launches of graphs";
    case StepSource::sequence: return "by device work that comes again";
  }
  return "";
}

std::string steps_sentence(const DeviceJob& job, const std::vector<RankSteps>& ranks) {
  const RankSteps* first = nullptr;
  std::size_t count = 0;
  TimePs wall = 0, busy = 0;
  for (const RankSteps& rank : ranks) {
    if (first == nullptr && !rank.steps.empty()) first = &rank;
    count += rank.steps.size();
    for (const analyze::MeasuredStep& step : rank.steps) {
      wall = analyze::plus_capped(wall, step.wall);
      busy = analyze::plus_capped(busy, step.busy);
    }
  }
  if (first == nullptr) return fmt::format("{}: {}.", window_in_words(job), kNoSteps);
  return fmt::format("{}: {} {}; {} on average, devices busy for {} of it.", window_in_words(job),
                     report::counted(count, "step"), told_by(*first),
                     format_duration(wall / static_cast<TimePs>(count)),
                     report::percent(static_cast<double>(busy), static_cast<double>(wall)));
}

}  // namespace

Result<report::Answer> run(const StepsRequest& request, Context& context) {
  const auto job = load_devices(context, request.devices);
  if (!job) return job.error();
  const std::vector<RankSteps> ranks = analyze::measure_steps(job->ranks);
  report::Answer answer = context.answer();
  answer.headline(steps_sentence(*job, ranks)).gap();
  const auto shown = [&](std::string_view rest) {
    return report::Shown{.view = {.rows = rows_shown(request.top), .rest = rest}};
  };
  DeviceTables tables(answer, *job);
  // People look for phases first; programs find both.
  tables.add_list([&] { return analyze::phases_sheet(ranks); }, kNoSteps, shown("phases"));
  tables.add_list([&] { return analyze::steps_sheet(ranks); }, kNoSteps, shown("steps"));
  tables.finish();
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const RankSteps& rank) { return !rank.steps.empty(); });
  if (any) tell_next(answer, request.devices, "what takes the time of a step?", "path");
  else tell_next(answer, request.devices, "where does the devices' time go?", "breakdown");
  return answer;
}

}  // namespace orrery::ask
