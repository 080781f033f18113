#include "analyze/whatif/retimed_trace.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/int128.h"
#include "base/parallel.h"

// Per rank and lane, the moments of the graph are a rule from recorded to new times, in pieces. Every start, end and
// arrow is put through the rule of its lane.

namespace orrery::analyze {
namespace {

/// When something was, and when it is now.
struct Moment {
  TimePs recorded, now;
  auto operator<=>(const Moment&) const = default;
};

/// From recorded to new times of one lane. Never leads back.
class TimeRule {
 public:
  void add(Moment moment) { moments_.push_back(moment); }

  void finish() {
    std::sort(moments_.begin(), moments_.end());
    // Of several things that were at one moment the last counts. What was later is not earlier now, even on a lane
    // whose work overlaps.
    std::size_t kept = 0;
    TimePs latest = std::numeric_limits<TimePs>::min();
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      latest = std::max(latest, moments_[i].now);
      if (i + 1 < moments_.size() && moments_[i + 1].recorded == moments_[i].recorded) continue;
      moments_[kept++] = {moments_[i].recorded, latest};
    }
    moments_.resize(kept);
  }

  [[nodiscard]] bool empty() const { return moments_.empty(); }

  [[nodiscard]] TimePs operator()(TimePs time) const {
    const auto after = std::upper_bound(moments_.begin(), moments_.end(), time,
                                        [](TimePs wanted, const Moment& moment) { return wanted < moment.recorded; });
    // Before the first and behind the last moment nothing is known to be longer than it would be.
    if (after == moments_.begin()) return time - moments_.front().recorded + moments_.front().now;
    const Moment& before = *(after - 1);
    if (after == moments_.end()) return time - before.recorded + before.now;
    const Int128 part = Int128{time - before.recorded} * (after->now - before.now);
    return before.now + static_cast<TimePs>(part / (after->recorded - before.recorded));
  }

 private:
  std::vector<Moment> moments_;
};

/// One rule per lane of the rank.
std::vector<TimeRule> rules_of(const trace::RankTrace& rank, const causal::CausalGraph& without, std::uint32_t place,
                               std::span<const TimePs> recorded) {
  std::vector<TimeRule> rules(rank.lanes.size());
  const TimePs begin = without.begin_ps;
  const auto moment_of = [&](graph::NodeId node) { return Moment{recorded[node] + begin, without.time[node] + begin}; };
  for (graph::NodeId node = 0; node < without.graph.node_count(); ++node) {
    if (without.node_rank[node] != place) continue;
    if (const std::uint32_t lane = without.node_lane[node]; lane < rules.size()) rules[lane].add(moment_of(node));
  }
  const causal::JobRank& of = without.ranks[place];
  const bool has_main = of.main_lane < rules.size() && !rules[of.main_lane].empty();
  // The begin and the end of all are on no lane; what begins or ends with them may be on any.
  for (TimeRule& rule : rules) {
    const bool is_known = !rule.empty() || !has_main;
    if (is_known) rule.add(moment_of(of.begin)), rule.add(moment_of(of.end)), rule.finish();
  }
  for (TimeRule& rule : rules) {
    if (rule.empty()) rule = rules[of.main_lane];
  }
  return rules;
}

/// By event: whether it is a part of a communication with other ranks, which lasts as long as they let it.
std::vector<std::uint8_t> waits_for_others(const trace::RankTrace& rank, const causal::CausalGraph& job,
                                           std::uint32_t place) {
  std::vector<std::uint8_t> waits(rank.event_count(), 0);
  for (const causal::JobPart& part : job.parts) {
    if (part.rank != place) continue;
    const std::uint32_t ordinal = job.owners[part.owner].ordinal;
    const auto at = std::lower_bound(rank.ordinal.begin(), rank.ordinal.end(), ordinal);
    if (at != rank.ordinal.end() && *at == ordinal) waits[static_cast<std::size_t>(at - rank.ordinal.begin())] = 1;
  }
  return waits;
}

void retime_rank(trace::RankTrace& rank, const causal::CausalGraph& without, std::uint32_t place,
                 std::span<const TimePs> recorded) {
  const std::vector<TimeRule> rules = rules_of(rank, without, place, recorded);
  const std::vector<std::uint8_t> waits = waits_for_others(rank, without, place);
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const TimeRule& now = rules[rank.lane[e]];
    const TimePs start = now(rank.start[e]), duration = rank.duration[e];
    const bool keeps = duration <= 0 || (trace::is_device_work(rank.activity(e)) && waits[e] == 0);
    if (!keeps) rank.duration[e] = now(rank.start[e] + duration) - start;
    rank.start[e] = start;
  }
  for (std::size_t i = 0; i < rank.flows.size(); ++i)
    rank.flows.time[i] = rules[rank.flows.lane[i]](rank.flows.time[i]);
}

}  // namespace

void retime(std::span<trace::RankTrace> ranks, const causal::CausalGraph& without, std::span<const TimePs> recorded) {
  parallel_for(ranks.size(),
               [&](std::size_t r) { retime_rank(ranks[r], without, static_cast<std::uint32_t>(r), recorded); });
}

}  // namespace orrery::analyze
