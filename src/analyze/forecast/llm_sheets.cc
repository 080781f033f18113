#include "analyze/forecast/llm_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/percent.h"
#include "report/bar.h"

namespace orrery::analyze {
namespace {

using report::Type;
using report::Unit;

constexpr std::array<std::string_view, llm::kPasses> kPassNames = {"forward", "backward", "weights"};

/// "layer 12 attention forward" -> "attention forward": layers of a kind are alike.
std::string_view without_layer(std::string_view name) {
  constexpr std::string_view kLayer = "layer ";
  if (!name.starts_with(kLayer)) return name;
  const std::size_t blank = name.find(' ', kLayer.size());
  return blank == std::string_view::npos ? name : name.substr(blank + 1);
}

}  // namespace

IntervalCells interval_cells(const std::optional<PublishedInterval>& interval) {
  if (!interval) return {.low = nullptr, .high = nullptr, .basis = nullptr, .text = "-"};
  return {.low = interval->low_ps,
          .high = interval->high_ps,
          .basis = interval->basis,
          .text = fmt::format("{} to {}", format_duration(interval->low_ps), format_duration(interval->high_ps))};
}

std::string interval_sentence(std::string_view what, TimePs time, const std::optional<PublishedInterval>& interval) {
  if (!interval)
    return fmt::format("{} takes {}; too few of the kind were published for an interval.", what, format_duration(time));
  return fmt::format("{} takes {}; eight of ten measurements would lie between {} and {} ({}).", what,
                     format_duration(time), format_duration(interval->low_ps), format_duration(interval->high_ps),
                     interval->basis);
}

report::Sheet llm_steps_sheet() {
  report::Sheet sheet("steps");
  sheet.add({.name = "name", .title = "configuration"})
      .add({.name = "devices", .type = Type::integer, .title = "devices"})
      .add({.name = "step", .type = Type::time, .unit = Unit::us, .title = "step"})
      .add({.name = "low", .type = Type::time, .unit = Unit::us})
      .add({.name = "high", .type = Type::time, .unit = Unit::us})
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "basis"})
      .add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s"})
      .add({.name = "mfu", .type = Type::real, .unit = Unit::pct, .title = "MFU"})
      .add({.name = "exposed_share", .type = Type::real, .unit = Unit::pct, .title = "exposed"})
      .add({.name = "bubble_share", .type = Type::real, .unit = Unit::pct, .title = "bubble"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "peak memory"})
      .add({.name = "fits", .type = Type::flag, .title = "fits"});
  return sheet;
}

void add_step(report::Sheet& sheet, const std::string& name, const LlmForecast& forecast) {
  const StageShares shares = mean_shares(forecast.stages, forecast.step_ps);
  const IntervalCells interval = interval_cells(forecast.interval);
  sheet.add_row({name, static_cast<std::int64_t>(forecast.devices), forecast.step_ps, interval.low, interval.high,
                 interval.text, interval.basis, forecast.tokens_per_s, forecast.mfu_pct, shares.exposed_pct,
                 shares.bubble_pct, static_cast<std::int64_t>(forecast.memory[forecast.fullest_stage].peak.sum()),
                 forecast.fits()});
}

report::Sheet llm_axes_sheet(const LlmForecast& forecast) {
  report::Sheet sheet("axes");
  sheet.add({.name = "axis", .title = "time goes to"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "mean"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "of the step", .with_bar = true})
      .add({.name = "largest", .type = Type::time, .unit = Unit::us, .title = "largest"})
      .add({.name = "largest_stage", .type = Type::integer, .title = "on stage"});
  const auto add = [&](const std::string& name, auto&& time_of) {
    TimePs sum = 0, largest = 0;
    std::size_t stage = 0;
    for (std::size_t i = 0; i < forecast.stages.size(); ++i) {
      const TimePs time = time_of(forecast.stages[i]);
      sum += time;
      if (time > largest) largest = time, stage = i;
    }
    if (sum == 0) return;
    const TimePs mean = sum / static_cast<TimePs>(forecast.stages.size());
    sheet.add_row({name, mean, share_percent(mean, forecast.step_ps), largest, stage});
  };
  add("computing", [](const StageTimes& one) { return one.compute_ps; });
  for (std::size_t axis = 0; axis < llm::kParallelAxes; ++axis)
    add(fmt::format("{} communication", llm::kParallelAxisNames[axis]),
        [&](const StageTimes& one) { return one.exposed_ps[axis]; });
  add("host launches", [](const StageTimes& one) { return one.host_ps; });
  add("pipeline bubble", [](const StageTimes& one) { return one.bubble_ps; });
  return sheet;
}

report::Sheet llm_stages_sheet(const LlmForecast& forecast) {
  report::Sheet sheet("stages");
  sheet.add({.name = "stage", .type = Type::integer, .title = "stage"})
      .add({.name = "compute", .type = Type::time, .unit = Unit::us, .title = "computing"})
      .add({.name = "exposed", .type = Type::time, .unit = Unit::us, .title = "exposed"})
      .add({.name = "host", .type = Type::time, .unit = Unit::us, .title = "host"})
      .add({.name = "bubble", .type = Type::time, .unit = Unit::us, .title = "bubble"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "peak memory"});
  for (std::size_t i = 0; i < forecast.stages.size(); ++i) {
    const StageTimes& one = forecast.stages[i];
    sheet.add_row({i, one.compute_ps, one.exposed_sum(), one.host_ps, one.bubble_ps,
                   static_cast<std::int64_t>(forecast.memory[i].peak.sum())});
  }
  return sheet;
}

report::Sheet llm_memory_sheet(const LlmForecast& forecast) {
  report::Sheet sheet("memory");
  sheet.add({.name = "part", .title = fmt::format("memory of stage {}", forecast.fullest_stage)})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "of the device", .with_bar = true});
  const llm::MemoryParts& peak = forecast.memory[forecast.fullest_stage].peak;
  const auto add = [&](const char* part, double bytes) {
    if (bytes > 0) sheet.add_row({part, static_cast<std::int64_t>(bytes), share_percent(bytes, forecast.memory_bytes)});
  };
  add("weights", peak.weights);
  add("gradients", peak.gradients);
  add("optimizer", peak.optimizer);
  add("activations", peak.activations);
  add("workspace", peak.workspace);
  add("fragmentation", peak.unused);
  add("all", peak.sum());
  return sheet;
}

report::Sheet llm_memory_moments_sheet(const LlmForecast& forecast) {
  report::Sheet sheet("memory_over_time");
  sheet.add({.name = "stage", .type = Type::integer, .title = "stage"})
      .add({.name = "pass", .title = "pass"})
      .add({.name = "chunk", .type = Type::integer, .title = "chunk"})
      .add({.name = "micro_batch", .type = Type::integer, .title = "micro-batch"})
      .add({.name = "end", .type = Type::time, .unit = Unit::us, .title = "ends"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "memory"});
  for (std::size_t stage = 0; stage < forecast.memory.size(); ++stage) {
    const llm::StageMemory& memory = forecast.memory[stage];
    const double stays = memory.peak.weights + memory.peak.gradients + memory.peak.optimizer + memory.peak.unused;
    for (std::size_t i = 0; i < memory.moments.size(); ++i) {
      const llm::MemoryMoment& one = memory.moments[i];
      sheet.add_row({stage, kPassNames[static_cast<std::size_t>(one.item.pass)], one.item.chunk, one.item.micro_batch,
                     forecast.pass_end_ps[stage][i],
                     static_cast<std::int64_t>(stays + one.activations + one.workspace)});
    }
  }
  return sheet;
}

report::Sheet llm_path_sheet(const LlmForecast& forecast) {
  report::Sheet sheet("path");
  sheet.add({.name = "work", .title = "on the critical path"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "of the step", .with_bar = true})
      .add({.name = "saved", .type = Type::time, .unit = Unit::us, .title = "gain if 10 % faster"});
  std::map<std::string_view, TimePs> sums;
  for (const simulate::PathPiece& piece : forecast.path) {
    const workload::Program& program = forecast.workload.program(piece.place.rank);
    sums[without_layer(forecast.workload.strings.text(program.names[piece.place.activity]))] +=
        piece.to_ps - piece.from_ps;
  }
  std::vector<std::pair<TimePs, std::string_view>> rows;
  for (const auto& [name, time] : sums) {
    if (time > 0) rows.emplace_back(time, name);
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (const auto& [time, name] : rows) sheet.add_row({name, time, share_percent(time, forecast.step_ps), time / 10});
  return sheet;
}

namespace {

/// Of an activity of the first rank that runs the program: groups along the same axes lie alike in their nodes.
std::string priced_by(const workload::Workload& workload, std::size_t program, std::size_t activity,
                      const simulate::MeasuredPrices& measured) {
  constexpr const char* kLinks = "links";
  const workload::Program& does = workload.programs[program];
  if (does.kinds[activity] != workload::ActivityKind::collective) return kLinks;
  const auto first = std::find(workload.program_of_rank.begin(), workload.program_of_rank.end(), program);
  const workload::Role* role = workload.find_role(does.group_names[activity]);
  if (role == nullptr || first == workload.program_of_rank.end()) return kLinks;
  const std::vector<std::uint32_t> ranks =
      role->ranks_with(static_cast<std::uint32_t>(first - workload.program_of_rank.begin()));
  const simulate::CommOp op{
      .kind = simulate::CommOp::Kind::collective,
      .collective = does.collectives[activity],
      .bytes = workload::whole_bytes(does.collectives[activity], does.bytes[activity], ranks.size()),
      .ranks = ranks};
  return measured.price_ps(op) ? fmt::format("measured on {}", measured.basis()) : kLinks;
}

}  // namespace

report::Sheet llm_edges_sheet(const workload::Workload& workload, const simulate::MeasuredPrices* measured) {
  report::Sheet sheet("edges");
  sheet.add({.name = "stage", .type = Type::integer, .title = "stage"})
      .add({.name = "id", .type = Type::integer, .title = "id", .decimals = report::kExact})
      .add({.name = "name", .title = "name"})
      .add({.name = "kind", .title = "kind"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"})
      .add({.name = "group", .title = "group"})
      .add({.name = "peer", .type = Type::integer, .title = "peer"})
      .add({.name = "stream", .type = Type::integer, .title = "stream"});
  if (measured != nullptr) sheet.add({.name = "priced_by", .title = "priced by"});
  const Interner& strings = workload.strings;
  for (std::size_t stage = 0; stage < workload.programs.size(); ++stage) {
    const workload::Program& program = workload.programs[stage];
    for (std::size_t i = 0; i < program.size(); ++i) {
      const workload::ActivityKind kind = program.kinds[i];
      const bool collective = kind == workload::ActivityKind::collective;
      if (!collective && kind != workload::ActivityKind::send && kind != workload::ActivityKind::recv) continue;
      const report::Cell peer = collective ? report::Cell(nullptr) : report::Cell(program.peers[i]);
      std::vector<report::Cell> cells = {
          stage,
          program.ids[i],
          strings.text(program.names[i]),
          collective ? workload::to_string(program.collectives[i]) : workload::to_string(kind),
          program.bytes[i],
          strings.text(collective ? program.group_names[i] : program.peer_roles[i]),
          peer,
          program.lanes[i]};
      const std::string by = measured == nullptr ? std::string() : priced_by(workload, stage, i, *measured);
      if (measured != nullptr) cells.emplace_back(by);
      sheet.add_row(std::move(cells));
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
