#include "align/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "align/diagnostics.h"
#include "align/gather.h"
#include "align/node_clocks.h"
#include "align/node_table.h"
#include "align/tracer_clock.h"
#include "base/statistics.h"
#include "match/diagnostics.h"
#include "match/exchange_finder.h"

// In this order: clocks of tracers against their hosts, from snapshots; everything that was measured between hosts;
// what collectives show, and messages only for nodes that nothing else connects; then one estimate of all clocks at
// once, and if asked for a logical clock on top, which bends time until no effect precedes its cause.

namespace orrery::align {

void remark_on_causality(const Exchanges& exchanges, const CausalityReport& report, const trace::Trace& trace,
                         Diagnostics& diagnostics) {
  const auto remark = [&](const DiagnosticKind& kind, std::size_t count) {
    if (count > 0) diagnostics.add_many(kind, count, {});
  };
  for (const Exchange& collective : exchanges.mispaired)
    diagnostics.add(kMispaired, [&] {
      return fmt::format("{} number {}", trace.strings.text(collective.name), collective.sequence);
    });
  remark(kAmbiguousCollectives, exchanges.ambiguous);
  remark(kUnclearPattern, exchanges.unclear_pattern);
  remark(kRootUnknown, report.root_unknown);
  remark(kPeersUnknown, report.peers_unknown + exchanges.peers_unknown);
  remark(kAmbiguousMessages, exchanges.messages_ambiguous);
  remark(kPairedByPattern, static_cast<std::size_t>(std::count_if(exchanges.all.begin(), exchanges.all.end(),
                                                                  [](const Exchange& c) { return c.by_pattern; })));
  remark(kNoExtent, exchanges.without_extent);
  remark(match::kGroupInferred, exchanges.groups_inferred);
  remark(match::kGroupUnclear, exchanges.groups_unclear);
  remark(match::kOrderDisagrees, exchanges.order_disagrees);
  for (const std::string& name : exchanges.reused_group_names)
    diagnostics.add(match::kGroupNameReused, [&] { return "group " + name; });
}

namespace {

// Residuals beyond five scales have next to no weight in the fit: to people they are rejected.
constexpr double kRejectedResiduals = 5;

class Aligner {
 public:
  Aligner(const trace::Trace& trace, const trace::ClockSources& sources, const AlignOptions& options,
          Diagnostics& diagnostics)
      : trace_(trace),
        in_(sources),
        options_(options),
        diagnostics_(diagnostics),
        nodes_(trace, sources, options.ranks_per_node) {}

  Result<Alignment> run() {
    if (trace_.ranks.empty()) return Error{"there are no traces"};
    const auto reference = nodes_.place_of_node_or_rank(options_.reference_rank.value_or(0));
    // One that was asked for and is not there is an error; by default rank 0 is a wish, and the first there is will do.
    if (!reference && options_.reference_rank) {
      return Error{
          fmt::format("there is neither a trace nor a measurement of node {}, the reference", *options_.reference_rank),
          {},
          Error::kNoOffset,
          "choose another reference"};
    }
    reference_ = reference.value_or(0);  // ranks are in order of their numbers
    start_nodes();
    for (auto i = static_cast<std::uint32_t>(nodes_.traced()); i < nodes_.size(); ++i)
      diagnostics_.add(kNoTraceOfNode, [&] { return fmt::format("node {}", nodes_.number(i)); });
    if (const Status fitted = fit_tracers(); !fitted) return fitted.error();
    Result<Sources> sources = gather_measurements(trace_, nodes_, in_, diagnostics_);
    if (!sources) return sources.error();
    out_.exchanges = match::find_exchanges(trace_);
    name_sources();
    add_collectives(out_.exchanges, nodes_, Ordering::everybody_waits, tracer_to_host_, *sources);
    if (sources->events > 0) out_.sources.emplace_back("collectives");
    // A message ends later where it arrives: good enough for nodes that nothing else connects.
    if (const std::size_t collectives = sources->events; !connects_all(*sources, nodes_, reference_)) {
      add_collectives(out_.exchanges, nodes_, Ordering::message, tracer_to_host_, *sources);
      if (sources->events > collectives) out_.sources.emplace_back("messages");
    }
    out_.before = causality(false);
    remark_on_causality(out_.exchanges, out_.before, trace_, diagnostics_);
    // One trace alone is aligned by its snapshots, since there is nobody else to be aligned with.
    out_.calibrated = !sources->probes.empty() || !sources->pairs.empty() || sources->events > 0 ||
                      (trace_.ranks.size() == 1 && has_snapshots());
    note_far_clocks();
    if (const Status same = check_eras(); !same) return same.error();
    if (out_.calibrated) {
      if (const Status done = estimate(*sources); !done) return done.error();
    }
    out_.after = causality(true);
    if (options_.logical_clock) {
      if (const Status bent = bend(); !bent) return bent.error();
    }
    return std::move(out_);
  }

 private:
  void start_nodes() {
    for (const trace::RankTrace& rank : trace_.ranks) {
      NodeAlignment node;
      node.rank = rank.rank;
      node.node = nodes_.number(static_cast<std::uint32_t>(out_.nodes.size()));
      out_.nodes.push_back(std::move(node));
    }
    tracer_to_host_.assign(trace_.ranks.size(), trace::Clock::identity());
  }

  Status fit_tracers() {
    for (std::size_t i = 0; i < in_.snapshots.size(); ++i) {
      const trace::ClockSnapshots& snapshots = in_.snapshots[i];
      const auto place = snapshots.node
                             ? nodes_.place(std::int64_t{*snapshots.node})
                             // Without a node the snapshots are in the order of the traces.
                             : std::optional(static_cast<std::uint32_t>(std::min(i, trace_.ranks.size() - 1)));
      if (!place || !nodes_.has_trace(*place)) {
        diagnostics_.add(kNoTraceOfNode,
                         [&] { return fmt::format("snapshot pairs of node {}", snapshots.node.value_or(0)); });
        continue;
      }
      if (const Status fitted = fit_tracer(*place, snapshots); !fitted) return fitted;
    }
    // What the trace recorded itself counts only where nothing was given.
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
      const trace::ClockSnapshots recorded = recorded_snapshots(trace_, trace_.ranks[i]);
      if (!out_.nodes[i].has_snapshots && !recorded.pairs.empty()) {
        if (const Status fitted = fit_tracer(i, recorded); !fitted) return fitted;
      }
      const auto& lanes = trace_.ranks[i].lanes;
      const bool has_device =
          std::any_of(lanes.begin(), lanes.end(), [](const trace::Lane& lane) { return lane.clock != 0; });
      // Lanes of a device have a clock of their own, which nothing relates to the host's.
      if (has_device && !out_.nodes[i].has_snapshots)
        diagnostics_.add(kNoTracerSnapshots, [&] { return fmt::format("node {}", out_.nodes[i].rank); });
    }
    return {};
  }

  Status fit_tracer(std::size_t place, const trace::ClockSnapshots& snapshots) {
    const trace::RankTrace& rank = trace_.ranks[place];
    const auto start =
        std::find_if(in_.starts.begin(), in_.starts.end(), [&](const auto& known) { return known.node == rank.rank; });
    const trace::ClockSnapshots placed =
        since_start(snapshots, rank.source.base_time_ns, start == in_.starts.end() ? nullptr : &*start);
    Result<trace::Clock> clock = fit_tracer_clock(placed, rank.source.base_time_ns.value_or(placed.host_start_ns),
                                                  trace_.epoch_unix_ns - rank.era_ns);
    if (!clock) return clock.error();
    tracer_to_host_[place] = std::move(*clock);
    out_.nodes[place].has_snapshots = true;
    return {};
  }

  [[nodiscard]] bool has_snapshots() const {
    return std::any_of(out_.nodes.begin(), out_.nodes.end(),
                       [](const NodeAlignment& node) { return node.has_snapshots; });
  }

  void name_sources() {
    if (!in_.probes.empty()) out_.sources.emplace_back("probes");
    if (!in_.windows.empty()) out_.sources.emplace_back("probe windows");
    if (!in_.offsets.empty()) out_.sources.emplace_back("offsets");
    if (has_snapshots()) out_.sources.emplace_back("snapshots");
  }

  Status estimate(const Sources& sources) {
    EstimateOptions options;
    options.reference = reference_;
    options.begin_ns = std::numeric_limits<double>::max();
    options.end_ns = std::numeric_limits<double>::lowest();
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
      const trace::RankTrace& rank = trace_.ranks[i];
      for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
        // Times of a tracer go through its own clock first.
        const bool on_host = rank.lanes[rank.lane[e]].clock == 0;
        const TimePs start = on_host ? rank.start[e] : tracer_to_host_[i].map(rank.start[e]);
        const TimePs end = on_host ? rank.end(e) : tracer_to_host_[i].map(rank.end(e));
        options.begin_ns = std::min(options.begin_ns, static_cast<double>(start) / 1e3);
        options.end_ns = std::max(options.end_ns, static_cast<double>(end) / 1e3);
      }
    }
    if (options.begin_ns > options.end_ns) return Error{"the traces hold no events"};
    // A second beyond the events on either side: clocks are asked just outside of them, too.
    constexpr double kMarginNs = 1e9;
    options.begin_ns -= kMarginNs;
    options.end_ns += kMarginNs;
    const Estimate estimate = estimate_clocks(sources, options);
    for (std::uint32_t i = 0; i < out_.nodes.size(); ++i) {
      NodeAlignment& node = out_.nodes[i];
      if (const std::uint32_t first = nodes_.clock_place(i);
          first != i) {  // a later rank of a host, whose clock is known by now
        node.calibrated = out_.nodes[first].calibrated;
        node.steps = out_.nodes[first].steps;
        node.host = out_.nodes[first].host;
        node.tracer = node.has_snapshots ? tracer_to_host_[i].compose(node.host) : node.host;
        continue;
      }
      node.calibrated = estimate.fit.nodes[i].calibrated;
      node.steps = estimate.fit.nodes[i].steps;
      for (const ClockStep& step : node.steps)
        diagnostics_.add(kClockStep, [&] { return fmt::format("node {}: {:+.1f} µs", node.rank, step.jump_ns / 1e3); });
      if (!node.calibrated) {
        if (const Status of_this_run = check_same_run(i); !of_this_run) return of_this_run;
        diagnostics_.add(kUncalibrated, [&] { return fmt::format("node {}", node.rank); });
      } else if (!estimate.measured[i] && !(sources.probes.empty() && sources.pairs.empty())) {
        diagnostics_.add(kNotMeasured, [&] { return fmt::format("node {}", node.rank); });
      }
      // The reference is what the others are related to, and stays as it is.
      if (node.calibrated && i != reference_) {
        Result<trace::Clock> clock = node_clock(estimate, i);
        if (!clock) return clock.error();
        node.host = std::move(*clock);
      }
      node.tracer = node.has_snapshots ? tracer_to_host_[i].compose(node.host) : node.host;
    }
    out_.calibrated =
        std::any_of(out_.nodes.begin(), out_.nodes.end(), [](const NodeAlignment& node) { return node.calibrated; });
    describe_observations(sources, estimate);
    return {};
  }

  Status bend() {
    const auto clock_of = [&](std::uint32_t node, std::uint8_t domain) -> const trace::Clock& {
      return out_.nodes[node].clock(domain);
    };
    const Result<LogicalClock> logical = controlled_logical_clock(
        out_.exchanges, mapped_times(out_.exchanges, clock_of), static_cast<std::uint32_t>(out_.nodes.size()));
    if (!logical) return logical.error();
    for (std::size_t i = 0; i < out_.nodes.size(); ++i) {
      NodeAlignment& node = out_.nodes[i];
      // The warp comes last: it is made of times that are estimated already.
      node.host = node.host.compose(logical->warps[i]);
      node.tracer = node.tracer.compose(logical->warps[i]);
      node.logical = logical->shifts[i];
      if (node.logical.jumps > 0)
        diagnostics_.add_many(kBentClock, node.logical.jumps, fmt::format("node {}", node.rank));
    }
    out_.sources.emplace_back("logical clock");
    // Both are told: what the estimate left over, and that bending the clocks took it away.
    out_.estimated = std::exchange(out_.after, causality(true));
    return {};
  }

  /// A node that nothing connects may still be shown beside the others as recorded, but not if it was recorded at
  /// another time.
  [[nodiscard]] Status check_same_run(std::size_t node) const {
    // Files of one run may begin minutes apart, when a profiler was started by hand.
    constexpr TimePs kApartPs = 600'000'000'000'000;  // ten minutes
    const auto span = [&](std::size_t rank) {
      const auto& starts = trace_.ranks[rank].start;
      return std::pair(*std::min_element(starts.begin(), starts.end()),
                       *std::max_element(starts.begin(), starts.end()));
    };
    if (!nodes_.has_trace(reference_)) return {};
    // Clocks of different eras lie further apart than a time can hold.
    if (trace_.ranks[node].era_ns != trace_.ranks[reference_].era_ns) return nothing_connects(node, "26 days");
    if (trace_.ranks[node].event_count() == 0 || trace_.ranks[reference_].event_count() == 0) return {};
    const auto [first, last] = span(node);
    const auto [reference_first, reference_last] = span(reference_);
    if (first <= reference_last + kApartPs && last >= reference_first - kApartPs) return {};
    return nothing_connects(node, "ten minutes");
  }

  /// Without anything that connects them, clocks of different eras cannot even be shown beside each other.
  [[nodiscard]] Status check_eras() const {
    if (out_.calibrated) return {};
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
      // Times of a trace hold 26 days: what was recorded further away was moved here, and without clocks nobody knows
      // where to.
      if (trace_.ranks[i].era_ns != 0) return nothing_connects(i, "26 days");
    }
    return {};
  }

  [[nodiscard]] Error nothing_connects(std::size_t node, std::string_view how_far) const {
    return {fmt::format("this was recorded more than {} away from node {}, and nothing connects the two", how_far,
                        nodes_.number(reference_)),
            trace_.ranks[node].source.path, Error::kNoOffset, "are the files of one run?"};
  }

  void note_far_clocks() {
    constexpr double kNsPerYear = 365.25 * 86400e9;
    for (const trace::RankTrace& rank : trace_.ranks) {
      if (rank.era_ns == 0) continue;
      diagnostics_.add(kFarClock, [&] {
        return fmt::format("node {}: {:+.1f} years", rank.rank, -static_cast<double>(rank.era_ns) / kNsPerYear);
      });
    }
  }

  /// Counts, reach and residuals of what was observed of each node.
  void describe_observations(const Sources& sources, const Estimate& estimate) {
    std::vector<std::vector<double>> sizes(out_.nodes.size());
    const auto note = [&](std::uint32_t node, double reading_ns, double residual, double scale) {
      // A node may be measured and have no trace: it connects others, and has no row to be told in.
      if (!nodes_.has_trace(node)) return;
      NodeAlignment& about = out_.nodes[node];
      const TimePs at = to_ps(reading_ns);
      if (about.observations++ == 0) about.first_observed_ps = about.last_observed_ps = at;
      about.first_observed_ps = std::min(about.first_observed_ps, at);
      about.last_observed_ps = std::max(about.last_observed_ps, at);
      if (std::abs(residual) > kRejectedResiduals * scale) ++about.rejected;
      sizes[node].push_back(std::abs(residual));
    };
    for (std::size_t i = 0; i < sources.sightings.size(); ++i) {
      const EventObservation& seen = sources.sightings[i];
      note(seen.node, seen.reading_ns, estimate.fit.sighting_residual_ns[i], estimate.fit.event_scale_ns);
    }
    for (const ProbeExchange& probe : sources.probes) {
      const double reference = estimate.fit.reference_time(probe.from, (probe.t1_ns + probe.t4_ns) / 2);
      const double offset = estimate.fit.offset_ns(probe.to, reference) - estimate.fit.offset_ns(probe.from, reference);
      const double residual = ((probe.t2_ns - probe.t1_ns) - (probe.t4_ns - probe.t3_ns)) / 2 - offset;
      const double bound =
          (probe.t4_ns - probe.t1_ns - (probe.t3_ns - probe.t2_ns)) / 2;  // no more than half the round trip
      note(probe.from, probe.t1_ns, residual, bound);
      note(probe.to, probe.t2_ns, residual, bound);
    }
    for (const PairObservation& pair : sources.pairs) {
      const double reference = estimate.fit.reference_time(pair.from, pair.at_ns);
      const double offset = estimate.fit.offset_ns(pair.to, reference) - estimate.fit.offset_ns(pair.from, reference);
      note(pair.from, pair.at_ns, pair.difference_ns - offset, estimate.fit.pair_scale * pair.sigma_ns);
      note(pair.to, pair.at_ns + pair.difference_ns, pair.difference_ns - offset,
           estimate.fit.pair_scale * pair.sigma_ns);
    }
    for (std::uint32_t i = 0; i < sizes.size(); ++i) {
      NodeAlignment& about = out_.nodes[i];
      const NodeAlignment& first = out_.nodes[nodes_.clock_place(i)];
      if (&about == &first) {
        about.median_residual_ps = to_ps(lower_median(sizes[i]));
        continue;
      }
      about.observations = first.observations;
      about.rejected = first.rejected;
      about.first_observed_ps = first.first_observed_ps;
      about.last_observed_ps = first.last_observed_ps;
      about.median_residual_ps = first.median_residual_ps;
    }
  }

  [[nodiscard]] CausalityReport causality(bool aligned) const {
    if (!aligned) return check_causality(out_.exchanges, match::recorded_times(out_.exchanges));
    return check_causality(
        out_.exchanges,
        mapped_times(out_.exchanges, [&](std::uint32_t node, std::uint8_t domain) -> const trace::Clock& {
          return out_.nodes[node].clock(domain);
        }));
  }

  const trace::Trace& trace_;
  const trace::ClockSources& in_;
  const AlignOptions& options_;
  Diagnostics& diagnostics_;
  NodeTable nodes_;
  Alignment out_;
  std::uint32_t reference_ = 0;
  std::vector<trace::Clock> tracer_to_host_;
};

}  // namespace

Result<Alignment> align(const trace::Trace& trace, const trace::ClockSources& sources, const AlignOptions& options,
                        Diagnostics& diagnostics) {
  return Aligner(trace, sources, options, diagnostics).run();
}

void take_era_of(std::int64_t reference_rank, trace::Trace& trace) {
  const auto reference = std::find_if(trace.ranks.begin(), trace.ranks.end(),
                                      [&](const trace::RankTrace& rank) { return rank.rank == reference_rank; });
  if (reference == trace.ranks.end()) return;
  const std::int64_t era_ns = reference->era_ns;
  trace.epoch_unix_ns -= era_ns;
  for (trace::RankTrace& rank : trace.ranks) {
    rank.epoch_unix_ns -= era_ns;
    rank.era_ns -= era_ns;
  }
}

void apply(const Alignment& alignment, trace::Trace& trace) {
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    trace::RankTrace& rank = trace.ranks[i];
    // The events of a lane follow one another: the segment of the last one is that of the next.
    std::vector<trace::ClockCursor> cursors;
    for (const trace::Lane& lane : rank.lanes) cursors.emplace_back(alignment.nodes[i].clock(lane.clock).knots());
    const bool fit = std::all_of(cursors.begin(), cursors.end(), [](const auto& cursor) { return cursor.fits(); });
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      const trace::LaneIndex lane = rank.lane[e];
      const auto map = [&](TimePs time) {
        return fit ? cursors[lane].map(time).time : alignment.nodes[i].clock(rank.lanes[lane].clock).map(time);
      };
      const TimePs start = map(rank.start[e]);
      rank.duration[e] = map(rank.end(e)) - start;
      rank.start[e] = start;
    }
    for (std::size_t f = 0; f < rank.flows.size(); ++f)
      rank.flows.time[f] = alignment.nodes[i].clock(rank.lanes[rank.flows.lane[f]].clock).map(rank.flows.time[f]);
    for (TimePs& time : rank.counters.time) time = alignment.nodes[i].host.map(time);
  }
}

}  // namespace orrery::align
