#include "align/estimate.h"

#include <algorithm>
#include <cmath>

#include "align/clock_steps.h"
#include "align/robust.h"

namespace orrery::align {
namespace {

constexpr double kWanderPpm = 0.2;
constexpr double kFirstWindowNs = 0.25e9;
constexpr double kMarginNs = 1e9;
constexpr double kSystematicShareOfSpread = 0.05;  // of the spread with which ranks see a collective end
constexpr double kSystematicShareOfDelay = 0.05;   // of the shortest delay: the two directions may differ by that

class Estimator {
 public:
  Estimator(const Sources& sources, const EstimateOptions& options) : sources_(sources) {
    fit_options_.reference = options.reference;
    fit_options_.begin_ns = options.begin_ns;
    fit_options_.end_ns = options.end_ns;
    cover_observations();
    fit_options_.wander_ppm = kWanderPpm;
    fit_options_.steps.resize(sources.nodes);
    observations_.nodes = sources.nodes;
    observations_.events = sources.events;
    observations_.sightings = sources.sightings;
  }

  void fit() {
    if (sources_.probes.empty()) {
      observations_.pairs = sources_.pairs;
      observations_.least_pair_scale = 1;  // these come with an error of their own; a few of them cannot prove it wrong
      fit_ = fit_clocks(observations_, fit_options_);
      return;
    }
    refilter(nullptr, {.window_ns = kFirstWindowNs});
    for (int i = 0; i < 2; ++i) refilter(&fit_, {});
  }

  /// Adds the clearest step, if there is one.
  bool add_step() {
    const std::vector<StepCandidate> found = find_steps(residuals(), fit_options_.reference);
    if (found.empty()) return false;
    auto& steps = fit_options_.steps[found[0].node];
    steps.push_back(found[0].step);
    std::sort(steps.begin(), steps.end(), [](const ClockStep& a, const ClockStep& b) { return a.at_ns < b.at_ns; });
    return true;
  }

  Estimate finish() {
    Estimate estimate{std::move(fit_), {}};
    const double of_events = kSystematicShareOfSpread * estimate.fit.event_scale_ns;
    estimate.systematic_ns.assign(sources_.nodes, sources_.events > 0 ? of_events : 0);
    if (!sources_.probes.empty()) add_probe_systematics(estimate);
    estimate.systematic_ns[fit_options_.reference] = 0;
    return estimate;
  }

 private:
  /// The clocks must reach every observation: one beyond the last knot would pull at the wrong moment.
  void cover_observations() {
    const auto cover = [&](double reading_ns) {
      fit_options_.begin_ns = std::min(fit_options_.begin_ns, reading_ns - kMarginNs);
      fit_options_.end_ns = std::max(fit_options_.end_ns, reading_ns + kMarginNs);
    };
    for (const EventObservation& seen : sources_.sightings) cover(seen.reading_ns);
    for (const PairObservation& pair : sources_.pairs) cover(pair.at_ns);
    for (const ProbeExchange& probe : sources_.probes) cover(probe.t1_ns), cover(probe.t4_ns);
  }

  void refilter(const ClockFit* guess, const ProbeFilterOptions& options) {
    std::vector<PairObservation> pairs = filter_probes(sources_.probes, guess, options);
    pairs.insert(pairs.end(), sources_.pairs.begin(), sources_.pairs.end());
    observations_.pairs = std::move(pairs);
    fit_ = fit_clocks(observations_, fit_options_);
  }

  [[nodiscard]] std::vector<std::vector<ResidualPoint>> residuals() const {
    std::vector<std::vector<ResidualPoint>> series(sources_.nodes);
    for (std::size_t i = 0; i < sources_.sightings.size(); ++i) {
      const EventObservation& seen = sources_.sightings[i];
      series[seen.node].push_back({fit_.event_ns[seen.event], fit_.sighting_residual_ns[i]});
    }
    for (const ProbeExchange& probe : sources_.probes) {
      const double reference = fit_.reference_time(probe.from, (probe.t1_ns + probe.t4_ns) / 2);
      const double measured = ((probe.t2_ns - probe.t1_ns) - (probe.t4_ns - probe.t3_ns)) / 2;
      const double left = measured - (fit_.offset_ns(probe.to, reference) - fit_.offset_ns(probe.from, reference));
      series[probe.to].push_back({reference, left});
      series[probe.from].push_back({reference, -left});
    }
    return series;
  }

  void add_probe_systematics(Estimate& estimate) const {
    std::vector<double> round_trips;
    for (const ProbeExchange& probe : sources_.probes) round_trips.push_back(probe.t4_ns - probe.t1_ns - (probe.t3_ns - probe.t2_ns));
    const double shortest = std::max(quantile(round_trips, 0.001), 0.0);
    for (double& systematic : estimate.systematic_ns) systematic = kSystematicShareOfDelay * shortest / 2;
  }

  const Sources& sources_;
  FitOptions fit_options_;
  Observations observations_;
  ClockFit fit_;
};

}  // namespace

Estimate estimate_clocks(const Sources& sources, const EstimateOptions& options) {
  Estimator estimator(sources, options);
  estimator.fit();
  for (std::size_t i = 0; i < options.most_steps && estimator.add_step(); ++i) estimator.fit();
  return estimator.finish();
}

}  // namespace orrery::align
