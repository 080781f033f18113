#include "analyze/diff/run_diff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/diff/piece_alignment.h"
#include "base/int128.h"
#include "base/statistics.h"
#include "causal/edge_kind.h"
#include "graph/longest_path.h"
#include "graph/parametric.h"

// In three parts: the contribution of every piece to the difference of two steps, on the way from one run to the other
// and back; whether steps differ by more than chance, by intervals that assume no distribution; and the table that has
// both.

namespace orrery::analyze {

// One run turned into another along a straight line, and what each piece adds on the way.
//
// On the graph of one run every piece goes from its duration there to that of its partner in the other run; what has no
// partner goes to 0; what only the other run has grows from 0 behind the piece before it on its lane. Its length
// T(lambda) is convex and piecewise linear (graph/parametric.h), and a piece adds the integral of its change over the
// lambda for which it is on the path. No order of changes has to be chosen, and all that is added is T(1) - T(0).

/// What contributions are summed by: a class on a rank.
class ChangeCells {
 public:
  struct Cell {
    std::uint32_t piece_class = 0;
    std::int64_t rank = 0;
    friend auto operator<=>(const Cell&, const Cell&) = default;
  };
  std::uint32_t number(std::uint32_t piece_class, std::int64_t rank);
  [[nodiscard]] const Cell& operator[](std::size_t number) const { return cells_[number]; }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }

 private:
  std::vector<Cell> cells_;
  std::map<Cell, std::uint32_t> numbers_;
};

/// One run as the way to another sees it.
struct AttributionSide {
  const causal::CausalGraph& job;
  const RunPieces& pieces;
  const Column<graph::Slot>& partner;  ///< per slot: that of the other run, or kNoSlot
};

struct Attribution {
  TimePs from = 0, to = 0;    ///< T(0), T(1)
  std::size_t corners = 0;    ///< where the path changes
  std::vector<Int128> added;  ///< per cell, in units of 2^-60 ps
};

/// From `own` to `other`, on the graph of `own`. `lanes`: places of lanes in own.pieces and other.pieces that were
/// compared.
Attribution attribute_difference(const AttributionSide& own, const AttributionSide& other,
                                 std::span<const std::pair<std::uint32_t, std::uint32_t>> lanes, ChangeCells& cells);

/// The mean of what pieces add on the way from a to b and of what they take away on the way back, in whole picoseconds
/// by largest remainder (ties: rank, kind, name): their sum is that of both ways, halved, rounded towards 0. Changes
/// its sign, and nothing else, if a and b are swapped.
std::vector<TimePs> mean_contributions(const Attribution& forth, const Attribution& back, const ChangeCells& cells,
                                       const PieceClasses& classes);

namespace {

using graph::kNoSlot;
using graph::Slot;

constexpr std::uint32_t kNoCell = ~std::uint32_t{0};

/// A piece that only the other run has: it grows at a position of the graph, or in front of a piece.
struct Growth {
  std::uint32_t at;  // position or slot
  std::uint32_t cell;
  TimePs time;
};

/// All that changes on the way.
class ParametricAttribution {
 public:
  ParametricAttribution(const AttributionSide& own, const AttributionSide& other, ChangeCells& cells)
      : own_(own), other_(other), cells_(cells), slot_cell_(own.job.graph.edge_count(), kNoCell) {
    slopes_.weights.assign(own.job.graph.edge_count(), 0);
    change_pieces();
  }

  void grow_new_pieces(std::span<const std::pair<std::uint32_t, std::uint32_t>> lanes) {
    for (const auto& [own, other] : lanes) grow_lane(own_.pieces.lanes[own], other_.pieces.lanes[other]);
    if (!behind_.empty()) slopes_.durations.assign(own_.job.graph.node_count(), 0);
    for (const Growth& growth : behind_) slopes_.durations[growth.at] += growth.time;
    for (const Growth& growth : before_) front_[growth.at] += growth.time;
    for (const auto& [slot, time] : front_) slopes_.weights[slot] += time;
    const auto by_place = [](const Growth& x, const Growth& y) { return x.at < y.at; };
    std::stable_sort(behind_.begin(), behind_.end(), by_place);
    std::stable_sort(before_.begin(), before_.end(), by_place);
  }

  Attribution solve() {
    Attribution result;
    result.added.assign(cells_.size(), 0);
    bool is_first = true;
    graph::for_each_parametric_piece(own_.job.graph, slopes_, own_.job.end, [&](const graph::ParametricPiece& piece) {
      if (is_first) result.from = piece.length;
      else ++result.corners;
      is_first = false;
      result.to = piece.length + piece.slope;
      add(piece, result.added);
    });
    return result;
  }

 private:
  void change_pieces() {
    const causal::CausalGraph& job = own_.job;
    for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
      const std::uint32_t rank = job.node_rank[job.graph.node_at(p)];
      for (const Slot slot : job.graph.incoming_at(p)) {
        if (own_.pieces.slot_class[slot] == kNoClass || rank == causal::kNoRank) continue;
        const Slot partner = own_.partner[slot];
        const TimePs change = (partner == kNoSlot ? 0 : other_.job.graph.weight(partner)) - job.graph.weight(slot);
        if (change == 0) continue;
        slopes_.weights[slot] = change;
        slot_cell_[slot] = cells_.number(own_.pieces.slot_class[slot], own_.pieces.ranks[rank]);
      }
    }
  }

  void grow_lane(const LanePieces& own, const LanePieces& other) {
    Slot before = kNoSlot;  // of this run: the piece that new ones come behind
    for (const Slot slot : other.slots) {
      if (other_.partner[slot] != kNoSlot) {
        before = other_.partner[slot];
        continue;
      }
      grow(own, before, slot);
      // What stands between it and the work before it on its stream comes with it; other delays are dependencies that
      // this graph does not have.
      for (const Slot delay : other_.pieces.delays[slot]) {
        if (other_.job.kind(delay) == causal::EdgeKind::kernel_gap) grow(own, before, delay);
      }
    }
  }

  void grow(const LanePieces& own, Slot before, Slot piece) {
    const TimePs time = other_.job.graph.weight(piece);
    if (time == 0) return;
    const std::uint32_t cell = cells_.number(other_.pieces.slot_class[piece], own.rank);
    // Behind a piece is behind all that its end waits for: the moment itself takes the time. With nothing before it, it
    // delays the first piece.
    if (before != kNoSlot) behind_.push_back({own_.job.graph.target_position(before), cell, time});
    else before_.push_back({own.slots.front(), cell, time});
  }

  void add(const graph::ParametricPiece& piece, std::vector<Int128>& added) const {
    // Lambda is counted in fixed point of 60 bits, so that sums over pieces are exact.
    const Int128 extent = piece.end.fixed() - piece.begin.fixed();
    const auto add_growths = [&](const std::vector<Growth>& growths, std::uint32_t at) {
      auto growth = std::partition_point(growths.begin(), growths.end(), [&](const Growth& g) { return g.at < at; });
      for (; growth != growths.end() && growth->at == at; ++growth) added[growth->cell] += extent * growth->time;
    };
    for (const Slot slot : piece.path.slots) {
      const auto front = before_.empty() ? front_.end() : front_.find(slot);
      const TimePs own_change = slopes_.weights[slot] - (front == front_.end() ? 0 : front->second);
      if (own_change != 0) added[slot_cell_[slot]] += extent * own_change;
      if (front != front_.end()) add_growths(before_, slot);
    }
    if (behind_.empty()) return;
    for (const graph::NodeId node : piece.path.nodes) add_growths(behind_, own_.job.graph.position(node));
  }

  const AttributionSide& own_;
  const AttributionSide& other_;
  ChangeCells& cells_;
  graph::Slopes slopes_;
  Column<std::uint32_t> slot_cell_;
  std::vector<Growth> behind_,
      before_;                    // by position of the moment they come behind; by slot of the piece they come before
  std::map<Slot, TimePs> front_;  // what all of before_ add to a slot
};

}  // namespace

std::uint32_t ChangeCells::number(std::uint32_t piece_class, std::int64_t rank) {
  const Cell cell{piece_class, rank};
  const auto [at, is_new] = numbers_.try_emplace(cell, static_cast<std::uint32_t>(cells_.size()));
  if (is_new) cells_.push_back(cell);
  return at->second;
}

Attribution attribute_difference(const AttributionSide& own, const AttributionSide& other,
                                 std::span<const std::pair<std::uint32_t, std::uint32_t>> lanes, ChangeCells& cells) {
  ParametricAttribution way(own, other, cells);
  way.grow_new_pieces(lanes);
  return way.solve();
}

std::vector<TimePs> mean_contributions(const Attribution& forth, const Attribution& back, const ChangeCells& cells,
                                       const PieceClasses& classes) {
  constexpr Int128 kWhole = Int128{1} << 61;  // a picosecond, in halves of the units that both ways are counted in
  const auto of = [](const Attribution& way, std::size_t cell) {
    return cell < way.added.size() ? way.added[cell] : Int128{0};
  };
  std::vector<TimePs> whole(cells.size());
  std::vector<Int128> rest(cells.size());
  TimePs left = ((forth.to - forth.from) - (back.to - back.from)) / 2;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const Int128 twice = of(forth, cell) - of(back, cell);
    whole[cell] = static_cast<TimePs>(
        twice / kWhole);  // towards 0, as all rounding here: so that a sign is all that swapping changes
    rest[cell] = twice % kWhole;
    left -= whole[cell];
  }
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Int128 sign = left < 0 ? -1 : 1;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    if (rest[x] != rest[y]) return sign * rest[x] > sign * rest[y];
    return std::tie(cells[x].rank, classes[cells[x].piece_class]) <
           std::tie(cells[y].rank, classes[cells[y].piece_class]);
  });
  for (std::size_t i = 0; left != 0 && i < order.size(); ++i, left -= static_cast<TimePs>(sign))
    whole[order[i]] += static_cast<TimePs>(sign);
  return whole;
}

namespace {

std::vector<TimePs> sorted_copy(std::span<const TimePs> times) {
  std::vector<TimePs> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// How many of the differences b - a are at most `bound`. Both ascend.
std::uint64_t count_up_to(std::span<const TimePs> a, std::span<const TimePs> b, Int128 bound) {
  std::uint64_t count = 0;
  std::size_t below = 0;  // of b: the larger a is, the more of b count
  for (const TimePs subtracted : a) {
    while (below < b.size() && static_cast<Int128>(b[below]) - subtracted <= bound) ++below;
    count += below;
  }
  return count;
}

/// The k-th smallest difference b - a, counting from 1, by bisection of its value.
TimePs kth_difference(std::span<const TimePs> a, std::span<const TimePs> b, std::uint64_t k) {
  Int128 low = static_cast<Int128>(b.front()) - a.back(), high = static_cast<Int128>(b.back()) - a.front();
  while (low < high) {
    const Int128 middle = low + (high - low) / 2;
    if (count_up_to(a, b, middle) >= k) high = middle;
    else low = middle + 1;
  }
  return static_cast<TimePs>(low);
}

}  // namespace

std::size_t lower_median_place(std::span<const TimePs> times) {
  const TimePs middle = lower_median(std::vector(times.begin(), times.end()));
  return static_cast<std::size_t>(std::find(times.begin(), times.end(), middle) - times.begin());
}

std::optional<TimeInterval> median_interval(std::span<const TimePs> times) {
  const std::size_t n = times.size();
  // With five values even the least and the greatest leave out the median in 2 of 32 cases: more than one in twenty.
  if (n < 6) return std::nullopt;
  // The k smallest leave out the median with the chance that fewer than k of n fall below it. Binomial coefficients
  // relative to the middle one: those that are too small for a double are far below what decides.
  std::vector<double> weight(n / 2 + 1, 1.0);
  for (std::size_t k = n / 2; k > 0; --k)
    weight[k - 1] = weight[k] * static_cast<double>(k) / static_cast<double>(n - k + 1);
  const double half = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double total = n % 2 == 0 ? 2 * half - weight.back() : 2 * half;
  std::size_t k = 0;
  double left_out = 0;
  // Half of one in twenty at each end, by the sign test.
  while (left_out + weight[k] <= 0.025 * total) left_out += weight[k++];
  const std::vector<TimePs> sorted = sorted_copy(times);
  return TimeInterval{sorted[k - 1], sorted[n - k]};
}

std::optional<TimeInterval> shift_interval(std::span<const TimePs> a, std::span<const TimePs> b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  // The Mann-Whitney interval of the shift (Hodges and Lehmann), by the normal approximation: 1.96 deviations are 95 %.
  const double rank = std::floor(n * m / 2 - 1.96 * std::sqrt(n * m * (n + m + 1) / 12));
  if (rank < 1) return std::nullopt;
  const std::vector<TimePs> from = sorted_copy(a), to = sorted_copy(b);
  const std::uint64_t k = static_cast<std::uint64_t>(rank), all = std::uint64_t{a.size()} * b.size();
  return TimeInterval{kth_difference(from, to, k), kth_difference(from, to, all - k + 1)};
}

Comparison compare(std::span<const TimePs> a, std::span<const TimePs> b) {
  Comparison result{a[lower_median_place(a)], b[lower_median_place(b)], shift_interval(a, b), std::nullopt};
  if (!result.change) return result;
  const bool outside = result.change->low > 0 || result.change->high < 0;
  // A thousandth: what nobody would act upon, however surely it was measured.
  const bool matters = static_cast<Int128>(std::llabs(result.b - result.a)) * 1000 >= result.a;
  result.significant = outside && matters && result.a != result.b;
  return result;
}

namespace {

/// How often a class occurs in a step, and how long; as `path` has it.
struct ClassTotals {
  std::vector<TimePs> time;
  std::vector<std::uint64_t> count;
};

ClassTotals totals_of(const causal::CausalGraph& job, const RunPieces& pieces, std::size_t classes) {
  ClassTotals totals{std::vector<TimePs>(classes, 0), std::vector<std::uint64_t>(classes, 0)};
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    if (pieces.slot_class[slot] == kNoClass || causal::is_part(job, slot)) continue;
    totals.time[pieces.slot_class[slot]] += job.graph.weight(slot);
    ++totals.count[pieces.slot_class[slot]];
  }
  // There is no less of it than lies on the path: a part may be there where what it is a part of takes no time of its
  // own (a call that its copy takes place in).
  ClassTotals on_path{std::vector<TimePs>(classes, 0), std::vector<std::uint64_t>(classes, 0)};
  for (const graph::Slot slot : graph::solve(job.graph, job.end).path().slots) {
    if (pieces.slot_class[slot] == kNoClass) continue;
    on_path.time[pieces.slot_class[slot]] += job.graph.weight(slot);
    ++on_path.count[pieces.slot_class[slot]];
  }
  for (std::size_t c = 0; c < classes; ++c) {
    totals.time[c] = std::max(totals.time[c], on_path.time[c]);
    totals.count[c] = std::max(totals.count[c], on_path.count[c]);
  }
  return totals;
}

/// The time in every step of each class of `common`; a class that a run never had took none.
std::vector<std::vector<TimePs>> step_times(const ComparedRun& run, const CommonClasses& common) {
  const std::size_t steps = run.times.empty() ? run.steps.size() : run.times.front().size();
  std::vector<std::vector<TimePs>> times(common.classes.size(), std::vector<TimePs>(steps, 0));
  for (std::size_t own = 0; own < run.times.size(); ++own) {
    std::vector<TimePs>& sums = times[common.of[own]];
    for (std::size_t step = 0; step < steps; ++step) sums[step] += run.times[own][step];
  }
  return times;
}

/// Which classes a run has at all.
void mark_used(const Column<std::uint32_t>& slot_class, const ComparedRun& run, std::vector<bool>& used) {
  for (const std::uint32_t number : slot_class) {
    if (number != kNoClass) used[number] = true;
  }
  for (std::size_t number = 0; number < run.times.size(); ++number) {
    const auto& times = run.times[number];
    if (std::any_of(times.begin(), times.end(), [](TimePs time) { return time != 0; })) used[number] = true;
  }
}

/// Two runs of one rank each are compared whatever their ranks are called: rank 0 of one job with rank 3 of another is
/// a fair question.
std::optional<std::int64_t> common_name(const ComparedRun& a, const ComparedRun& b) {
  if (a.step.ranks.size() != 1 || b.step.ranks.size() != 1) return std::nullopt;
  return a.step.ranks.front().rank;
}

class Comparer {
 public:
  Comparer(const ComparedRun& a, const ComparedRun& b, PieceClasses& classes) : a_(a), b_(b) {
    Column<std::uint32_t> slots_of_a = classes_of(a.step, classes, &a.operators),
                          slots_of_b = classes_of(b.step, classes, &b.operators);
    std::vector<bool> used_by_a(classes.size()), used_by_b(classes.size());
    mark_used(slots_of_a, a, used_by_a);
    mark_used(slots_of_b, b, used_by_b);
    common_ = common_classes(classes, used_by_a, used_by_b);
    for (Column<std::uint32_t>* slots : {&slots_of_a, &slots_of_b}) {
      for (std::uint32_t& number : *slots) {
        if (number != kNoClass) number = common_.of[number];
      }
    }
    pieces_a_ = find_pieces(a.step, std::move(slots_of_a));
    pieces_b_ = find_pieces(b.step, std::move(slots_of_b), common_name(a, b));
  }

  RunDiff compare() {
    RunDiff diff;
    diff.spans = analyze::compare(a_.spans, b_.spans);
    diff.change = b_.median_span() - a_.median_span();
    make_rows(diff);
    contribute(diff);
    diff.structure = diff.change;
    for (const ChangeCause& cause : diff.causes) diff.structure -= cause.contribution;
    std::erase_if(diff.causes, [](const ChangeCause& cause) { return cause.a_count == 0 && cause.b_count == 0; });
    std::sort(diff.causes.begin(), diff.causes.end(), [](const ChangeCause& x, const ChangeCause& y) {
      if (std::llabs(x.contribution) != std::llabs(y.contribution))
        return std::llabs(x.contribution) > std::llabs(y.contribution);
      if (std::llabs(x.b - x.a) != std::llabs(y.b - y.a)) return std::llabs(x.b - x.a) > std::llabs(y.b - y.a);
      return std::tie(x.kind, x.name) < std::tie(y.kind, y.name);
    });
    return diff;
  }

 private:
  void make_rows(RunDiff& diff) const {
    const PieceClasses& classes = common_.classes;
    const ClassTotals a = totals_of(a_.step, pieces_a_, classes.size()),
                      b = totals_of(b_.step, pieces_b_, classes.size());
    const auto times_of_a = step_times(a_, common_), times_of_b = step_times(b_, common_);
    for (std::uint32_t c = 0; c < classes.size(); ++c) {
      ChangeCause& cause = diff.causes.emplace_back();
      cause.kind = classes[c].kind;
      cause.name = classes[c].name;
      cause.a = a.time[c], cause.b = b.time[c];
      cause.a_count = a.count[c], cause.b_count = b.count[c];
      cause.status = change_status(cause.a, cause.a_count, cause.b, cause.b_count);
      const Comparison over_steps = analyze::compare(times_of_a[c], times_of_b[c]);
      cause.significant = over_steps.significant;
      cause.change = over_steps.change;
    }
  }

  void contribute(RunDiff& diff) const {
    const PieceAlignment alignment = align_pieces(a_.step, pieces_a_, b_.step, pieces_b_, common_.classes);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes_back;
    for (const auto& [a, b] : alignment.lanes) lanes_back.emplace_back(b, a);
    const AttributionSide a{a_.step, pieces_a_, alignment.partner_of_a}, b{b_.step, pieces_b_, alignment.partner_of_b};
    ChangeCells cells;
    const Attribution forth = attribute_difference(a, b, alignment.lanes, cells);
    const Attribution back = attribute_difference(b, a, lanes_back, cells);
    diff.corners = forth.corners + back.corners;
    const std::vector<TimePs> added = mean_contributions(forth, back, cells, common_.classes);
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      if (added[cell] == 0) continue;
      ChangeCause& cause = diff.causes[cells[cell].piece_class];
      cause.contribution += added[cell];
      cause.ranks.push_back({cells[cell].rank, added[cell]});
    }
    for (ChangeCause& cause : diff.causes)
      std::sort(cause.ranks.begin(), cause.ranks.end(), [](const auto& x, const auto& y) { return x.rank < y.rank; });
  }

  const ComparedRun& a_;
  const ComparedRun& b_;
  CommonClasses common_;
  RunPieces pieces_a_, pieces_b_;
};

}  // namespace

const char* RunDiff::verdict() const {
  if (!spans.significant) return "too few steps to tell";
  if (!*spans.significant) return "no significant change";
  return spans.b > spans.a ? "slower" : "faster";
}

RunDiff compare_runs(const ComparedRun& a, const ComparedRun& b, PieceClasses& classes) {
  return Comparer(a, b, classes).compare();
}

}  // namespace orrery::analyze
