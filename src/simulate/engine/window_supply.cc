#include "simulate/engine/window_supply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <tuple>

// A program is read window by window, as its fastest class gets there; a window is planned once for all ranks that run
// it and dropped when the last class was given it. Numbers of activities, sends and collectives run on from window to
// window, and are checked against what was announced.

namespace orrery::simulate {

using workload::CarriedDependency;

std::span<const CarriedDependency> PlannedWindow::carried_from(std::uint64_t source) const {
  if (carried.empty() || source < carried.front().source || source > carried.back().source) return {};
  const auto [first, last] =
      std::equal_range(carried.begin(), carried.end(), CarriedDependency{source},
                       [](const CarriedDependency& a, const CarriedDependency& b) { return a.source < b.source; });
  return {first, last};
}

std::uint64_t PlannedWindow::first_carried_from(std::uint64_t source) const {
  const auto found =
      std::lower_bound(carried.begin(), carried.end(), source,
                       [](const CarriedDependency& edge, std::uint64_t from) { return edge.source < from; });
  return found == carried.end() ? ~std::uint64_t{0} : found->source;
}

WindowExtent WindowExtent::of(const PlannedWindow& window) {
  WindowExtent extent{
      .activities = window.size(), .sends = window.lines->sends.size(), .on_stream = {}, .on_channel = {}};
  for (const workload::Stream& stream : window.lines->streams)
    extent.on_stream.push_back(static_cast<std::uint32_t>(stream.activities.size()));
  for (const workload::Channel& channel : window.lines->channels)
    extent.on_channel.push_back(static_cast<std::uint32_t>(channel.activities.size()));
  return extent;
}

WindowSupply::WindowSupply(workload::WorkloadSource& source, const workload::Membership& membership,
                           const RankClasses& classes, const EngineOptions& options)
    : source_(source),
      membership_(membership),
      options_(options),
      programs_(source.program_count()),
      taken_(classes.size()) {
  source.restart();
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    program_of_.push_back(source.job().program_of_rank[classes.first(c)]);
    ProgramState& state = programs_[program_of_.back()];
    if (state.classes++ == 0) state.rank = classes.first(c);
  }
  for (std::uint32_t p = 0; p < programs_.size(); ++p) {
    programs_[p].on_stream.resize(source.structure(p).group_names.size());
    programs_[p].on_channel.resize(source.structure(p).channels.size());
  }
}

Result<SharedWindow> WindowSupply::next(std::uint32_t rank_class) {
  const std::uint32_t program = program_of_[rank_class];
  ProgramState& state = programs_[program];
  if (taken_[rank_class] == state.first_kept + state.kept.size()) {
    if (Status status = make(program); !status) return status.error();
    if (state.is_over) return SharedWindow();
  }
  Made& made = state.kept[taken_[rank_class]++ - state.first_kept];
  SharedWindow window = made.window;
  --made.still_needed_by;
  // A window goes when every class that runs the program has been given it: memory is that of the slowest.
  while (!state.kept.empty() && state.kept.front().still_needed_by == 0) {
    state.kept.pop_front();
    ++state.first_kept;
  }
  return window;
}

void WindowSupply::pass(std::uint32_t program, const WindowExtent& extent, std::uint64_t count) {
  ProgramState& state = programs_[program];
  if (state.is_over || state.classes == 0) return;
  // A quiescent job: all classes have been given the same windows.
  assert(state.kept.empty());
  source_.pass_windows(program, count);
  state.previous_first = state.activities + (count - 1) * extent.activities;
  state.activities += count * extent.activities;
  state.sends += count * extent.sends;
  for (std::size_t s = 0; s < state.on_stream.size(); ++s) state.on_stream[s] += count * extent.on_stream[s];
  for (std::size_t c = 0; c < state.on_channel.size(); ++c) state.on_channel[c] += count * extent.on_channel[c];
  state.first_kept += count;
}

void WindowSupply::pass_classes(std::uint64_t windows) {
  for (std::uint32_t c = 0; c < taken_.size(); ++c) {
    if (!programs_[program_of_[c]].is_over) taken_[c] += windows;
  }
}

Status WindowSupply::make(std::uint32_t program) {
  ProgramState& state = programs_[program];
  while (!state.is_over) {
    const std::uint64_t content = source_.next_content(program);
    Result<std::optional<workload::Window>> window = source_.next_window(program);
    if (!window) return window.error();
    if (!*window) {
      state.is_over = true;
      return check_length(program);
    }
    // An empty window has no end that could open the next one.
    if ((*window)->program->size() == 0) continue;  // nobody would ever begin it
    Result<SharedWindow> planned = plan(program, std::move(**window));
    if (!planned) return planned.error();
    state.kept.push_back({std::move(*planned), state.classes});
    state.content = content;
    return check_length(program);
  }
  return {};
}

Result<SharedWindow> WindowSupply::plan(std::uint32_t program, workload::Window window) {
  ProgramState& state = programs_[program];
  auto made = std::make_shared<PlannedWindow>();
  made->program = std::move(window.program);
  made->lines = std::move(window.lines);
  if (made->lines == nullptr) {
    Result<workload::ProgramLines> lines =
        workload::lines_of(source_.job(), *made->program, source_.structure(program));
    if (!lines) return Error{.message = fmt::format("rank {}: {}", state.rank, lines.error().message)};
    made->lines = std::make_shared<workload::ProgramLines>(std::move(*lines));
  }
  Result<ProgramPlan> tables = plan_program(source_.job(), state.rank, *made->program, *made->lines, options_);
  if (!tables) return tables.error();
  made->plan = std::move(*tables);
  made->carried = std::move(window.carried);
  std::sort(made->carried.begin(), made->carried.end(), [](const CarriedDependency& a, const CarriedDependency& b) {
    return std::tuple(a.source, a.target) < std::tuple(b.source, b.target);
  });
  made->first_activity = state.activities;
  made->first_on_stream = state.on_stream;
  made->first_on_channel = state.on_channel;
  made->first_send = state.sends;
  if (Status status = check_anchored(state, *made); !status) return status.error();
  // What waits for an earlier window is nothing that lookahead within this one could know.
  for (const CarriedDependency& edge : made->carried) made->plan.activities[edge.target].waits_locally = false;
  state.previous_first = state.activities;
  state.activities += made->size();
  state.sends += made->lines->sends.size();
  for (std::size_t s = 0; s < state.on_stream.size(); ++s)
    state.on_stream[s] += made->lines->streams[s].activities.size();
  for (std::size_t c = 0; c < state.on_channel.size(); ++c)
    state.on_channel[c] += made->lines->channels[c].activities.size();
  return SharedWindow(std::move(made));
}

// What nothing of this window or the one before holds back could start before this window is there.
Status WindowSupply::check_anchored(const ProgramState& state, const PlannedWindow& window) const {
  std::vector<bool> is_anchored(window.size(), window.first_activity == 0);
  for (const CarriedDependency& edge : window.carried) {
    if (edge.source >= window.first_activity || edge.target >= window.size()) {
      return Error{.message = fmt::format(
                       "rank {}: a window from activity {} on has a dependency of {} on {}, which is not before it",
                       state.rank, window.first_activity, edge.target, edge.source)};
    }
    if (edge.source >= state.previous_first) is_anchored[edge.target] = true;
  }
  for (std::size_t i = 0; i < window.size(); ++i) {
    if (is_anchored[i] || window.plan.activities[i].dependency_count > 0) continue;
    return Error{.message = fmt::format("{} depends on nothing in its own window or the one before",
                                        source_.job().describe(state.rank, *window.program, i))};
  }
  return {};
}

// Operations are numbered by what was announced: more of them would take the numbers of others.
Status WindowSupply::check_length(std::uint32_t program) const {
  const ProgramState& state = programs_[program];
  const std::optional<workload::ProgramLength>& length = source_.structure(program).length;
  if (!length) return {};
  const auto is_right = [&](std::uint64_t made, std::uint64_t announced) {
    return state.is_over ? made == announced : made <= announced;
  };
  bool all = is_right(state.activities, length->activities) && is_right(state.sends, length->sends);
  for (std::size_t s = 0; s < state.on_stream.size(); ++s)
    all = all && is_right(state.on_stream[s], length->collectives[s]);
  if (all) return {};
  return Error{
      .message = fmt::format(
          "rank {}: its program is not as long as it announced: {} activities and {} sends, and so far {} and {}",
          state.rank, length->activities, length->sends, state.activities, state.sends)};
}

}  // namespace orrery::simulate
