#include "machine/device/collective_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>

#include "base/numbers.h"

namespace orrery::machine {
namespace {

constexpr int kHalvings = 4;  // of the logarithm of the norm's power, 16: squares and roots, which are cheap

double line_us(const ProtocolLine& line, double factor, double ranks, double bytes, double link_bytes_per_s) {
  const double link_us = bytes / link_bytes_per_s * 1e6;
  return line.base_us + line.rank_us * (ranks - 1) + link_us * (factor / line.wire_share + 1 / line.local_share);
}

const ProtocolLine& smallest_line(const CollectiveLaw& law, double ranks, double bytes, double link_bytes_per_s) {
  const double factor = wire_factor(law.op, ranks);
  return *std::min_element(law.lines.begin(), law.lines.end(), [&](const ProtocolLine& a, const ProtocolLine& b) {
    return line_us(a, factor, ranks, bytes, link_bytes_per_s) < line_us(b, factor, ranks, bytes, link_bytes_per_s);
  });
}

// How much of the bend of the lines between two measured sizes is taken. With sizes left out one by one (gaps of 16
// times instead of four), every other one, and two of three (64 times), a third is better on all four devices with
// NVLink than all of it or corrections by logarithms; the wider the gap, the less would do.
constexpr double kBendShare = 1.0 / 3;

/// What was measured at one number of ranks, over all sizes.
class MeasuredSizes {
 public:
  MeasuredSizes(const CollectiveLaw& law, const LineCorrection& correction, double link_bytes_per_s)
      : law_(law), ranks_(static_cast<double>(correction.ranks)), link_bytes_per_s_(link_bytes_per_s) {
    for (std::size_t i = 0; i < correction.bytes.size(); ++i) {
      const auto bytes = static_cast<double>(correction.bytes[i]);
      const double ratio = static_cast<double>(correction.per_mille[i]) / 1000, lines_us = lines(bytes);
      knots_.push_back({bytes, ratio, lines_us, lines_us * std::exp(ratio)});
    }
  }

  [[nodiscard]] double ranks() const { return ranks_; }

  /// log(time / lines).
  [[nodiscard]] double ratio_at(double bytes) const {
    if (bytes <= knots_.front().bytes) return knots_.front().ratio;
    if (bytes >= knots_.back().bytes) return knots_.back().ratio;
    const auto above = std::find_if(knots_.begin(), knots_.end(), [&](const Knot& one) { return one.bytes >= bytes; });
    const Knot &to = *above, &from = *std::prev(above);
    const double share = (bytes - from.bytes) / (to.bytes - from.bytes), lines_us = lines(bytes);
    // Lines are concave, as the smallest of several is: never below their own chord.
    const double bend = lines_us - std::lerp(from.lines_us, to.lines_us, share);
    return std::log((std::lerp(from.us, to.us, share) + kBendShare * std::max(bend, 0.0)) / lines_us);
  }

 private:
  struct Knot {
    double bytes = 0, ratio = 0, lines_us = 0, us = 0;
  };

  [[nodiscard]] double lines(double bytes) const { return line_us(law_, ranks_, bytes, link_bytes_per_s_); }

  std::reference_wrapper<const CollectiveLaw> law_;
  double ranks_;
  double link_bytes_per_s_;
  std::vector<Knot> knots_;
};

/// Those of the width of elements that is nearest.
std::vector<const LineCorrection*> corrections_for(const CollectiveLaw& law, double element_bytes) {
  const auto distance = [&](const LineCorrection& one) {
    if (one.element_bytes == 0) return 0.0;
    return std::abs(std::log2(static_cast<double>(one.element_bytes) / element_bytes));
  };
  double nearest = std::numeric_limits<double>::max();
  for (const LineCorrection& one : law.corrections) nearest = std::min(nearest, distance(one));
  std::vector<const LineCorrection*> found;
  for (const LineCorrection& one : law.corrections) {
    if (distance(one) == nearest) found.push_back(&one);
  }
  std::sort(found.begin(), found.end(),
            [](const LineCorrection* a, const LineCorrection* b) { return a->ranks < b->ranks; });
  return found;
}

/// log(time) of one message, as it comes out of lines and corrections.
class CorrectedLines {
 public:
  CorrectedLines(const CollectiveLaw& law, const CollectiveCall& call, double link_bytes_per_s)
      : law_(law), ranks_(static_cast<double>(call.ranks)), link_bytes_per_s_(link_bytes_per_s) {
    for (const LineCorrection* one : corrections_for(law, call.element_bytes)) {
      // Only those of the nearest ranks on either side are asked.
      if (static_cast<double>(one->ranks) <= ranks_) measured_.clear();
      measured_.emplace_back(law, *one, link_bytes_per_s);
      if (static_cast<double>(one->ranks) >= ranks_) break;
    }
  }

  [[nodiscard]] double log_us(double log2_bytes) const {
    const double bytes = std::exp2(log2_bytes);
    return std::log(line_us(law_, ranks_, bytes, link_bytes_per_s_)) + correction(bytes);
  }

 private:
  [[nodiscard]] double correction(double bytes) const {
    if (measured_.empty()) return 0;
    const MeasuredSizes &below = measured_.front(), &above = measured_.back();
    if (measured_.size() == 1) return below.ratio_at(bytes);
    const double share = std::log(ranks_ / below.ranks()) / std::log(above.ranks() / below.ranks());
    return std::lerp(below.ratio_at(bytes), above.ratio_at(bytes), share);
  }

  const CollectiveLaw& law_;
  double ranks_;
  double link_bytes_per_s_;
  std::vector<MeasuredSizes> measured_;  // one, or one on either side of ranks_
};

/// "2.27.3" as 2027003 million: versions apart in an earlier part are farther apart than any in a later one.
double version_number(std::string_view version) {
  double number = 0;
  for (double unit = 1e12; unit >= 1 && !version.empty(); unit /= 1000) {
    const NumberScan<std::int64_t> found = scan_number<std::int64_t>(version);
    if (found.is_number()) number += unit * static_cast<double>(std::min<std::int64_t>(found.value, 999));
    version.remove_prefix(std::min(version.find('.'), version.size() - 1) + 1);
  }
  return number;
}

/// Smaller is nearer; of two that are as far, the newer. An empty version is that of tomorrow.
std::tuple<bool, double, double> version_distance(const CollectiveLaw& law, std::string_view library,
                                                  std::string_view version) {
  const double own = version_number(law.version);
  const double apart = version.empty() ? 0 : std::abs(own - version_number(version));
  return {!library.empty() && law.library != library, apart, -own};
}

}  // namespace

double wire_factor(NodeCollective op, double ranks) {
  return (op == NodeCollective::all_reduce ? 2 : 1) * (ranks - 1) / ranks;
}

bool adds_up(NodeCollective op) { return op == NodeCollective::all_reduce || op == NodeCollective::reduce_scatter; }

const CollectiveLaw* nearest_law(const CollectiveLines& lines, NodeCollective op, std::string_view library,
                                 std::string_view version) {
  const CollectiveLaw* nearest = nullptr;
  for (const CollectiveLaw& law : lines.laws) {
    if (law.op != op) continue;
    if (nearest == nullptr || version_distance(law, library, version) < version_distance(*nearest, library, version))
      nearest = &law;
  }
  return nearest;
}

double line_us(const CollectiveLaw& law, double ranks, double bytes, double link_bytes_per_s) {
  const double factor = wire_factor(law.op, ranks);
  const double smallest =
      line_us(smallest_line(law, ranks, bytes, link_bytes_per_s), factor, ranks, bytes, link_bytes_per_s);
  double sum = 0;
  for (const ProtocolLine& line : law.lines) {
    double term = smallest / line_us(line, factor, ranks, bytes, link_bytes_per_s);
    for (int i = 0; i < kHalvings; ++i) term *= term;
    sum += term;
  }
  for (int i = 0; i < kHalvings; ++i) sum = std::sqrt(sum);
  return smallest / sum;
}

CollectivePrice price(const CollectiveLaw& law, const CollectiveCall& call, double link_bytes_per_s) {
  const CorrectedLines lines(law, call, link_bytes_per_s);
  // A barrier of no bytes takes what one byte does.
  const double log2_bytes = std::log2(std::max(call.bytes, 1.0)), below = std::floor(log2_bytes);
  double before = lines.log_us(0);
  for (int power = 1; power <= static_cast<int>(below); ++power) before = std::max(before, lines.log_us(power));
  const double behind = std::max(before, lines.log_us(below + 1));
  return {.us = std::exp(std::lerp(before, behind, log2_bytes - below)),
          .protocol = smallest_line(law, static_cast<double>(call.ranks), call.bytes, link_bytes_per_s).protocol};
}

std::optional<CollectiveInterval> interval(const CollectiveLines& lines, double bytes, double us, double widening) {
  if (lines.accuracy.empty()) return std::nullopt;
  const auto holds = [&](const CollectiveAccuracy& one) { return bytes <= static_cast<double>(one.up_to_bytes); };
  auto found = std::find_if(lines.accuracy.begin(), lines.accuracy.end(), holds);
  if (found == lines.accuracy.end()) found = std::prev(lines.accuracy.end());
  return CollectiveInterval{us * std::pow(found->low_ratio, widening), us * std::pow(found->high_ratio, widening),
                            found->unseen_pct};
}

namespace {

/// Between nodes a ring per rail: each of (nodes - 1) steps, twice for an all-reduce, has a latency.
double ring_us(NodeCollective op, double nodes, double bytes, const RailLink& rail) {
  const double steps = (op == NodeCollective::all_reduce ? 2 : 1) * (nodes - 1);
  return steps * rail.latency_us + wire_factor(op, nodes) * bytes / rail.bytes_per_s * 1e6;
}

/// What is done inside the nodes: an all-reduce is a reduce_scatter before the rails and an all_gather behind them.
std::vector<NodeCollective> parts_inside(NodeCollective op) {
  if (op == NodeCollective::all_reduce) return {NodeCollective::reduce_scatter, NodeCollective::all_gather};
  return {op};
}

}  // namespace

std::optional<RailPrice> rail_price(const CollectiveLines& lines, const CollectiveCall& call, std::int64_t nodes,
                                    double link_bytes_per_s, const RailLink& rail) {
  CollectiveCall inside = call;
  inside.ranks = call.ranks / nodes;
  // Tokens for another node go there from every device by its own port; all else is cut among the devices of a node.
  const bool exchange = call.op == NodeCollective::all_to_all;
  if (exchange) inside.bytes /= static_cast<double>(nodes);
  RailPrice sum{.protocol = "rails"};
  if (inside.ranks > 1) {
    for (const NodeCollective op : parts_inside(call.op)) {
      const CollectiveLaw* law = nearest_law(lines, op, call.library, call.version);
      if (law == nullptr) return std::nullopt;
      inside.op = op;
      const CollectivePrice part = price(*law, inside, link_bytes_per_s);
      sum.inside_us += part.us;
      sum.protocol = part.protocol;
    }
  }
  const double share = exchange ? 1 : 1 / static_cast<double>(inside.ranks);
  sum.us = sum.inside_us + ring_us(call.op, static_cast<double>(nodes), call.bytes * share, rail);
  return sum;
}

}  // namespace orrery::machine
