// Clocks with a known truth: every node has an offset, a drift and a wandering frequency; what it sees is stamped by
// its own clock.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "align/estimate.h"

namespace orrery::align::test {

struct ClockOptions {
  std::size_t nodes = 6;
  double seconds = 20;
  double offset_ns = 5e6;
  double drift_ppm = 30;
  double wander_ppm = 0.05;
  double step_ns = 0;  ///< of node 2, in the middle
};

class ClockWorld {
 public:
  ClockWorld(std::uint64_t seed, const ClockOptions& options) : options_(options), random_(seed) {
    for (std::size_t i = 0; i < options.nodes; ++i) {
      double offset = uniform(-options.offset_ns, options.offset_ns);
      double rate = uniform(-options.drift_ppm, options.drift_ppm);
      std::vector<double>& x = x_.emplace_back();
      for (double t = 0; t <= options.seconds + 2; t += kGrid) {
        x.push_back(offset);
        offset += rate * 1e3 * kGrid;  // ppm * s = 1e3 ns
        rate += normal(options.wander_ppm * std::sqrt(kGrid));
      }
    }
  }

  /// What the clock of `node` shows at true time `t_ns`.
  [[nodiscard]] double read(std::size_t node, double t_ns) const {
    const double at = t_ns / 1e9 / kGrid;
    const auto i = static_cast<std::size_t>(at);
    double x = x_[node][i] + (at - static_cast<double>(i)) * (x_[node][i + 1] - x_[node][i]);
    if (node == 2 && t_ns >= options_.seconds * 0.5e9) x += options_.step_ns;
    return t_ns + x;
  }

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double normal(double sigma) { return std::normal_distribution<double>(0, sigma)(random_); }
  double exponential(double mean) { return std::exponential_distribution<double>(1 / mean)(random_); }

  /// `per_second` collectives whose ends the nodes see up to some `late_ns` late.
  Sources collectives(double per_second, double late_ns) {
    Sources sources;
    sources.nodes = options_.nodes;
    for (double t = 0.2e9; t < options_.seconds * 1e9; t += 1e9 / per_second * uniform(0.5, 1.5)) {
      const auto event = static_cast<std::uint32_t>(sources.events++);
      for (std::uint32_t node = 0; node < options_.nodes; ++node)
        sources.sightings.push_back({node, event, read(node, t + exponential(late_ns))});
    }
    return sources;
  }

  /// Every node probes its two neighbours to the right; packets take `least_ns` and wait.
  Sources probes(double per_second, double least_ns, double wait_ns) {
    Sources sources;
    sources.nodes = options_.nodes;
    for (double t = 0.1e9; t < options_.seconds * 1e9; t += 1e9 / per_second) {
      for (std::uint32_t from = 0; from < options_.nodes; ++from) {
        for (const std::uint32_t hop : {1u, 2u}) {
          const auto to = static_cast<std::uint32_t>((from + hop) % options_.nodes);
          const double arrived = t + least_ns + exponential(wait_ns), answered = arrived + 1'000;
          const double back = answered + least_ns + exponential(wait_ns);
          sources.probes.push_back({from, to, read(from, t), read(to, arrived), read(to, answered), read(from, back)});
        }
      }
    }
    return sources;
  }

  struct Score {
    double mean_ns = 0, worst_ns = 0;
    double covered = 0;  ///< share of moments at which the truth lies inside the stated band
  };

  /// Error of the estimate against the truth, every 10 ms.
  [[nodiscard]] Score score(const Estimate& estimate) const {
    Score score;
    std::size_t moments = 0, inside = 0;
    for (std::size_t node = 1; node < options_.nodes; ++node) {
      for (double t = 0.2e9; t < options_.seconds * 1e9; t += 1e7) {
        const double got = estimate.fit.reference_time(node, read(node, t));
        const double error = std::abs(got - read(0, t));
        const double band = 2 * (estimate.fit.sigma_ns(node, got) + estimate.systematic_ns[node]);
        score.mean_ns += error;
        score.worst_ns = std::max(score.worst_ns, error);
        ++moments;
        if (error <= band) ++inside;
      }
    }
    score.mean_ns /= static_cast<double>(moments);
    score.covered = static_cast<double>(inside) / static_cast<double>(moments);
    return score;
  }

  [[nodiscard]] EstimateOptions estimate_options() const {
    EstimateOptions options;
    options.begin_ns = -1e9;
    options.end_ns = options_.seconds * 1e9 + 1e9;
    return options;
  }

 private:
  static constexpr double kGrid = 0.01;
  ClockOptions options_;
  std::mt19937_64 random_;
  std::vector<std::vector<double>> x_;
};

}  // namespace orrery::align::test
