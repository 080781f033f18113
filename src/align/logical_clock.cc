#include "align/logical_clock.h"

#include <algorithm>
#include <limits>

#include "base/int128.h"
#include "match/contradictions.h"

// The controlled logical clock of Rabenseifner: walking in causal order, an end that precedes a start it waited for is
// pushed behind it, and the clock loses the lead again by a thousandth of the time that passes. Then each jump is
// spread back over 20 ms before it, as far as no start is moved behind an end, so that intervals are stretched and not
// torn.

namespace orrery::align {
namespace {

using match::CausalOrder;
using match::Participation;
using trace::ClockKnot;

constexpr TimePs kLeastLatencyPs = 8;               // more than composing two clocks can round away
constexpr TimePs kSpreadPs = 20 * 1'000'000'000ll;  // over which a jump is spread
constexpr TimePs kSlower = 1000;                    // a clock that is ahead loses a thousandth

/// The least that a clock advances while the one before showed `interval` more.
TimePs least_advance(TimePs interval) { return interval - interval / kSlower; }

class ControlledLogicalClock {
 public:
  ControlledLogicalClock(const Exchanges& exchanges, const PartTimes& times, std::vector<std::uint32_t> node_of_part,
                         std::uint32_t nodes)
      : exchanges_(exchanges), times_(times), node_of_part_(std::move(node_of_part)), nodes_(nodes) {}

  Result<LogicalClock> correct() {
    const std::vector<std::uint32_t> blamed = find_contradictions(exchanges_, times_, node_of_part_, nodes_);
    std::vector<std::uint8_t> skip(exchanges_.all.size(), 0);
    for (const std::uint32_t c : blamed) skip[c] = 1;
    out_.left_out = blamed.size();
    out_.shifts.resize(nodes_);
    CausalOrder order(exchanges_, times_, node_of_part_, nodes_, skip);
    push_forward(order);
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      Result<trace::Clock> warp = warp_of(order, node);
      if (!warp) return warp.error();
      out_.warps.push_back(std::move(*warp));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] TimePs time(CausalOrder::Moment moment) const {
    return moment.is_end() ? times_.end[moment.part()] : times_.start[moment.part()];
  }

  /// pushed_[moment] = its time after all that came before it, push_[moment] = how much of that is its own doing.
  void push_forward(CausalOrder& order) {
    pushed_ = Column<TimePs>(order.moments().size());
    push_ = Column<TimePs>(order.moments().size(), 0);
    first_end_.assign(exchanges_.all.size(), std::numeric_limits<TimePs>::max());
    std::vector<TimePs> last_start(exchanges_.all.size(), std::numeric_limits<TimePs>::min());
    order.walk([&](CausalOrder::Moment moment, std::uint32_t at) {
      const std::uint32_t node = node_of_part_[moment.part()], c = order.collective_of(moment.part());
      TimePs now = time(moment);
      if (at > order.chain_begin()[node])
        now = std::max(now, pushed_[at - 1] + least_advance(now - time(order.moments()[at - 1])));
      if (moment.is_end()) {
        const TimePs required = last_start[c] + kLeastLatencyPs;
        if (required > now) {
          push_[at] = required - now;
          now = required;
          note_push(out_.shifts[node], push_[at]);
        }
        first_end_[c] = std::min(first_end_[c], now);
      } else {
        last_start[c] = std::max(last_start[c], now);
      }
      pushed_[at] = now;
    });
  }

  static void note_push(LogicalShift& shift, TimePs by) {
    ++shift.jumps;
    shift.largest_push_ps = std::max(shift.largest_push_ps, by);
    shift.total_push_ps += by;
  }

  /// All moments of a node with one reading.
  struct Stop {
    TimePs at = 0;
    TimePs pushed = 0;
    TimePs push = 0;                                    ///< how much of that is the doing of its ends
    TimePs limit = std::numeric_limits<TimePs>::max();  ///< its starts may not come later
    bool has_start = false;
    TimePs spread = 0;                                 ///< the time in the end
    TimePs foot = std::numeric_limits<TimePs>::max();  ///< where the slope that it lies on begins
  };

  std::vector<Stop> stops_of(const CausalOrder& order, std::uint32_t node) const {
    std::vector<Stop> stops;
    for (std::uint32_t i = order.chain_begin()[node]; i < order.chain_begin()[node + 1]; ++i) {
      const CausalOrder::Moment moment = order.moments()[i];
      if (stops.empty() || stops.back().at != time(moment)) stops.push_back({.at = time(moment)});
      Stop& stop = stops.back();
      stop.pushed = pushed_[i];  // never decreases from one moment to the next
      stop.push += push_[i];
      if (moment.is_end()) continue;
      stop.has_start = true;
      stop.limit = std::min(stop.limit, first_end_[order.collective_of(moment.part())] - kLeastLatencyPs);
    }
    return stops;
  }

  /// Each jump becomes a slope over the time before it. Times only grow, so ends stay after the starts they wait for;
  /// starts are limited by where the forward pass put the ends.
  static void spread_back(std::vector<Stop>& stops) {
    TimePs jump = 0, jump_at = 0;
    for (std::size_t i = stops.size(); i-- > 0;) {
      Stop& stop = stops[i];
      stop.spread = stop.pushed;
      const TimePs before = jump_at - stop.at;
      if (jump > 0 && before < kSpreadPs) {
        // A straight line from nothing at the foot to all of the jump at its place.
        const auto part = static_cast<TimePs>(Int128{jump} * (kSpreadPs - before) / kSpreadPs);
        const TimePs most = std::min(stop.limit, stops[i + 1].spread - least_advance(stops[i + 1].at - stop.at));
        stop.spread = std::max(stop.pushed, std::min(stop.pushed + part, most));
        stop.foot = jump_at - kSpreadPs;
      }
      if (stop.push > 0) {
        jump = stop.spread - stop.pushed + stop.push;
        jump_at = stop.at;
        stop.foot = jump_at - kSpreadPs;
      }
    }
  }

  Result<trace::Clock> warp_of(const CausalOrder& order, std::uint32_t node) {
    std::vector<Stop> stops = stops_of(order, node);
    if (stops.empty()) return trace::Clock::identity();
    spread_back(stops);
    std::vector<ClockKnot> knots;
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const Stop& stop = stops[i];
      out_.shifts[node].largest_shift_ps = std::max(out_.shifts[node].largest_shift_ps, stop.spread - stop.at);
      if (stop.foot < stop.at) add_foot(knots, stop);
      add(knots, stop.at, stop.spread);
      if (stop.has_start && i + 1 < stops.size()) add_guard(knots, stop, stops[i + 1]);
    }
    return trace::Clock::from_knots(knots);
  }

  /// Where a slope begins, if nothing happened between there and the first stop on it.
  static void add_foot(std::vector<ClockKnot>& knots, const Stop& on_slope) {
    TimePs value = on_slope.foot;
    if (!knots.empty()) {
      if (on_slope.foot <= knots.back().from_ps) return;
      value = std::max(value, knots.back().to_ps + least_advance(on_slope.foot - knots.back().from_ps));
    }
    if (value < on_slope.spread) add(knots, on_slope.foot, value);
  }

  /// Behind a start the clock may rise steeply. Another clock composed with this one may reach a picosecond further
  /// than the start.
  static void add_guard(std::vector<ClockKnot>& knots, const Stop& start, const Stop& next) {
    const TimePs interval = next.at - start.at, rise = next.spread - start.spread;
    if (interval > 2 * kLeastLatencyPs && rise > interval)
      add(knots, start.at + kLeastLatencyPs / 2, start.spread + kLeastLatencyPs / 2);
  }

  /// Knots between equal shifts say nothing.
  static void add(std::vector<ClockKnot>& knots, TimePs from, TimePs to) {
    const auto shift = [&](std::size_t back) {
      return knots[knots.size() - back].to_ps - knots[knots.size() - back].from_ps;
    };
    if (knots.size() >= 2 && shift(1) == to - from && shift(2) == to - from) knots.pop_back();
    knots.push_back({from, to, to - from});
  }

  const Exchanges& exchanges_;
  const PartTimes& times_;
  std::vector<std::uint32_t> node_of_part_;
  std::uint32_t nodes_;
  Column<TimePs> pushed_, push_;
  std::vector<TimePs> first_end_;  // by collective, after the forward pass
  LogicalClock out_;
};

}  // namespace

Result<LogicalClock> controlled_logical_clock(const Exchanges& exchanges, const PartTimes& times, std::uint32_t nodes) {
  std::vector<std::uint32_t> node_of_part;
  node_of_part.reserve(exchanges.parts.size());
  for (const Participation& part : exchanges.parts) node_of_part.push_back(part.node);
  return ControlledLogicalClock(exchanges, times, std::move(node_of_part), nodes).correct();
}

}  // namespace orrery::align
