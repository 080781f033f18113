#include "align/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "align/clock_steps.h"
#include "align/disjoint_sets.h"
#include "base/statistics.h"

// Probes are reduced to one observation per pair of nodes and window of time, first with no knowledge of the clocks and
// then relative to a first fit, where drift no longer blurs the quantiles. Clock steps are added one by one, the
// clearest first, and fitted again; those that turn out too small are dropped.

namespace orrery::align {
namespace {

// A microsecond: packets that never wait tell nothing of how exact they are.
constexpr double kLeastSpreadNs = 1'000;

/// An exchange with its place in the order of pairs of nodes and windows.
struct Placed {
  std::uint32_t from, to;
  std::int64_t window;
  std::uint32_t probe;
  auto operator<=>(const Placed&) const = default;

  [[nodiscard]] bool same_pair(const Placed& other) const { return from == other.from && to == other.to; }
};

/// Delays there and back of exchanges of one pair of nodes, beyond what the guess explains.
struct Delays {
  std::vector<double> there, back, moments;
  void clear() { there.clear(), back.clear(), moments.clear(); }
};

class Filter {
 public:
  Filter(std::span<const ProbeExchange> probes, const ClockFit* guess, const ProbeFilterOptions& options)
      : probes_(probes), guess_(guess), options_(options) {}

  std::vector<PairObservation> run() {
    std::vector<Placed> placed;
    placed.reserve(probes_.size());
    for (std::uint32_t i = 0; i < probes_.size(); ++i) {
      const ProbeExchange& probe = probes_[i];
      placed.push_back(
          {probe.from, probe.to, static_cast<std::int64_t>(std::floor(probe.t1_ns / options_.window_ns)), i});
    }
    std::sort(placed.begin(), placed.end());
    const std::span<const Placed> all(placed);
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      for (end = begin; end < all.size() && all[end].same_pair(all[begin]); ++end) {
      }
      take_pair(all.subspan(begin, end - begin));
    }
    return std::move(observations_);
  }

 private:
  [[nodiscard]] double known(const Placed& pair, double at) const {
    if (guess_ == nullptr) return 0;
    const double reference = guess_->reference_time(pair.from, at);
    return guess_->offset_ns(pair.to, reference) - guess_->offset_ns(pair.from, reference);
  }

  void collect(std::span<const Placed> part, Delays& delays) const {
    delays.clear();
    for (const Placed& one : part) {
      const ProbeExchange& probe = probes_[one.probe];
      const double at = (probe.t1_ns + probe.t4_ns) / 2;
      const double explained = known(one, at);
      delays.there.push_back(probe.t2_ns - probe.t1_ns - explained);
      delays.back.push_back(probe.t4_ns - probe.t3_ns + explained);
      delays.moments.push_back(at);
    }
  }

  /// All exchanges of one ordered pair of nodes.
  void take_pair(std::span<const Placed> pair) {
    std::vector<double> spreads;
    const std::size_t first = observations_.size();
    for (std::size_t begin = 0, end = 0; begin < pair.size(); begin = end) {
      for (end = begin; end < pair.size() && pair[end].window == pair[begin].window; ++end) {
      }
      collect(pair.subspan(begin, end - begin), delays_);
      // From the fast packets to the middle ones: the slow tail says how full the network was, not how exact it can be.
      spreads.push_back(quantile(delays_.there, 0.5) - quantile(delays_.there, 0.05) + quantile(delays_.back, 0.5) -
                        quantile(delays_.back, 0.05));
      observations_.push_back(observe(pair[begin]));
    }
    // How much packets wait is a matter of the two nodes: a window of a few packets cannot tell.
    const double spread = std::max(lower_median(spreads), kLeastSpreadNs);
    for (std::size_t i = first; i < observations_.size(); ++i) observations_[i].sigma_ns *= spread;
  }

  /// sigma_ns is left in units of the spread.
  PairObservation observe(const Placed& pair) {
    // Without a guess drift moves all delays within a window, and only the middle of them is safe.
    const double q = guess_ != nullptr ? options_.quantile : 0.5;
    const auto count = static_cast<double>(delays_.moments.size());
    double at = 0;
    for (const double moment : delays_.moments) at += (moment - delays_.moments[0]) / count;
    at += delays_.moments[0];
    const double difference = (quantile(delays_.there, q) - quantile(delays_.back, q)) / 2 + known(pair, at);
    return {pair.from, pair.to, at, difference, 1 / std::sqrt(count)};
  }

  std::span<const ProbeExchange> probes_;
  const ClockFit* guess_;
  const ProbeFilterOptions& options_;
  Delays delays_;
  std::vector<PairObservation> observations_;
};

}  // namespace

std::vector<PairObservation> filter_probes(std::span<const ProbeExchange> probes, const ClockFit* guess,
                                           const ProbeFilterOptions& options) {
  return Filter(probes, guess, options).run();
}

namespace {

// A quartz in a machine that warms up; most wander less. Too much here costs a little noise, too little a bias that no
// band knows of.
constexpr double kWanderPpm = 0.5;
// Short enough for drift to matter little, long enough for some packets.
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
    tried_.resize(sources.nodes);
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

  /// Finds the clearest step that is left, if there is one, and fits again with it.
  bool add_step() {
    if (const auto sparse = find_sparse_step(given_offsets(), tried_)) {
      const std::uint32_t node = sparse->candidate.node;
      tried_[node].push_back(sparse->candidate.step);
      insert(node, place_between(*sparse, seen_offsets(node)));
      return true;
    }
    const auto dense = find_step(residuals(), tried_);
    if (!dense) return false;
    insert(dense->node, dense->step);
    return true;
  }

  /// Steps that turned out to be none, once others were known.
  bool drop_small_steps() {
    bool dropped = false;
    for (std::size_t node = 0; node < sources_.nodes; ++node) {
      auto& steps = fit_options_.steps[node];
      for (std::size_t i = steps.size(); i-- > 0;) {
        if (std::abs(fit_.nodes[node].steps[i].jump_ns) >= kSmallestJumpNs) continue;
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
        dropped = true;
      }
    }
    if (dropped) fit();
    return dropped;
  }

  Estimate finish() {
    Estimate estimate{std::move(fit_)};
    const double of_events = sources_.events > 0 ? kSystematicShareOfSpread * estimate.fit.event_scale_ns : 0;
    const double of_probes = kSystematicShareOfDelay * shortest_round_trip() / 2;
    // Where measurements reach, collectives have next to no weight.
    estimate.measured = reached_by_measurements();
    for (const bool measured : estimate.measured) estimate.systematic_ns.push_back(measured ? of_probes : of_events);
    estimate.systematic_ns[fit_options_.reference] = 0;
    return estimate;
  }

 private:
  /// Every place is tried once: if the fit makes nothing of a step, that will not change. A step of the reference is
  /// one of everybody else.
  void insert(std::size_t node, const ClockStep& step) {
    tried_[node].push_back(step);
    if (node != fit_options_.reference) {
      add_to(fit_options_.steps[node], step);
    } else {
      const ClockStep opposite{step.at_ns, -step.jump_ns, step.earliest_ns, step.latest_ns};
      for (std::size_t other = 0; other < sources_.nodes; ++other) {
        if (other != node && !is_known(fit_options_.steps[other], step.at_ns))
          add_to(fit_options_.steps[other], opposite);
      }
    }
    fit();
  }

  static void add_to(std::vector<ClockStep>& steps, const ClockStep& step) {
    steps.push_back(step);
    std::sort(steps.begin(), steps.end(), [](const ClockStep& a, const ClockStep& b) { return a.at_ns < b.at_ns; });
  }

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
    for (std::vector<ResidualPoint>& points : series) sort_points(points);
    return series;
  }

  /// Offsets and windows, as offsets of either node without the steps that are known already.
  [[nodiscard]] std::vector<std::vector<OffsetPoint>> given_offsets() const {
    std::vector<std::vector<OffsetPoint>> series(sources_.nodes);
    std::vector<double> sigmas;
    for (const PairObservation& pair : sources_.pairs) sigmas.push_back(pair.sigma_ns);
    const double doubtful = 3 * lower_median(sigmas);
    for (const PairObservation& pair : sources_.pairs) {
      if (pair.sigma_ns > doubtful) continue;
      const double reference = fit_.reference_time(pair.from, pair.at_ns);
      series[pair.to].push_back(
          {reference, fit_.offset_ns(pair.from, reference) + pair.difference_ns - steps_before(pair.to, reference)});
      series[pair.from].push_back(
          {reference, fit_.offset_ns(pair.to, reference) - pair.difference_ns - steps_before(pair.from, reference)});
    }
    return series;
  }

  /// What shared events say about the offset of one node, in the same way.
  [[nodiscard]] std::vector<OffsetPoint> seen_offsets(std::uint32_t node) const {
    std::vector<OffsetPoint> points;
    for (std::size_t i = 0; i < sources_.sightings.size(); ++i) {
      const EventObservation& seen = sources_.sightings[i];
      if (seen.node != node) continue;
      const double at = fit_.event_ns[seen.event];
      points.push_back({at, fit_.sighting_residual_ns[i] + fit_.offset_ns(node, at) - steps_before(node, at)});
    }
    return points;
  }

  [[nodiscard]] double steps_before(std::size_t node, double reference_ns) const {
    double sum = 0;
    for (const ClockStep& step : fit_.nodes[node].steps) sum += reference_ns >= step.at_ns ? step.jump_ns : 0;
    return sum;
  }

  /// 0 without probes.
  [[nodiscard]] double shortest_round_trip() const {
    std::vector<double> round_trips;
    for (const ProbeExchange& probe : sources_.probes)
      round_trips.push_back(probe.t4_ns - probe.t1_ns - (probe.t3_ns - probe.t2_ns));
    // Nearly the shortest: a single one may be wrong.
    return std::max(quantile(round_trips, 0.001), 0.0);
  }

  /// Per node: whether probes, windows and offsets connect it to the reference without any collective.
  [[nodiscard]] std::vector<bool> reached_by_measurements() const {
    DisjointSets nodes(sources_.nodes);
    for (const ProbeExchange& probe : sources_.probes) nodes.join(probe.from, probe.to);
    for (const PairObservation& pair : sources_.pairs) nodes.join(pair.from, pair.to);
    std::vector<bool> reached;
    for (std::uint32_t i = 0; i < sources_.nodes; ++i) reached.push_back(nodes.connected(i, fit_options_.reference));
    return reached;
  }

  const Sources& sources_;
  FitOptions fit_options_;
  Observations observations_;
  ClockFit fit_;
  std::vector<std::vector<ClockStep>> tried_;  // per node: steps found so far, kept or not
};

}  // namespace

Estimate estimate_clocks(const Sources& sources, const EstimateOptions& options) {
  Estimator estimator(sources, options);
  estimator.fit();
  for (std::size_t i = 0; i < options.most_steps && estimator.add_step(); ++i) {
  }
  while (estimator.drop_small_steps()) {
  }
  return estimator.finish();
}

}  // namespace orrery::align
