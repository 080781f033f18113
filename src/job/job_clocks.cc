#include "job/job_clocks.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "formats/kineto/alignment_member.h"
#include "match/exchange_finder.h"

// Ranks of one host or file, or that were aligned before, stay as they are. Else clocks are estimated from what the
// ranks exchanged, and corrected only if the correction is larger than what the estimate may be wrong by.

namespace orrery::job {
namespace {

constexpr DiagnosticKind kClocksEstimated{"J804", Severity::note, "clocks were estimated here and corrected",
                                          "give aligned files, or --clock one if they share a clock"};
constexpr DiagnosticKind kClocksUnknown{"J805", Severity::warning, "nothing tells how the clocks of the ranks differ",
                                        "times were taken as recorded; waits have no band"};

constexpr TimePs kUnknownBand = -1;

/// The clock by which the file says it was corrected; nothing if it was not.
std::optional<trace::Clock> correction_of(const trace::RankTrace& rank) {
  for (const auto& [key, json] : rank.source.properties) {
    if (key != kineto::kAlignmentMember) continue;
    Result<kineto::AlignmentMember> member = kineto::decode(json, rank.source.path);
    if (member) return std::move(member->clock);
  }
  return std::nullopt;
}

/// Where the rank's recording begins and ends.
std::pair<TimePs, TimePs> extent_of(const trace::RankTrace& rank) {
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e)
    begin = std::min(begin, rank.start[e]), end = std::max(end, rank.end(e));
  return {begin, end};
}

/// Several ranks of one file, which says of none that another host recorded it: its recorder has one clock.
bool are_of_one_file(const trace::Trace& trace) {
  const trace::SourceInfo& first = trace.ranks.front().source;
  return trace.ranks.size() > 1 && !first.path.empty() &&
         std::all_of(trace.ranks.begin(), trace.ranks.end(), [&](const trace::RankTrace& rank) {
           return rank.source.path == first.path && rank.source.host == first.host;
         });
}

/// Whether the largest correction that the estimate makes is more than it may be wrong.
bool exceeds_band(const align::Alignment& alignment, const trace::Trace& trace) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const auto [begin, end] = extent_of(trace.ranks[r]);
    if (begin > end) continue;
    for (const trace::Clock* clock : {&alignment.nodes[r].host, &alignment.nodes[r].tracer}) {
      // A clock is piecewise linear: both ends and the middle show what it does.
      for (const TimePs t : {begin, begin + (end - begin) / 2, end}) {
        const TimePs correction = clock->map(t) - t;
        if (std::max(correction, -correction) > clock->uncertainty(t)) return true;
      }
    }
  }
  return false;
}

Result<JobClocks> estimate_clocks(trace::Trace& trace, ClockChoice choice, Diagnostics& diagnostics) {
  JobClocks clocks;
  align::take_era_of(trace.ranks.front().rank, trace);
  Result<align::Alignment> alignment = align::align(trace, {}, {}, diagnostics);
  if (!alignment) return alignment.error();
  clocks.exchanges = std::move(alignment->exchanges);
  if (!alignment->calibrated) {
    clocks.source = causal::ClockSource::recorded;
    clocks.band = kUnknownBand;
    diagnostics.add(kClocksUnknown);
    return clocks;
  }
  const bool corrects = choice == ClockChoice::align || exceeds_band(*alignment, trace);
  clocks.source = corrects ? causal::ClockSource::aligned : causal::ClockSource::recorded;
  for (const align::NodeAlignment& node : alignment->nodes) clocks.corrections.push_back(node.host);
  if (!corrects) return clocks;
  align::apply(*alignment, trace);
  clocks.applied = std::move(alignment->nodes);
  diagnostics.add(kClocksEstimated);
  return clocks;
}

/// Each rank once, and all of a job of one size.
Status check_one_run(const trace::Trace& trace) {
  if (Status joined = refuse_runs(trace); !joined) return joined;
  for (std::size_t r = 1; r < trace.ranks.size(); ++r) {
    const trace::RankTrace &rank = trace.ranks[r], &before = trace.ranks[r - 1];
    if (rank.rank == before.rank)
      return Error{"two files are of rank " + std::to_string(rank.rank) + ": " + before.source.path, rank.source.path,
                   Error::kNoOffset, "name the files of one run, one per rank"};
    if (rank.source.world_size && before.source.world_size && *rank.source.world_size != *before.source.world_size)
      return of_other_runs("rank " + std::to_string(before.rank) + " is one of " +
                           std::to_string(*before.source.world_size) + ", rank " + std::to_string(rank.rank) +
                           " one of " + std::to_string(*rank.source.world_size));
  }
  return {};
}

}  // namespace

Result<JobClocks> use_clocks(trace::Trace& trace, ClockChoice choice, Diagnostics& diagnostics) {
  if (Status one = check_one_run(trace); !one) return one.error();
  JobClocks clocks;
  for (const trace::RankTrace& rank : trace.ranks) {
    if (rank.era_ns != 0 && choice == ClockChoice::one)
      return of_other_runs("the clocks of rank " + std::to_string(trace.ranks.front().rank) + " and " +
                           std::to_string(rank.rank) + " are years apart, and not one");
  }
  // Lengths without times: of two ranks nothing is known but that what they exchanged ended together.
  const bool is_relative = std::any_of(trace.ranks.begin(), trace.ranks.end(),
                                       [](const trace::RankTrace& rank) { return rank.source.relative_times; });
  if (is_relative) clocks.source = causal::ClockSource::relative;
  if (is_relative || choice == ClockChoice::one || (choice == ClockChoice::automatic && are_of_one_file(trace))) {
    clocks.exchanges = match::find_exchanges(trace);
    return clocks;
  }
  if (choice == ClockChoice::automatic) {
    for (const trace::RankTrace& rank : trace.ranks) {
      std::optional<trace::Clock> correction = correction_of(rank);
      if (!correction) break;
      clocks.corrections.push_back(std::move(*correction));
    }
    if (clocks.corrections.size() == trace.ranks.size()) {
      clocks.source = causal::ClockSource::aligned;
      clocks.exchanges = match::find_exchanges(trace);
      return clocks;
    }
    clocks.corrections.clear();
  }
  return estimate_clocks(trace, choice, diagnostics);
}

void JobClocks::describe(causal::CausalGraph& job) const {
  job.clock = source;
  job.band = band;
  if (corrections.empty()) return;
  std::vector<trace::Clock> readings;
  for (const trace::Clock& correction : corrections) readings.push_back(correction.inverse());
  // Overlays and pages draw into the recorded files, on their own clocks.
  for (std::size_t r = 0; r < job.ranks.size() && !applied.empty(); ++r) job.ranks[r].recorded = readings[r];
  for (causal::JobPart& part : job.parts) {
    const TimePs at = job.time[part.arrival] + job.begin_ps;
    // What the correction takes is a reading; times that were not corrected are readings themselves.
    part.uncertainty = corrections[part.rank].uncertainty(applied.empty() ? at : readings[part.rank].map(at));
    job.band = std::max(job.band, part.uncertainty);
  }
}

Status refuse_runs(const trace::Trace& trace) {
  if (trace.ranks.size() < 2 || !trace.ranks.front().source.is_run) return {};
  return Error{
      "these are " + std::to_string(trace.ranks.size()) +
          " runs, not the ranks of one job: no two say that they are different ranks, and they share no communication",
      trace.ranks.front().source.path, Error::kNoOffset,
      "name one of them, or choose it by its place as a rank; orrery diff A B compares two, orrery report shows all "
      "side by side"};
}

Error of_other_runs(const std::string& what) {
  return {what, {}, Error::kNoOffset, "these look like files of different runs; name those of one run"};
}

}  // namespace orrery::job
