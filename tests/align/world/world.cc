#include "align/world/world.h"

#include <algorithm>
#include <cmath>

namespace orrery::align::test {
namespace {

using trace::Field;

TimePs to_ps(double ns) { return static_cast<TimePs>(std::llround(ns * 1e3)); }

void record(trace::Trace& trace, trace::RankTrace& rank, trace::LaneIndex lane, std::string_view name, TimePs start,
            TimePs end) {
  const TimePs duration =
      std::max<TimePs>(end - start, 0);  // a clock that was set back may show the end before the start
  rank.append_event({.start = start,
                     .duration = duration,
                     .name = trace.strings.intern(name),
                     .lane = lane,
                     .flags = trace::kHasDuration},
                    {.ordinal = static_cast<std::uint32_t>(rank.event_count())});
}

}  // namespace

World::World(std::uint64_t seed, const WorldOptions& options) : options_(options), random_(seed) {
  for (std::size_t node = 0; node < options_.nodes; ++node) {
    clocks_.emplace_back(options_.family, options_.seconds, random_);
    device_rate_.push_back(random_.uniform(-2e-6, 2e-6));
  }
  if (options_.family == ClockFamily::steps) set_clocks();
  run_program();
}

/// One clock in three is set, at least one, some of them twice; away from the ends and from each other so that either
/// side shows.
void World::set_clocks() {
  const auto jump = [&] { return random_.sign() * 50e3 * std::pow(400, random_.uniform(0, 1)); };
  if (options_.steps_of_reference) return clocks_[0].set({random_.uniform(0.3, 0.7) * end_ns(), std::abs(jump())});
  const std::size_t some = std::max<std::size_t>(1, options_.nodes / 3);
  for (std::size_t i = 0; i < some; ++i) {
    TrueClock& clock = clocks_[1 + (i * 3 + 1) % (options_.nodes - 1)];
    clock.set({random_.uniform(0.2, 0.4) * end_ns(), jump()});
    if (random_.chance(0.3)) clock.set({random_.uniform(0.6, 0.8) * end_ns(), jump()});
  }
}

void World::run_program() {
  std::vector<double> lateness(options_.nodes);
  for (double& mean : lateness)
    mean = options_.end_spread_ns * (1 + random_.uniform(-options_.uneven, options_.uneven));
  std::vector<double> free(options_.nodes, 0.05e9);
  const double compute_ns = 1e9 / options_.collectives_per_second;
  for (;;) {
    std::vector<TrueSpan>& spans = collectives_.emplace_back(options_.nodes);
    const bool late = random_.chance(options_.straggler_share);
    const auto straggler = static_cast<std::size_t>(random_.uniform(0, static_cast<double>(options_.nodes)));
    double last = 0;
    for (std::size_t node = 0; node < options_.nodes; ++node) {
      spans[node].begin_ns = free[node] + compute_ns * random_.uniform(0.6, 1.1);
      if (late && node == straggler) spans[node].begin_ns += random_.uniform(0, options_.straggler_ns);
      last = std::max(last, spans[node].begin_ns);
    }
    for (std::size_t node = 0; node < options_.nodes; ++node)
      free[node] = spans[node].end_ns = last + 20'000 + random_.exponential(lateness[node]);
    if (last > end_ns()) break;
  }
  collectives_.pop_back();
}

double World::read_device(std::size_t node, double t_ns) const {
  return (clocks_[node].read_unset(t_ns) - profile_start(node)) * (1 + device_rate_[node]);
}

double World::begin_ns(std::size_t node) const {
  return node + 1 == options_.nodes ? options_.missing_head * end_ns() : 0;
}

trace::Trace World::traces() const {
  trace::Trace trace;
  trace.epoch_unix_ns = kEpochUnixNs;
  trace.ranks.resize(options_.nodes);
  const StringId kind = trace.strings.intern("all_reduce");
  for (std::size_t node = 0; node < options_.nodes; ++node) {
    trace::RankTrace& rank = trace.ranks[node];
    rank.rank = static_cast<std::int64_t>(node);
    rank.epoch_unix_ns = kEpochUnixNs;
    rank.lanes.resize(2);
    rank.lanes[1].clock = options_.device_clock ? 1 : 0;
    rank.categories.resize(1);
    const auto start = static_cast<std::int64_t>(std::llround(profile_start(node)));
    rank.source.base_time_ns = kEpochUnixNs + start;
    double before = begin_ns(node);
    for (std::size_t c = 0; c < collectives_.size(); ++c) {
      const TrueSpan& span = collectives_[c][node];
      if (span.begin_ns < begin_ns(node)) continue;
      const auto host = [&](double t) { return to_ps(read(node, t)); };
      const auto device = [&](double t) { return to_ps(static_cast<double>(start) + read_device(node, t)); };
      record(trace, rank, 0, "step", host(before), host(span.end_ns));
      record(trace, rank, 0, "compute", host(before), host(span.begin_ns));
      if (options_.device_clock) record(trace, rank, 1, "all-reduce.1", device(span.begin_ns), device(span.end_ns));
      else record(trace, rank, 1, "all-reduce.1", host(span.begin_ns), host(span.end_ns));
      const auto event = static_cast<trace::EventIndex>(rank.event_count() - 1);
      rank.field(Field::collective_text).push(event, kind);
      rank.field(Field::collective_sequence).push(event, static_cast<std::int64_t>(c));
      before = span.end_ns;
    }
  }
  return trace;
}

template <typename ErrorAndBand>
Score World::score_with(const ErrorAndBand& error_and_band) const {
  std::vector<double> errors;
  std::size_t inside = 0;
  for (std::size_t node = 1; node < options_.nodes; ++node) {
    for (double t = begin_ns(node) + 0.1e9; t < end_ns(); t += 1e7) {
      if (clocks_[node].is_ambiguous(t) || clocks_[0].is_ambiguous(t)) continue;
      const auto [error, band] = error_and_band(node, t);
      errors.push_back(std::abs(error));
      inside += std::abs(error) <= band ? 1 : 0;
    }
  }
  Score score;
  score.moments = errors.size();
  if (errors.empty()) return score;
  std::sort(errors.begin(), errors.end());
  for (const double error : errors) score.mean_ns += error / static_cast<double>(errors.size());
  score.p95_ns = errors[errors.size() * 95 / 100];
  score.max_ns = errors.back();
  score.covered = static_cast<double>(inside) / static_cast<double>(errors.size());
  return score;
}

Score World::score(const Alignment& alignment) const {
  return score_with([&](std::size_t node, double t) {
    const TimePs reading = to_ps(read(node, t));
    const trace::Clock& map = alignment.nodes[node].host;
    return std::pair(static_cast<double>(map.map(reading)) / 1e3 - read(0, t),
                     static_cast<double>(map.uncertainty(reading)) / 1e3);
  });
}

Score World::score_device(const Alignment& alignment) const {
  return score_with([&](std::size_t node, double t) {
    const TimePs reading = to_ps(std::round(profile_start(node)) + read_device(node, t));
    const trace::Clock& map = alignment.nodes[node].tracer;
    return std::pair(static_cast<double>(map.map(reading)) / 1e3 - read(0, t),
                     static_cast<double>(map.uncertainty(reading)) / 1e3);
  });
}

Score World::score_raw() const {
  return score_with([&](std::size_t node, double t) { return std::pair(read(node, t) - read(0, t), 0.0); });
}

}  // namespace orrery::align::test
