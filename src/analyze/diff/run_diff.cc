#include "analyze/diff/run_diff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "analyze/diff/piece_alignment.h"
#include "analyze/diff/straight_line.h"
#include "base/int128.h"
#include "base/statistics.h"
#include "causal/part_edges.h"
#include "graph/longest_path.h"

namespace orrery::analyze {
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
  while (left_out + weight[k] <= 0.025 * total) left_out += weight[k++];
  const std::vector<TimePs> sorted = sorted_copy(times);
  return TimeInterval{sorted[k - 1], sorted[n - k]};
}

std::optional<TimeInterval> shift_interval(std::span<const TimePs> a, std::span<const TimePs> b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
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

ChangeStatus status_of(const ChangeCause& cause) {
  if (cause.a_count == 0) return ChangeStatus::is_new;
  if (cause.b_count == 0) return ChangeStatus::removed;
  // A thousandth is what significance asks for, too.
  const bool is_same = static_cast<Int128>(std::llabs(cause.b - cause.a)) * 1000 < std::max(cause.a, cause.b);
  if (is_same || cause.a == cause.b) return ChangeStatus::same;
  return cause.b > cause.a ? ChangeStatus::slower : ChangeStatus::faster;
}

/// The class's time in every step; a class that a run never had took none.
std::vector<TimePs> step_times(const ComparedRun& run, std::uint32_t number) {
  if (number < run.times.size()) return run.times[number];
  return std::vector<TimePs>(run.steps.size(), 0);
}

/// Two runs of one rank each are compared whatever their ranks are called: rank 0 of one job with rank 3 of another is
/// a fair question.
std::optional<std::int64_t> common_name(const ComparedRun& a, const ComparedRun& b) {
  if (a.step.ranks.size() != 1 || b.step.ranks.size() != 1) return std::nullopt;
  return a.step.ranks.front().rank;
}

class Comparer {
 public:
  Comparer(const ComparedRun& a, const ComparedRun& b, PieceClasses& classes)
      : a_(a),
        b_(b),
        classes_(classes),
        pieces_a_(find_pieces(a.step, classes)),
        pieces_b_(find_pieces(b.step, classes, common_name(a, b))) {}

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
    const ClassTotals a = totals_of(a_.step, pieces_a_, classes_.size()),
                      b = totals_of(b_.step, pieces_b_, classes_.size());
    for (std::uint32_t c = 0; c < classes_.size(); ++c) {
      ChangeCause& cause = diff.causes.emplace_back();
      cause.kind = classes_[c].kind;
      cause.name = classes_[c].name;
      cause.a = a.time[c], cause.b = b.time[c];
      cause.a_count = a.count[c], cause.b_count = b.count[c];
      cause.status = status_of(cause);
      const Comparison over_steps = analyze::compare(step_times(a_, c), step_times(b_, c));
      cause.significant = over_steps.significant;
      cause.change = over_steps.change;
    }
  }

  void contribute(RunDiff& diff) const {
    const PieceAlignment alignment = align_pieces(a_.step, pieces_a_, b_.step, pieces_b_, classes_);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes_back;
    for (const auto& [a, b] : alignment.lanes) lanes_back.emplace_back(b, a);
    const WaySide a{a_.step, pieces_a_, alignment.partner_of_a}, b{b_.step, pieces_b_, alignment.partner_of_b};
    ChangeCells cells;
    const WayContributions forth = contributions_on_the_way(a, b, alignment.lanes, cells);
    const WayContributions back = contributions_on_the_way(b, a, lanes_back, cells);
    diff.corners = forth.corners + back.corners;
    const std::vector<TimePs> added = mean_contributions(forth, back, cells, classes_);
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
  PieceClasses& classes_;
  RunPieces pieces_a_, pieces_b_;
};

}  // namespace

const char* to_string(ChangeStatus status) {
  static constexpr const char* kNames[] = {"new", "removed", "slower", "faster", "same"};
  return kNames[static_cast<std::size_t>(status)];
}

const char* RunDiff::verdict() const {
  if (!spans.significant) return "too few steps to tell";
  if (!*spans.significant) return "no significant change";
  return spans.b > spans.a ? "slower" : "faster";
}

RunDiff compare_runs(const ComparedRun& a, const ComparedRun& b, PieceClasses& classes) {
  return Comparer(a, b, classes).compare();
}

}  // namespace orrery::analyze
