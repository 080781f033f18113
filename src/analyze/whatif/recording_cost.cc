#include "analyze/whatif/recording_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/int128.h"
#include "base/statistics.h"
#include "graph/edits.h"
#include "graph/longest_path.h"

// In steps: the edges of every host thread are put in order and told apart by what begins or ends at their ends; per
// kind of stretch, row length and name the median is found; of all names of a kind, weighted by how often they come, a
// quantile is what recording costs there. What a stretch cannot hold of its cost is carried to the next one.

namespace orrery::analyze {
namespace {

using causal::EdgeKind;
using graph::Slot;

/// Fewer stretches of a kind say nothing about what is typical of it.
constexpr std::size_t kFewest = 8;
/// Nor does a single name: all that its stretches take may be work.
constexpr std::size_t kFewestNames = 2;
/// Of the names of a kind of stretch, ordered by their medians: where the cost is read. Above the middle before what
/// begins, since the work that is in it there is about what recording costs elsewhere unseen; low for operators with
/// nothing inside, many of which do work (allocations, copies on the host).
constexpr std::int64_t kBeforeBegin = 670, kBeforeEnd = 500, kLeaves = 250, kFrames = 500;  // thousandths
/// A recorder that takes longer than that per event writes rows, whose length counts. Those that only note what
/// happened take 2 to 4 us, however long the row is that becomes of it later.
constexpr TimePs kWritesRows = 5 * kPsPerUs;
/// By how much all else is slower per microsecond that an event costs, in thousandths, and the most that is believed.
constexpr std::int64_t kSlowerPerUs = 50;
constexpr TimePs kMostSlowing = 20 * kPsPerUs;
/// Without a ruler, what recording an event is first taken to cost; whoever knows the time without it multiplies that.
constexpr TimePs kUnit = kPsPerUs;
/// More than four times what was read off, or 20 us per event, is not the recorder's.
constexpr CostShare kMostShare = 4 * kWholeCost, kMostUnits = 20 * kWholeCost;
/// No recorder takes that long for an event: where events are whole phases (tables of operations), they are work.
constexpr TimePs kMostCost = kPsPerMs;
/// How far the cost may be off, and the speed of the host and of the device between two runs: what covers the truth in
/// 8 of 10: set by recordings of 18 jobs, of an earlier form of this model; docs/ACCURACY.md has how often it holds
/// now.
constexpr std::int64_t kCostSpread = 120, kHostSpread = 200, kDeviceSpread = 20;  // thousandths

/// Time of a host thread in which a recorder may be called. Communication of the host is waiting.
bool is_stretch(EdgeKind kind) { return causal::is_host(kind); }

TimePs scaled(TimePs time, std::int64_t thousandths) {
  TimePs product = 0;
  // Hardly any time is so long that it needs the wide division, which takes ten times as long.
  if (!__builtin_mul_overflow(time, thousandths, &product)) return product / 1000;
  return static_cast<TimePs>(Int128{time} * thousandths / 1000);
}

struct Observation {
  std::uint16_t kind;  ///< place and row class
  StringId name;
  TimePs lasted;
};

/// What stretches of one kind and name last.
struct Typical {
  std::uint16_t kind;
  StringId name;
  std::size_t count = 0;
  TimePs time = 0;
};

/// By kind and name: the element at that share of the way. Ordered by both. `names`: how many there are.
std::vector<Typical> typical_times(const Column<Observation>& all, std::size_t names, std::int64_t thousandths) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<Typical> typical;
  // A name has a few kinds: they are a chain from the one that came last.
  std::vector<std::uint32_t> last_of_name(names, kNone), before;
  Column<std::uint32_t> number_of(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [kind, name, lasted] = all[i];
    std::uint32_t number = last_of_name[name];
    while (number != kNone && typical[number].kind != kind) number = before[number];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(typical.size());
      typical.push_back({kind, name});
      before.push_back(std::exchange(last_of_name[name], number));
    }
    number_of[i] = number;
    ++typical[number].count;
  }
  std::vector<std::size_t> next;
  next.reserve(typical.size());
  for (std::size_t first = 0; const Typical& one : typical) next.push_back(std::exchange(first, first + one.count));
  Column<TimePs> lasted(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) lasted[next[number_of[i]]++] = all[i].lasted;
  for (std::size_t number = 0; number < typical.size(); ++number) {
    Typical& one = typical[number];
    one.time = nth_smallest(std::span(lasted.data() + next[number] - one.count, one.count),
                            (one.count - 1) * static_cast<std::size_t>(thousandths) / 1000);
  }
  std::sort(typical.begin(), typical.end(),
            [](const Typical& a, const Typical& b) { return std::pair(a.kind, a.name) < std::pair(b.kind, b.name); });
  return typical;
}

/// Of names of one kind: the typical time up to which the share of all stretches lies.
TimePs quantile_of_names(std::span<const Typical> alike, std::size_t all, std::int64_t thousandths) {
  std::vector<std::pair<TimePs, std::size_t>> names;
  for (const Typical& one : alike) names.emplace_back(one.time, one.count);
  std::sort(names.begin(), names.end());
  std::size_t count = 0;
  for (const auto& [median, times] : names) {
    count += times;
    if (count * 1000 >= all * static_cast<std::size_t>(thousandths)) return median;
  }
  return names.back().first;
}

}  // namespace

RecordingCost::RecordingCost(const causal::CausalGraph& job) : job_(job), edits_(job.graph) {
  const Column<Stretch> stretches = find_stretches();
  fit(stretches, Places::rulers, false);
  per_event_ = before_begin_ + cost_at(Boundary::end_operator, Boundary::end_operator, 0);
  if (per_event_ > kWritesRows) fit(stretches, Places::all, true);
  else fit(stretches, Places::others, false);
  fit_frames(stretches);
  has_ruler_ = has_ruler_ && per_event_ <= kMostCost;
  charge(stretches);
}

Column<RecordingCost::Stretch> RecordingCost::find_stretches() {
  const graph::Graph& graph = job_.graph;
  std::vector<std::uint32_t> first_lane{0};
  for (const causal::JobRank& rank : job_.ranks)
    first_lane.push_back(first_lane.back() + static_cast<std::uint32_t>(rank.lanes.size()));
  // Columns of a whole trace are large, and fresh memory is what takes the time here: moments are looked up, not kept.
  struct Placed {
    std::uint32_t lane;
    Slot slot;
    graph::NodeId target;
  };
  Column<Placed> placed;
  for (graph::Position position = 0; position < graph.node_count(); ++position) {
    const graph::NodeId target = graph.node_at(position);
    for (const Slot slot : graph.incoming_at(position)) {
      // Where the order of moments is uncertain, an edge may have less than no time: no recorder was called in it.
      if (!is_stretch(job_.kind(slot)) || graph.weight(slot) < 0) continue;
      const graph::NodeId source = graph.source(slot);
      // The begin and the end of the window are on no lane: what leads there belongs where its other end is.
      const bool ends_window = job_.node_lane[target] == causal::kNoWork;
      const std::uint32_t rank = job_.node_rank[ends_window ? source : target];
      const std::uint32_t lane = job_.node_lane[ends_window ? source : target];
      if (rank == causal::kNoRank || lane == causal::kNoWork) continue;
      const bool begins_window = job_.node_lane[source] == causal::kNoWork;
      if (!begins_window && (job_.node_rank[source] != rank || job_.node_lane[source] != lane)) continue;
      const std::uint32_t tag = graph.edge_tag(slot);
      if (tag != graph::kNoTag ? job_.owners[tag].lane != lane : begins_window || ends_window) continue;
      placed.push_back({first_lane[rank] + lane, slot, target});
    }
  }
  // They come by the moment at which they end, which on most lanes is the order wanted.
  std::vector<std::size_t> first_of(first_lane.back() + 1, 0);
  for (const Placed& one : placed) ++first_of[one.lane + 1];
  std::partial_sum(first_of.begin(), first_of.end(), first_of.begin());
  struct HostEdge {
    Slot slot;
    graph::NodeId target;
  };
  Column<HostEdge> edges(placed.size());
  std::vector<std::size_t> next(first_of.begin(), first_of.end() - 1);
  for (const Placed& one : placed) edges[next[one.lane]++] = {one.slot, one.target};
  placed = {};
  const auto begin_of = [&](const HostEdge& edge) { return job_.time[graph.source(edge.slot)]; };
  const auto end_of = [&](const HostEdge& edge) { return job_.time[edge.target]; };
  const auto earlier = [&](const HostEdge& a, const HostEdge& b) {
    return std::pair(begin_of(a), end_of(a)) < std::pair(begin_of(b), end_of(b));
  };
  for (std::size_t lane = 0; lane + 1 < first_of.size(); ++lane) {
    HostEdge *const begin = edges.begin() + first_of[lane], *const end = edges.begin() + first_of[lane + 1];
    if (!std::is_sorted(begin, end, earlier)) std::stable_sort(begin, end, earlier);
  }

  // An event ends with the last stretch that belongs to it.
  std::vector<std::uint32_t> last_of(job_.owners.size(), 0);
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    if (const std::uint32_t tag = graph.edge_tag(edges[i].slot); tag != graph::kNoTag) last_of[tag] = i + 1;
  }
  events_ = static_cast<std::size_t>(last_of.size() -
                                     static_cast<std::size_t>(std::count(last_of.begin(), last_of.end(), 0u)));
  const auto boundary = [&](Slot slot, bool begins) {
    switch (job_.kind(slot)) {
      case EdgeKind::cpu_python: return begins ? Boundary::begin_frame : Boundary::end_frame;
      case EdgeKind::cpu_runtime: return begins ? Boundary::begin_call : Boundary::end_call;
      default: return begins ? Boundary::begin_operator : Boundary::end_operator;  // annotations are recorded alike
    }
  };
  const auto has_owner = [&](std::size_t i) { return graph.edge_tag(edges[i].slot) != graph::kNoTag; };
  Column<Stretch> stretches;
  stretches.reserve(edges.size());
  for (std::size_t lane = 0; lane + 1 < first_of.size(); ++lane) {
    const std::size_t first = first_of[lane], last = first_of[lane + 1];
    bool follows = false;
    for (std::size_t i = first; i < last; ++i) {
      const Slot slot = edges[i].slot;
      const TimePs begin = begin_of(edges[i]), end = end_of(edges[i]);
      const bool is_followed = i + 1 < last && begin_of(edges[i + 1]) == end;
      const std::uint32_t tag = graph.edge_tag(slot);
      const bool owned = tag != graph::kNoTag;
      const EdgeKind kind = job_.kind(slot);
      Stretch stretch{.lasted = end - begin, .slot = slot, .name = owned ? job_.owners[tag].name : StringId{0}};
      stretch.of_operator = kind == EdgeKind::cpu_operator;
      stretch.of_frame = kind == EdgeKind::cpu_python;
      stretch.of_nothing = !owned;
      stretch.follows = follows;
      stretch.waited = graph.weight(slot) < end - begin;
      if (owned && tag < job_.row_class.size()) stretch.row_class = job_.row_class[tag];
      if (owned && job_.owners[tag].start == begin) stretch.from = boundary(slot, true);
      else if (follows && has_owner(i - 1)) stretch.from = boundary(edges[i - 1].slot, false);
      if (owned && last_of[tag] == i + 1) stretch.to = boundary(slot, false);
      else if (is_followed && has_owner(i + 1)) stretch.to = boundary(edges[i + 1].slot, true);
      stretches.push_back(stretch);
      follows = is_followed;
    }
  }
  return stretches;
}

void RecordingCost::fit(const Column<Stretch>& stretches, Places places, bool by_rows) {
  using enum Boundary;
  constexpr std::size_t kBetween = place(end_operator, begin_operator),
                        kBeforeFirst = place(begin_operator, begin_operator),
                        kAfterLast = place(end_operator, end_operator);
  // Operators with nothing inside do not tell what of them is work, nor do Python's frames.
  constexpr std::size_t kRulers[] = {kBetween, kBeforeFirst, kAfterLast};
  std::array<bool, kBoundaries * kBoundaries> looked_at;
  looked_at.fill(places != Places::rulers);
  for (const std::size_t ruler : kRulers) looked_at[ruler] = places != Places::others;
  for (std::size_t where = 0; where < costs_.size(); ++where) {
    if (looked_at[where]) costs_[where].clear();
  }
  Column<Observation> all;
  for (const Stretch& s : stretches) {
    if (s.from == Boundary::none || s.to == Boundary::none || !(s.of_operator || s.of_frame)) continue;
    const std::size_t where = place(s.from, s.to);
    if (!looked_at[where]) continue;
    all.push_back({static_cast<std::uint16_t>(where << 8 | (by_rows ? s.row_class : 0)), s.name, s.lasted});
  }
  const std::vector<Typical> typical = typical_times(all, job_.strings.size(), 500);
  const auto is_frame = [](std::size_t boundary) {
    return boundary == static_cast<std::size_t>(Boundary::begin_frame) ||
           boundary == static_cast<std::size_t>(Boundary::end_frame);
  };
  for (std::size_t first = 0; first < typical.size();) {
    std::size_t last = first, times = 0;
    for (; last < typical.size() && typical[last].kind == typical[first].kind; ++last) times += typical[last].count;
    const std::size_t where = typical[first].kind >> 8;
    const std::int64_t share = is_frame(where / kBoundaries) || is_frame(where % kBoundaries) ? kFrames
                               : where == place(begin_operator, end_operator)                 ? kLeaves
                               : where == kAfterLast                                          ? kBeforeEnd
                                                                                              : kBeforeBegin;
    if (times >= kFewest && last - first >= kFewestNames)
      costs_[where].emplace_back(static_cast<std::uint8_t>(typical[first].kind & 0xff),
                                 quantile_of_names(std::span(typical).subspan(first, last - first), times, share));
    first = last;
  }
  if (places == Places::others) return;
  // Before an operator begins: between two of them, or at most what lies before the first one inside another, where the
  // other's own cost comes on top.
  const ByRow& between = costs_[kBetween];
  before_begin_ = between.empty() ? std::numeric_limits<TimePs>::max() : between.front().second;
  for (const auto& [row, cost] : costs_[kBeforeFirst]) before_begin_ = std::min(before_begin_, cost);
  if (before_begin_ == std::numeric_limits<TimePs>::max()) before_begin_ = 0;
  has_ruler_ = std::any_of(std::begin(kRulers), std::end(kRulers), [&](std::size_t at) { return !costs_[at].empty(); });
}

void RecordingCost::fit_frames(const Column<Stretch>& stretches) {
  Column<Observation> all;
  for (const Stretch& s : stretches) {
    if (s.of_frame &&
        (s.to == Boundary::begin_operator || s.to == Boundary::begin_frame || s.to == Boundary::begin_call))
      all.push_back({0, s.name, s.lasted});
  }
  if (all.empty()) return;
  of_frame_.assign(job_.strings.size(), 0);
  for (const Typical& one : typical_times(all, job_.strings.size(), kFrames)) {
    if (one.count >= kFewest) of_frame_[one.name] = one.time;
  }
}

std::int64_t RecordingCost::slowdown_permille() const {
  return 1000 + std::min(per_event(), kMostSlowing) * kSlowerPerUs / kPsPerUs;
}

TimePs RecordingCost::per_event(CostShare share) const { return scaled(has_ruler_ ? per_event_ : kUnit, share); }

TimePs RecordingCost::cost_at(Boundary from, Boundary to, std::uint8_t row_class) const {
  TimePs nearest = 0;
  int distance = std::numeric_limits<int>::max();
  for (const auto& [row, cost] : costs_[place(from, to)]) {
    if (const int away = std::abs(int{row} - int{row_class}); away < distance) distance = away, nearest = cost;
  }
  return nearest;
}

TimePs RecordingCost::cost_of_sort(const Stretch& s) const {
  using enum Boundary;
  if (!has_ruler_) return s.from == begin_operator || s.from == begin_frame ? kUnit : 0;
  if (s.from == begin_call) return 0;  // a call of the device's runtime is recorded by the device's tracer
  const TimePs at_end = cost_at(end_operator, end_operator, s.row_class);
  const TimePs after_begin = std::max<TimePs>(0, cost_at(begin_operator, begin_operator, s.row_class) - before_begin_);
  if (s.of_nothing)
    return s.to == begin_operator ? before_begin_ : s.to == begin_frame ? cost_at(end_frame, begin_frame, 0) : 0;
  if (s.to == none || s.from == none) return 0;
  if (s.from == begin_operator && s.to == end_operator)
    return std::min(cost_at(begin_operator, end_operator, s.row_class), after_begin + at_end);
  if (s.from == begin_operator && s.to == begin_call) return after_begin;
  if (s.from == end_call && s.to == end_operator) return at_end;
  if (s.to == begin_operator && (s.from == end_call || s.from == end_operator)) return before_begin_;
  if (s.to == begin_call) return 0;
  const Boundary from = s.of_frame && s.from == end_call ? end_frame : s.from;
  return cost_at(from, s.to, s.row_class);
}

bool RecordingCost::has_cost_of_frame(const Stretch& s) const {
  using enum Boundary;
  if (!has_ruler_ || !s.of_frame || s.of_nothing || s.from == none || s.from == begin_call) return false;
  return s.to == begin_frame || (s.to == begin_operator && s.from != end_call && s.from != end_operator);
}

void RecordingCost::charge(const Column<Stretch>& stretches) {
  constexpr TimePs kUnknown = -1;
  // There are a million stretches and a few dozen sorts of them.
  std::vector<TimePs> of_sort(kBoundaries * kBoundaries * 4 * 256, kUnknown);
  charged_.reserve(stretches.size());
  for (const Stretch& s : stretches) {
    TimePs& cost =
        of_sort[(place(s.from, s.to) * 4 + (s.of_frame ? 2 : 0) + (s.of_nothing ? 1 : 0)) * 256 + s.row_class];
    if (cost == kUnknown) cost = cost_of_sort(s);
    charged_.push_back({has_cost_of_frame(s) ? std::max(cost, of_frame_[s.name]) : cost, s.slot, s.follows,
                        s.waited && s.from == Boundary::begin_call});
  }
}

template <typename Visit>
void RecordingCost::for_each_part(CostShare share, Visit&& visit) const {
  TimePs owed = 0;
  for (const Charged& s : charged_) {
    if (!s.follows) owed = 0;
    // A call that waits has time for the recorder, and goes on when what it waited for is there.
    if (s.waits) {
      owed = 0;
      visit(s.slot, std::optional<TimePs>());
      continue;
    }
    owed += scaled(s.cost, share);
    const TimePs taken = std::min(owed, job_.graph.weight(s.slot));
    owed -= taken;
    visit(s.slot, std::optional(taken));
  }
}

template <typename Visit>
void RecordingCost::for_each_weight(CostShare share, Visit&& visit) const {
  const std::int64_t slower = has_ruler_ ? 1000 + (slowdown_permille() - 1000) * share / kWholeCost : 1000;
  for_each_part(share, [&](Slot slot, std::optional<TimePs> calls) {
    const TimePs weight = job_.graph.weight(slot);
    const TimePs slowed = calls ? std::min(weight - *calls, kSlowedAtMost) : 0;
    // At most a millisecond, a thousand times which is a time still. It has 40 bits and `slower` 12: the quotient of
    // doubles is rounded up to no whole number, and takes a quarter of the time of one of integers.
    const double faster = static_cast<double>(slowed * 1000) / static_cast<double>(slower);
    visit(slot, weight - calls.value_or(0) - slowed + static_cast<TimePs>(faster));
  });
}

std::vector<RecordingCost::Saving> RecordingCost::savings(CostShare share) const {
  std::vector<Saving> all;
  all.reserve(charged_.size());
  for_each_weight(share, [&](Slot slot, TimePs weight) { all.push_back({slot, job_.graph.weight(slot) - weight}); });
  return all;
}

std::vector<RecordingCost::Parts> RecordingCost::parts() const {
  std::vector<Parts> all;
  all.reserve(charged_.size());
  for_each_part(fitted(), [&](Slot slot, std::optional<TimePs> calls) {
    // Without a ruler nothing is known of how much slower the rest is.
    all.push_back({slot, has_ruler_ ? calls : std::nullopt});
  });
  return all;
}

TimePs RecordingCost::length_with(CostShare share, std::int64_t host_permille) const {
  // The same edges every time, so that each time replaces all that the one before has set.
  const std::span<TimePs> weights = edits_.all_weights();
  for_each_weight(share, [&](Slot slot, TimePs weight) {
    weights[slot] = std::min(scaled(weight, host_permille), graph::kMaxWeightPs);
  });
  return graph::solve(edits_, job_.end).length();
}

TimePs RecordingCost::length(CostShare share) const {
  if (share != fitted()) return length_with(share, 1000);
  if (!fitted_length_) fitted_length_ = length_with(share, 1000);
  return *fitted_length_;
}

std::pair<TimePs, TimePs> RecordingCost::interval(CostShare share) const {
  const TimePs device = scaled(length(share), kDeviceSpread);
  return {std::max<TimePs>(0, length_with(share + share * kCostSpread / 1000, 1000 - kHostSpread) - device),
          length_with(share - share * kCostSpread / 1000, 1000 + kHostSpread) + device};
}

CalibratedCost calibrate(const RecordingCost& cost, TimePs unprofiled) {
  const CostShare most = cost.has_ruler() ? kMostShare : kMostUnits;
  if (const TimePs all = cost.length(0); all <= unprofiled) return {0, all, all == unprofiled};
  if (const TimePs least = cost.length(most); least > unprofiled) return {most, least, false};
  // The length falls with the cost: longer than wanted at `low`, not longer at `high`.
  CostShare low = 0, high = most;
  while (high - low > 1) {
    const CostShare middle = low + (high - low) / 2;
    (cost.length(middle) > unprofiled ? low : high) = middle;
  }
  return {high, cost.length(high), true};
}

TimePs host_on_path(const PathSums& path) {
  TimePs host = 0;
  for (std::size_t kind = 0; kind < path.kinds.size(); ++kind) {
    if (causal::is_host(static_cast<EdgeKind>(kind))) host += path.kinds[kind].on_path;
  }
  return host;
}

std::string recording_clause(const RecordingCost& cost, const PathSums& path) {
  const TimePs without = cost.length(cost.fitted());
  if (!recording_counts(path.length(), without)) return {};
  // What bounds such a run was not recorded, and the verdict says that.
  if (cost.job().reach.is_missing() || cost.job().reach.is_unreachable()) return {};
  if (2 * (path.length() - without) <= host_on_path(path)) return {};
  const auto [low, high] = cost.interval(cost.fitted());
  return fmt::format("; most of that is the cost of recording: about {} without ({} to {})", format_duration(without),
                     format_duration(low), format_duration(high));
}

causal::CausalGraph without_recorder(causal::CausalGraph job, const std::vector<RecordingCost::Saving>& savings) {
  graph::Edits edits(job.graph);
  for (const RecordingCost::Saving& saving : savings)
    edits.set_weight(saving.slot, job.graph.weight(saving.slot) - saving.time);
  const graph::Solution solution = graph::solve(edits, job.end);
  for (graph::NodeId node = 0; node < job.graph.node_count(); ++node) job.time[node] = solution.finish(node);
  graph::Graph changed = graph::with_edits(edits);
  job.graph = std::move(changed);
  job.span = job.time[job.end];
  for (causal::JobRank& rank : job.ranks) rank.ends_at = job.time[rank.end];
  return job;
}

}  // namespace orrery::analyze
