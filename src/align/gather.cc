#include "align/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "align/diagnostics.h"
#include "align/disjoint_sets.h"
#include "base/statistics.h"

// Readings of all tools become nanoseconds since the job's epoch: probes as they are, windows as their middle with an
// error by the number of packets, offsets of rounds as pairs with node 0. What lies far from the traces or beyond what
// a clock can hold is counted and left out, since one wild row would bend every clock.

namespace orrery::align {
namespace {

constexpr double kReachNs = 600e9;           // measurements may begin and end ten minutes away from the traces
constexpr double kLeastOffsetSigmaNs = 100;  // nobody measures better than that over a network
constexpr double kWindowSigmaNs = 5'000;     // of one pair of packets, before averaging
constexpr double kUnusualRates = 3;          // typical deviations of a window's rate from that of the others
constexpr double kMaxWindowSlope =
    1e-3;  // no crystal and no slew is faster: a window with more has seen a clock being set

struct Span {
  double begin = std::numeric_limits<double>::max();
  double end = std::numeric_limits<double>::lowest();
};

Span span_of(const trace::Trace& trace) {
  Span span;
  for (const trace::RankTrace& rank : trace.ranks) {
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      span.begin = std::min(span.begin, static_cast<double>(rank.start[e]) / 1e3);
      span.end = std::max(span.end, static_cast<double>(rank.end(e)) / 1e3);
    }
  }
  return span;
}

class Gatherer {
 public:
  Gatherer(const trace::Trace& trace, const NodeTable& nodes, const trace::ClockSources& in, Diagnostics& diagnostics)
      : trace_(trace), nodes_(nodes), in_(in), diagnostics_(diagnostics), span_(span_of(trace)) {
    out_.nodes = nodes.size();
  }

  Result<Sources> gather() {
    for (const trace::RawProbe& probe : without_repetition(in_.probes)) take(probe);
    for (const trace::ProbeWindow& window : without_repetition(in_.windows)) take(window);
    doubt_unusual_windows();
    take_offsets(without_repetition(in_.offsets));
    const bool given = !in_.probes.empty() || !in_.windows.empty() || !in_.offsets.empty();
    // Measurements that fit nothing are a mistake in the call: going on without them would hide it.
    if (given && !reaches_a_trace()) return nothing_usable();
    return std::move(out_);
  }

 private:
  /// A window that was taken: its pair in the list of observations.
  struct Window {
    std::uint32_t from, to;
    double slope, half_ns;
    std::size_t pair;
  };

  /// A reading of the host clock of the node at `place`.
  [[nodiscard]] double since_epoch(std::uint32_t place, std::int64_t unix_ns) const {
    return static_cast<double>(unix_ns + nodes_.era_ns(place) - trace_.epoch_unix_ns);
  }
  /// What a difference of two clocks is more than the files say, because one of them was moved by years.
  [[nodiscard]] double moved(std::uint32_t from, std::uint32_t to) const {
    return static_cast<double>(nodes_.era_ns(to) - nodes_.era_ns(from));
  }

  /// In an order of its own. A row that is there twice was measured once, and would make the band too narrow.
  template <typename Row>
  std::vector<Row> without_repetition(std::vector<Row> rows) {
    std::sort(rows.begin(), rows.end());
    const auto last = std::unique(rows.begin(), rows.end());
    const auto repeated = static_cast<std::uint64_t>(rows.end() - last);
    if (repeated > 0) diagnostics_.add_many(kRepeatedMeasurement, repeated, {});
    rows.erase(last, rows.end());
    return rows;
  }

  /// The place of a node that a measurement names: all of these are in the table.
  [[nodiscard]] std::uint32_t node(std::uint32_t number) const { return nodes_.place(number).value_or(0); }

  [[nodiscard]] bool reaches_a_trace() const {
    const auto reaches = [&](const auto& row) { return nodes_.has_trace(row.from) || nodes_.has_trace(row.to); };
    return std::any_of(out_.probes.begin(), out_.probes.end(), reaches) ||
           std::any_of(out_.pairs.begin(), out_.pairs.end(), reaches);
  }

  /// Times of a trace and differences that a map can hold: beyond them nothing was measured.
  [[nodiscard]] static bool is_difference(double ns) {
    // A quarter of the range: sums of a few differences still fit.
    return std::abs(ns) < static_cast<double>(trace::kMaxMomentPs) / 4e3;
  }

  bool overlaps(double at) {
    if (at >= span_.begin - kReachNs && at <= span_.end + kReachNs) return true;
    ++elsewhere_;
    return false;
  }

  void note_wild(std::uint32_t from, std::uint32_t to) {
    diagnostics_.add(kWildMeasurement, [&] { return fmt::format("node {} and node {}", from, to); });
  }

  void take(const trace::RawProbe& probe) {
    const std::uint32_t from = node(probe.from), to = node(probe.to);
    if (!overlaps(since_epoch(from, probe.t1_ns))) return;
    const bool is_usable =
        is_difference(since_epoch(to, probe.t2_ns)) && is_difference(since_epoch(to, probe.t3_ns)) &&
        static_cast<double>(probe.t4_ns - probe.t1_ns) < kReachNs;  // no packet is under way for ten minutes
    if (!is_usable) return note_wild(probe.from, probe.to);
    out_.probes.push_back({from, to, since_epoch(from, probe.t1_ns), since_epoch(to, probe.t2_ns),
                           since_epoch(to, probe.t3_ns), since_epoch(from, probe.t4_ns)});
  }

  void take(const trace::ProbeWindow& window) {
    const std::uint32_t from = node(window.from), to = node(window.to);
    const double begin = since_epoch(from, window.begin_ns),
                 half = static_cast<double>(window.end_ns - window.begin_ns) / 2;
    if (!overlaps(begin)) return;
    // A tool that got no answer writes a line all the same.
    if (window.pairs <= 0 && window.lost > 0) {
      diagnostics_.add(kUnansweredWindow, [&] { return fmt::format("node {} to node {}", window.from, window.to); });
      return;
    }
    if (!is_difference(window.offset_ns + moved(from, to) + window.slope * half))
      return note_wild(window.from, window.to);
    if (std::abs(window.slope) > kMaxWindowSlope) {
      diagnostics_.add(kWildWindow, [&] {
        return fmt::format("node {} to node {}: {:.0f} ppm", window.from, window.to, window.slope * 1e6);
      });
      return;
    }
    const double sigma = std::max(
        // Packets are independent: the error falls with the root of their number.
        kWindowSigmaNs / std::sqrt(static_cast<double>(std::max<std::int64_t>(window.pairs, 1))), kLeastOffsetSigmaNs);
    windows_.push_back({from, to, window.slope, half, out_.pairs.size()});
    out_.pairs.push_back({from, to, begin + half, window.offset_ns + moved(from, to) + window.slope * half, sigma});
  }

  /// A window in which a clock was set or slewed is a line through something else: its middle is known no better than
  /// by what that line gains or loses within half the window against the usual rate of the two clocks.
  void doubt_unusual_windows() {
    std::sort(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) {
      return std::tie(a.from, a.to, a.pair) < std::tie(b.from, b.to, b.pair);
    });
    std::vector<double> values;
    for (std::size_t begin = 0, end = 0; begin < windows_.size(); begin = end) {
      values.clear();
      for (end = begin; end < windows_.size() && windows_[end].from == windows_[begin].from &&
                        windows_[end].to == windows_[begin].to;
           ++end)
        values.push_back(windows_[end].slope);
      const double usual = lower_median(values);
      for (double& slope : values) slope = std::abs(slope - usual);
      const double typical = kDeviationOverMad * lower_median(values);
      for (std::size_t i = begin; i < end; ++i) {
        const double unusual = std::abs(windows_[i].slope - usual);
        // Within the usual spread the line is what it says, and its middle better known than any other point of it.
        if (unusual <= kUnusualRates * typical) continue;
        double& sigma = out_.pairs[windows_[i].pair].sigma_ns;
        sigma = std::hypot(sigma, unusual * windows_[i].half_ns / 2);
      }
    }
  }

  /// offset = clock of the node minus clock of node 0, at the middle of the round. Every row has the window of its own
  /// node, so that of node 0 is found by the round; if it is missing, the node's own middle minus the offset is the
  /// same moment.
  void take_offsets(const std::vector<trace::GivenOffset>& offsets) {
    if (offsets.empty()) return;
    const std::uint32_t zero = node(0);
    std::map<std::int64_t, double> middle_of_round;
    std::map<std::uint32_t, std::size_t> usable_rows;
    for (const trace::GivenOffset& given : offsets) {
      if (given.node == 0) middle_of_round.emplace(given.round, since_epoch(zero, given.middle_ns));
      if (given.usable) ++usable_rows[given.node];
    }
    for (const trace::GivenOffset& given : offsets) {
      if (!given.usable || given.node == 0) continue;
      const std::uint32_t other = node(given.node);
      const double offset = given.offset_ns + moved(zero, other);
      const auto middle = middle_of_round.find(given.round);
      const double at = middle != middle_of_round.end() ? middle->second : since_epoch(other, given.middle_ns) - offset;
      if (!overlaps(at)) continue;
      if (!is_difference(offset) || !is_difference(given.drift_ppm * 1e6)) {
        note_wild(0, given.node);
        continue;
      }
      // A residual of 0 is that of a fit through as many points as it has unknowns: it says nothing about how exact
      // they are.
      const double sigma = std::max(std::abs(given.residual_ns), kLeastOffsetSigmaNs);
      out_.pairs.push_back({zero, other, at, offset, sigma});
      if (usable_rows[given.node] > 1) continue;
      // A minute apart, so that the drift weighs as much as a second measurement would.
      constexpr double kRowsApartNs = 60e9;  // a single row: its drift as a second one
      out_.pairs.push_back({zero, other, at + kRowsApartNs, offset + given.drift_ppm * 1e-6 * kRowsApartNs, sigma});
    }
  }

  [[nodiscard]] Error nothing_usable() const {
    if (elsewhere_ > 0)
      return {"the clock measurements lie more than ten minutes away from the traces",
              {},
              Error::kNoOffset,
              "are they of another run?"};
    return {"none of the clock measurements is of a node with a trace",
            {},
            Error::kNoOffset,
            "nodes are numbered as the files are: node0, node1, ..."};
  }

  const trace::Trace& trace_;
  const NodeTable& nodes_;
  const trace::ClockSources& in_;
  Diagnostics& diagnostics_;
  Span span_;
  Sources out_;
  std::size_t elsewhere_ = 0;
  std::vector<Window> windows_;
};

}  // namespace

Result<Sources> gather_measurements(const trace::Trace& trace, const NodeTable& nodes,
                                    const trace::ClockSources& sources, Diagnostics& diagnostics) {
  return Gatherer(trace, nodes, sources, diagnostics).gather();
}

bool connects_all(const Sources& sources, const NodeTable& nodes, std::uint32_t reference) {
  DisjointSets sets(sources.nodes + sources.events);
  for (const ProbeExchange& probe : sources.probes) sets.join(probe.from, probe.to);
  for (const PairObservation& pair : sources.pairs) sets.join(pair.from, pair.to);
  for (const EventObservation& seen : sources.sightings) sets.join(seen.node, sources.nodes + seen.event);
  for (std::uint32_t i = 0; i < nodes.traced(); ++i) {
    if (!sets.connected(nodes.clock_place(i), reference)) return false;
  }
  return true;
}

void add_collectives(const Exchanges& exchanges, const NodeTable& nodes, Ordering ordering,
                     const std::vector<trace::Clock>& tracer, Sources& sources) {
  for (const Exchange& collective : exchanges.all) {
    // All leave what everybody waits for at nearly the same moment; of a broadcast the root may be long gone.
    if (collective.ordering != ordering) continue;
    const auto event = static_cast<std::uint32_t>(sources.events++);
    const std::size_t first = sources.sightings.size();
    for (std::uint32_t i = collective.first; i < collective.first + collective.count; ++i) {
      const Participation& part = exchanges.parts[i];
      const TimePs end = part.clock == 0 ? part.end_ps : tracer[part.node].map(part.end_ps);
      sources.sightings.push_back({nodes.clock_place(part.node), event, static_cast<double>(end) / 1e3});
    }
    // A message begins with its sender; of several devices or ranks of a node the one that ends first counts.
    const auto begin = sources.sightings.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, sources.sightings.end(), [](const EventObservation& a, const EventObservation& b) {
      return std::pair(a.node, a.reading_ns) < std::pair(b.node, b.reading_ns);
    });
    const auto same_node = [](const EventObservation& a, const EventObservation& b) { return a.node == b.node; };
    sources.sightings.erase(std::unique(begin, sources.sightings.end(), same_node), sources.sightings.end());
  }
}

}  // namespace orrery::align
