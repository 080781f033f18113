// A job with a known truth: several processes that compute and meet in collectives, each writing down what its own
// clock shows.
//
// The traces and measurements it gives go to the code under test; the clocks and the true moments stay here, for
// score().
#pragma once

#include <cstdint>
#include <vector>

#include "align/alignment.h"
#include "align/world/true_clock.h"
#include "trace/trace.h"

namespace orrery::align::test {

struct WorldOptions {
  std::size_t nodes = 6;
  double seconds = 12;
  ClockFamily family = ClockFamily::wander;
  double collectives_per_second = 80;
  double end_spread_ns = 40'000;    ///< how late a node sees a collective end, on average
  double uneven = 0.05;             ///< by which share of that some nodes are later than others, always
  double straggler_share = 0.05;    ///< of the collectives that somebody enters late,
  double straggler_ns = 20e6;       ///< by up to this
  double missing_head = 0;          ///< share of the job after which the last node's trace begins
  bool device_clock = false;        ///< collectives are recorded by a device whose clock counts from the node's boot
  bool steps_of_reference = false;  ///< in family `steps`: node 0 is set, and nobody else
};

/// What one node did in one collective, in true time.
struct TrueSpan {
  double begin_ns = 0;
  double end_ns = 0;
};

/// Error of maps against the truth, at moments 10 ms apart while a node recorded. Moments whose reading was shown twice
/// are left out.
struct Score {
  std::size_t moments = 0;
  double mean_ns = 0, p95_ns = 0, max_ns = 0;
  double covered = 1;  ///< share of the moments at which the true error is inside the stated band
};

class World {
 public:
  static constexpr std::int64_t kEpochUnixNs = 1'794'702'945'000'000'000;

  World(std::uint64_t seed, const WorldOptions& options);

  [[nodiscard]] const WorldOptions& options() const { return options_; }
  [[nodiscard]] double end_ns() const { return options_.seconds * 1e9; }
  /// Host clock of a node, ns since the epoch of what it shows.
  [[nodiscard]] double read(std::size_t node, double t_ns) const { return clocks_[node].read(t_ns); }
  [[nodiscard]] const TrueClock& clock(std::size_t node) const { return clocks_[node]; }
  /// Device clock of a node, ns since the profile began by either clock.
  [[nodiscard]] double read_device(std::size_t node, double t_ns) const;
  /// What the host clock showed when the profile of a node began, ns since the epoch.
  [[nodiscard]] double profile_start(std::size_t node) const { return read(node, begin_ns(node) - 0.2e9); }
  /// True time from which on the node recorded.
  [[nodiscard]] double begin_ns(std::size_t node) const;
  Random& random() { return random_; }

  /// What the nodes recorded. Rank i is node i.
  [[nodiscard]] trace::Trace traces() const;

  /// Of the maps of all nodes but the reference; `raw` scores the clocks as they are.
  [[nodiscard]] Score score(const Alignment& alignment) const;
  [[nodiscard]] Score score_device(const Alignment& alignment) const;
  [[nodiscard]] Score score_raw() const;

 private:
  void run_program();
  void set_clocks();
  template <typename ErrorAndBand>
  [[nodiscard]] Score score_with(const ErrorAndBand& error_and_band) const;

  WorldOptions options_;
  Random random_;
  std::vector<TrueClock> clocks_;
  std::vector<double> device_rate_;
  std::vector<std::vector<TrueSpan>> collectives_;  // [collective][node]
};

}  // namespace orrery::align::test
