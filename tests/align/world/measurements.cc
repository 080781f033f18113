#include "align/world/measurements.h"

#include <cmath>

namespace orrery::align::test {
namespace {

constexpr double kWindowNs = 2e9;

std::int64_t unix_ns(double since_epoch) { return World::kEpochUnixNs + std::llround(since_epoch); }

/// Every node measures against the two next ones.
template <typename Visit>
void for_each_edge(const World& world, const Visit& visit) {
  const std::size_t nodes = world.options().nodes;
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t hop = 1; hop <= std::min<std::size_t>(2, nodes - 1); ++hop) visit(from, (from + hop) % nodes);
  }
}

/// The line a daemon fits to `pairs` differences of two clocks, each known to 2 us: alpha per ns since the window's
/// begin, and beta.
WindowEdge fitted(World& world, std::size_t from, std::size_t to, double begin, double end, int pairs) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double zero = world.read(from, begin);
  for (int i = 0; i < pairs; ++i) {
    const double t = begin + (end - begin) * (i + 0.5) / pairs;
    const double x = world.read(from, t) - zero,
                 y = world.read(to, t) - world.read(from, t) + world.random().normal(2'000);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double alpha = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {to, alpha, (sy - alpha * sx) / n, pairs, 0};
}

}  // namespace

void add_probes(World& world, const ProbeTraffic& traffic, Measurements& into) {
  Random& random = world.random();
  for_each_edge(world, [&](std::size_t from, std::size_t to) {
    const double unevenness = random.uniform(-traffic.uneven, traffic.uneven) / 2;
    const double there_ns = traffic.least_ns * (1 + unevenness), back_ns = traffic.least_ns * (1 - unevenness);
    for (double t = 0; t < world.end_ns(); t += 1e9 / traffic.per_second * random.uniform(0.8, 1.2)) {
      const double held_up = random.chance(traffic.outliers) ? random.uniform(1e6, 20e6) : 0;
      const double arrived = t + there_ns + random.exponential(traffic.wait_ns) + (random.chance(0.5) ? held_up : 0);
      const double answered = arrived + 1'000;
      const double returned = answered + back_ns + random.exponential(traffic.wait_ns);
      if (random.chance(traffic.lost)) continue;
      into.probes.push_back({from, to, unix_ns(world.read(from, t)), unix_ns(world.read(to, arrived)),
                             unix_ns(world.read(to, answered)), unix_ns(world.read(from, returned))});
    }
  });
}

void add_windows(World& world, const WindowQuality& quality, Measurements& into) {
  Random& random = world.random();
  std::int64_t round = 0;
  for (double begin = 0; begin < world.end_ns(); begin += kWindowNs, ++round) {
    const double end = std::min(begin + kWindowNs, world.end_ns());
    for (std::size_t node = 0; node < world.options().nodes; ++node)
      into.windows.push_back({node, round, unix_ns(world.read(node, begin)), unix_ns(world.read(node, end)), {}});
    const std::size_t first = into.windows.size() - world.options().nodes;
    for_each_edge(world, [&](std::size_t from, std::size_t to) {
      WindowEdge edge =
          random.chance(quality.unreached) ? WindowEdge{to, 0, 0, 0, 40} : fitted(world, from, to, begin, end, 40);
      if (edge.pairs > 0 && random.chance(quality.wild)) edge.beta_ns += random.uniform(-1e6, 1e6);
      into.windows[first + from].edges.push_back(edge);
    });
  }
}

void add_offsets(World& world, const OffsetQuality& quality, Measurements& into) {
  Random& random = world.random();
  std::int64_t round = 0;
  for (double begin = 0; begin < world.end_ns(); begin += kWindowNs, ++round) {
    const double end = begin + kWindowNs, middle = begin + kWindowNs / 2;
    for (std::size_t node = 0; node < world.options().nodes; ++node) {
      OffsetRow row{
          node, round, unix_ns(world.read(node, begin)), unix_ns(world.read(node, end)), 0, 0, quality.sigma_ns,
          true, true};
      if (node > 0) row.offset_ns = world.read(node, middle) - world.read(0, middle) + random.normal(quality.sigma_ns);
      if (node > 0 && random.chance(quality.unreached)) {
        (random.chance(0.5) ? row.reachable : row.converged) = false;
        row.offset_ns = 0;
      }
      into.offsets.push_back(row);
    }
  }
}

void add_snapshots(World& world, double held_up, Measurements& into) {
  Random& random = world.random();
  for (std::size_t node = 0; node < world.options().nodes; ++node) {
    const auto start = static_cast<std::int64_t>(std::llround(world.profile_start(node)));
    SnapshotRows rows{node, World::kEpochUnixNs + start, static_cast<std::int64_t>(random.uniform(3e13, 4e15)), {}};
    for (double t = world.begin_ns(node) - 0.2e9; t < world.end_ns() + 0.2e9; t += 1e8) {
      const double late = random.exponential(300) + (random.chance(held_up) ? random.uniform(2'000, 60'000) : 0);
      rows.pairs.push_back(
          {std::llround(world.read(node, t)) - start, std::llround(world.read_device(node, t + late))});
    }
    into.snapshots.push_back(std::move(rows));
  }
}

}  // namespace orrery::align::test
