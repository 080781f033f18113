#include "align/world/scenario.h"

#include <algorithm>
#include <cmath>

namespace orrery::align::test {
namespace {

Measurements measure(const Scenario& scenario, World& world) {
  Measurements measured;
  switch (scenario.known) {
    case Known::probes: add_probes(world, scenario.traffic, measured); break;
    case Known::windows: add_windows(world, scenario.windows, measured); break;
    case Known::offsets:
      add_offsets(world, scenario.offsets, measured);
      add_snapshots(world, scenario.held_up_snapshots, measured);
      break;
    case Known::collectives: break;
    case Known::joint: {
      add_probes(world, scenario.traffic, measured);
      const std::size_t reached = scenario.world.nodes / 2;
      std::erase_if(measured.probes, [&](const ProbeRow& row) { return row.src > reached || row.dst > reached; });
      break;
    }
  }
  return measured;
}

void damage(const Scenario& scenario, Random& random, Measurements& rows) {
  const auto hurt = [&](auto& list) {
    drop_rows(list, scenario.dropped, random);
    duplicate_rows(list, scenario.duplicated, random);
    if (scenario.shuffled) shuffle_rows(list, random);
  };
  hurt(rows.probes);
  hurt(rows.windows);
  hurt(rows.offsets);
  for (SnapshotRows& file : rows.snapshots) hurt(file.pairs);
}

/// Pairs of neighbours on a lane, by start and longest first, whose order or nesting is another after the alignment.
/// What a clock that was set back recorded in any order is ordered by what it showed.
std::size_t count_misordered(const trace::Trace& before, const trace::Trace& after) {
  std::size_t changed = 0;
  for (std::size_t r = 0; r < before.ranks.size(); ++r) {
    const trace::RankTrace& old = before.ranks[r];
    const trace::RankTrace& now = after.ranks[r];
    std::vector<trace::EventIndex> order(old.event_count());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<trace::EventIndex>(i);
    std::sort(order.begin(), order.end(), [&](trace::EventIndex a, trace::EventIndex b) {
      return std::tuple(old.lane[a], old.start[a], -old.duration[a], a) <
             std::tuple(old.lane[b], old.start[b], -old.duration[b], b);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const trace::EventIndex a = order[i - 1], b = order[i];
      if (old.lane[a] != old.lane[b]) continue;
      const bool was_inside = old.end(b) <= old.end(a), is_inside = now.end(b) <= now.end(a);
      changed += now.start[b] < now.start[a] || (was_inside && !is_inside) || now.duration[b] < 0 ? 1 : 0;
    }
  }
  return changed;
}

}  // namespace

std::string_view to_string(Known known) {
  switch (known) {
    case Known::probes: return "probes";
    case Known::windows: return "probe windows";
    case Known::offsets: return "offsets, snapshots";
    case Known::collectives: return "collectives";
    case Known::joint: return "probes, collectives";
  }
  return {};
}

Result<Outcome> run(const Scenario& scenario, std::uint64_t seed) {
  WorldOptions options = scenario.world;
  options.device_clock = scenario.known == Known::offsets;
  Outcome outcome{World(seed, options), {}, {}, {}, {}, 0};
  Measurements rows = measure(scenario, outcome.world);
  damage(scenario, outcome.world.random(), rows);
  const Result<trace::ClockSources> sources = through_files(rows, scenario.spelling, outcome.diagnostics);
  if (!sources) return sources.error();
  trace::Trace trace = outcome.world.traces();
  Result<Alignment> alignment = align(trace, *sources, {}, outcome.diagnostics);
  if (!alignment) return alignment.error();
  outcome.alignment = std::move(*alignment);
  apply(outcome.alignment, trace);
  outcome.misordered = count_misordered(outcome.world.traces(), trace);
  outcome.before = outcome.world.score_raw();
  outcome.after = outcome.world.score(outcome.alignment);
  if (options.device_clock) outcome.device = outcome.world.score_device(outcome.alignment);
  return outcome;
}

StepCount count_steps(const World& world, const Alignment& alignment) {
  StepCount count;
  for (std::size_t node = 1; node < alignment.nodes.size(); ++node) {
    const std::vector<TrueStep>& truth = world.clock(node).steps();
    const std::vector<ClockStep>& steps = alignment.nodes[node].steps;
    std::size_t matched = 0;
    for (const TrueStep& step : truth) {
      const double at = world.read(0, step.at_ns);
      matched += std::any_of(steps.begin(), steps.end(), [&](const ClockStep& found) {
        return std::abs(found.at_ns - at) < 60e6 &&
               std::abs(found.jump_ns - step.jump_ns) < std::max(0.2 * std::abs(step.jump_ns), 1e4);
      });
    }
    count.true_steps += truth.size();
    count.found += matched;
    count.invented += steps.size() > matched ? steps.size() - matched : 0;
  }
  return count;
}

}  // namespace orrery::align::test
