#include "align/probe_filter.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace orrery::align {
namespace {

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

}  // namespace orrery::align
