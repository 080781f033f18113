#include "analyze/device/engine_steps.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/capture/graph_launches.h"
#include "analyze/distribution.h"
#include "base/parallel.h"
#include "base/percent.h"
#include "base/statistics.h"
#include "causal/device/device_binding.h"

// Works are looked up by the moment of their launch, so that a step costs what it launched; idle time is asked of the
// union of all work, whose lengths are added up beforehand.

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

/// When any device of the rank worked, recorded or not.
class BusyTime {
 public:
  explicit BusyTime(const DeviceRank& devices) {
    TimePs sum = 0;
    const causal::DeviceBinding binding(devices.timeline, devices.window);
    TimePs occupied = devices.window.begin;
    for (std::uint32_t queue = 0; queue < devices.timeline.queues.size(); ++queue)
      occupied = std::max(occupied, binding.occupied_until(queue));
    // What was under way when the recording began has no known start.
    if (occupied > devices.window.begin) stretches_.push_back({-trace::kMaxMomentPs, occupied, 0});
    for (const causal::DeviceWork& work : devices.timeline.works) {
      if (stretches_.empty() || work.start > stretches_.back().end) {
        if (!stretches_.empty()) sum += stretches_.back().end - stretches_.back().begin;
        stretches_.push_back({work.start, work.end, sum});
      }
      stretches_.back().end = std::max(stretches_.back().end, work.end);
    }
  }
  [[nodiscard]] TimePs between(TimePs begin, TimePs end) const { return until(end) - until(begin); }

 private:
  struct Stretch {
    TimePs begin, end;
    TimePs before;  // busy time of all earlier ones
  };
  [[nodiscard]] TimePs until(TimePs time) const {
    const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), time,
                                        [](TimePs t, const Stretch& s) { return t < s.begin; });
    if (after == stretches_.begin()) return 0;
    const Stretch& last = *(after - 1);
    return last.before + std::min(time, last.end) - last.begin;
  }
  std::vector<Stretch> stretches_;
};

class StepMeasure {
 public:
  StepMeasure(const DeviceRank& devices, const FoundSteps& found)
      : devices_(devices), found_(found), busy_(devices), graph_launches_(devices.trace->strings) {
    for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w)
      by_launch_.emplace_back(causal::attributed_at(devices.timeline.works[w]), w);
    std::sort(by_launch_.begin(), by_launch_.end());
  }

  [[nodiscard]] MeasuredStep measure(std::size_t place) const {
    const StepRange& range = found_.ranges[place];
    MeasuredStep step;
    step.place = place;
    step.start = range.begin;
    if (range.name) step.name = devices_.trace->strings.text(*range.name);
    if (found_.source != StepSource::sequence) step.host = range.end - range.begin;
    if (found_.source == StepSource::engine) {
      step.says = causal::step_name_in(*devices_.trace, step.name);
      if (!step.says) step.says = causal::parse_numbered_step(step.name);
    }
    step.work_numbers = works_of(range);
    const std::vector<std::uint32_t>& works = step.work_numbers;
    const TimePs end_of_works = add_works(works, step);
    const bool is_last = place + 1 == found_.ranges.size();
    const TimePs end = !is_last ? found_.ranges[place + 1].begin : works.empty() ? range.end : end_of_works;
    step.wall = std::max<TimePs>(0, end - range.begin);
    step.idle = step.wall - busy_.between(range.begin, range.begin + step.wall);
    return step;
  }

 private:
  /// In order of start.
  [[nodiscard]] std::vector<std::uint32_t> works_of(const StepRange& range) const {
    std::vector<std::uint32_t> works;
    if (found_.source == StepSource::sequence) {
      for (std::size_t i = 0; i < found_.works_each; ++i)
        works.push_back(range.first_work + static_cast<std::uint32_t>(i));
      return works;
    }
    auto at = std::lower_bound(by_launch_.begin(), by_launch_.end(), std::pair(range.begin, std::uint32_t{0}));
    for (; at != by_launch_.end() && at->first < range.end; ++at) works.push_back(at->second);
    std::sort(works.begin(), works.end());
    return works;
  }

  /// Returns when the last of them ended.
  TimePs add_works(const std::vector<std::uint32_t>& works, MeasuredStep& step) const {
    std::vector<trace::EventIndex> graphs;
    TimePs until = 0;
    for (std::size_t i = 0; i < works.size(); ++i) {
      const causal::DeviceWork& work = devices_.timeline.works[works[i]];
      if (i == 0) until = work.start;
      if (work.end > until) step.busy += work.end - std::max(work.start, until), until = work.end;
      if (work.call != causal::kNoEvent && graph_launches_.contains(devices_.rank->name[work.call]))
        graphs.push_back(work.call);
    }
    std::sort(graphs.begin(), graphs.end());
    step.graph_launches = static_cast<std::size_t>(std::unique(graphs.begin(), graphs.end()) - graphs.begin());
    return until;
  }

  const DeviceRank& devices_;
  const FoundSteps& found_;
  BusyTime busy_;
  mutable GraphLaunchNames graph_launches_;                  // remembers what it was asked
  std::vector<std::pair<TimePs, std::uint32_t>> by_launch_;  // when a work was launched, and its place
};

}  // namespace

RankSteps measure_steps(const DeviceRank& devices) {
  const FoundSteps found = find_step_ranges(devices);
  RankSteps result{.devices = &devices, .source = found.source, .steps = {}};
  if (found.ranges.empty()) return result;
  const StepMeasure measure(devices, found);
  const causal::StepWindow& window = devices.window;
  for (std::size_t i = 0; i < found.ranges.size(); ++i) {
    const TimePs begin = found.ranges[i].begin;
    if (window.is_whole_trace || (begin >= window.host_begin && begin < window.host_end))
      result.steps.push_back(measure.measure(i));
  }
  return result;
}

namespace {

Cell known(const std::optional<std::int64_t>& value) { return value ? Cell(*value) : Cell(nullptr); }

/// Steps of one phase and number of requests.
struct PhaseSteps {
  std::vector<TimePs> walls;
  TimePs wall = 0, busy = 0;
  std::optional<std::int64_t> tokens = 0;
};

struct PhaseKey {
  std::optional<causal::StepPhase> phase;
  std::optional<std::int64_t> requests;
  auto operator<=>(const PhaseKey&) const = default;
};

std::vector<std::pair<PhaseKey, PhaseSteps>> phases_of(const RankSteps& rank) {
  std::map<PhaseKey, PhaseSteps> by_key;
  for (const MeasuredStep& step : rank.steps) {
    PhaseSteps& phase = by_key[step.says ? PhaseKey{step.says->phase, step.says->requests} : PhaseKey{}];
    phase.walls.push_back(step.wall);
    phase.wall = plus_capped(phase.wall, step.wall);
    phase.busy = plus_capped(phase.busy, step.busy);
    // One step whose tokens nobody knows makes the sum unknown.
    if (!step.says || !step.says->tokens) phase.tokens.reset();
    else if (phase.tokens) *phase.tokens = plus_capped(*phase.tokens, *step.says->tokens);
  }
  std::vector<std::pair<PhaseKey, PhaseSteps>> phases(std::make_move_iterator(by_key.begin()),
                                                      std::make_move_iterator(by_key.end()));
  std::stable_sort(phases.begin(), phases.end(),
                   [](const auto& a, const auto& b) { return a.second.walls.size() > b.second.walls.size(); });
  return phases;
}

}  // namespace

std::vector<RankSteps> measure_steps(const std::vector<DeviceRank>& ranks) {
  std::vector<RankSteps> results(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { results[r] = measure_steps(ranks[r]); });
  return results;
}

Sheet steps_sheet(const std::vector<RankSteps>& ranks) {
  Sheet sheet("steps");
  const bool are_runs = !ranks.empty() && ranks.front().devices->rank->source.is_run;
  sheet.add({.name = "rank", .type = Type::integer, .title = are_runs ? "run" : "rank", .decimals = report::kExact})
      .add({.name = "step", .type = Type::integer, .title = "step", .decimals = report::kExact})
      .add({.name = "source"})
      .add({.name = "name", .title = "name"})
      .add({.name = "engine"})
      .add({.name = "phase", .title = "phase"})
      .add({.name = "requests", .type = Type::integer, .title = "requests"})
      .add({.name = "tokens", .type = Type::integer, .title = "tokens"});
  for (const char* name : {"context_requests", "generation_requests", "context_tokens", "generation_tokens",
                           "context_kv_tokens", "generation_kv_tokens"})
    sheet.add({.name = name, .type = Type::integer});
  sheet.add({.name = "start", .type = Type::time, .unit = Unit::us})
      .add({.name = "host", .type = Type::time, .unit = Unit::us, .title = "on the host"})
      .add({.name = "wall", .type = Type::time, .unit = Unit::us, .title = "wall"})
      .add({.name = "works", .type = Type::integer, .title = "works"})
      .add({.name = "graph_launches", .type = Type::integer, .title = "graphs"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "device busy"})
      .add({.name = "idle", .type = Type::time, .unit = Unit::us, .title = "device idle"});
  for (const RankSteps& rank : ranks) {
    for (const MeasuredStep& step : rank.steps) {
      const causal::StepName nothing;
      const causal::StepName& says = step.says ? *step.says : nothing;
      sheet.add_row({rank.devices->rank->rank,
                     step.place,
                     identifier(rank.source),
                     step.name.empty() ? Cell(nullptr) : Cell(step.name),
                     step.says ? Cell(says.engine) : Cell(nullptr),
                     step.says ? Cell(identifier(says.phase)) : Cell(nullptr),
                     known(says.requests),
                     known(says.tokens),
                     known(says.context_requests),
                     known(says.generation_requests),
                     known(says.context_tokens),
                     known(says.generation_tokens),
                     known(says.context_kv_tokens),
                     known(says.generation_kv_tokens),
                     step.start,
                     known(step.host),
                     step.wall,
                     step.work_numbers.size(),
                     step.graph_launches,
                     step.busy,
                     step.idle});
    }
  }
  return sheet;
}

Sheet phases_sheet(const std::vector<RankSteps>& ranks) {
  Sheet sheet("phases");
  const bool are_runs = !ranks.empty() && ranks.front().devices->rank->source.is_run;
  sheet.add({.name = "rank", .type = Type::integer, .title = are_runs ? "run" : "rank", .decimals = report::kExact})
      .add({.name = "phase", .title = "phase"})
      .add({.name = "requests", .type = Type::integer, .title = "requests"})
      .add({.name = "steps", .type = Type::integer, .title = "steps"})
      .add({.name = "mean_wall", .type = Type::time, .unit = Unit::us, .title = "wall, mean"})
      .add({.name = "p50_wall", .type = Type::time, .unit = Unit::us, .title = "p50"})
      .add({.name = "p90_wall", .type = Type::time, .unit = Unit::us, .title = "p90"})
      .add({.name = "mean_busy", .type = Type::time, .unit = Unit::us, .title = "device busy, mean"})
      .add({.name = "busy", .type = Type::real, .unit = Unit::pct, .title = "busy", .with_bar = true})
      .add({.name = "tokens", .type = Type::integer, .title = "tokens"})
      .add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s", .decimals = 0});
  for (const RankSteps& rank : ranks) {
    for (auto& [key, phase] : phases_of(rank)) {
      std::vector<TimePs> walls = phase.walls;
      std::sort(walls.begin(), walls.end());
      const auto count = static_cast<TimePs>(walls.size());
      const double seconds = static_cast<double>(phase.wall) / 1e12;
      sheet.add_row(
          {rank.devices->rank->rank, key.phase ? Cell(identifier(*key.phase)) : Cell(nullptr), known(key.requests),
           walls.size(), phase.wall / count, sorted_quantile(walls, 0.5), sorted_quantile(walls, 0.9),
           phase.busy / count, share_percent(phase.busy, phase.wall), known(phase.tokens),
           phase.tokens && phase.wall > 0 ? Cell(static_cast<double>(*phase.tokens) / seconds) : Cell(nullptr)});
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
