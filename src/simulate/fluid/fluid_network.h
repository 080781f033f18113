// Flows that share links like fluid in pipes: at every moment the rates are max-min fair, and between two arrivals or
// departures they are constant. Knows nothing of messages, routes or latency: whoever uses it says which links a flow
// takes, and when it starts.
//
// Max-min fairness by progressive filling: the rates of all flows grow alike from 0; when a link is saturated the flows
// on it are frozen at the rate reached, the others go on (max_min_solver.h). A flow at rate r takes weight * r of a
// link's capacity, so that one flow may stand for a collective that puts different loads on different links.
//
// Most flows of a well-placed job meet nobody. A flow whose links no other takes is alone: its rate is the least
// capacity over weight of its links, and neither its coming nor its going changes anything for others. It is kept out
// of the solver until another flow takes one of its links; then the solver is given what it would have made of it. And
// its links may be kept for the next flow of the same route (route_leases.h).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "machine/topology/network.h"
#include "simulate/fluid/finish_tree.h"
#include "simulate/fluid/flow_table.h"
#include "simulate/fluid/max_min_solver.h"
#include "simulate/fluid/route_leases.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// What a link did. Bytes and time are those up to the last advance().
struct LinkTotals {
  double bytes = 0;  ///< sum over flows of weight times bytes moved
  TimePs busy_ps = 0;
  std::uint32_t peak_flows = 0;
};

/// Deterministic: the same calls give the same answers, bit for bit. Not thread-safe. Allocates only while the number
/// of flows grows.
///
/// Time is given by the caller and never decreases. What happens at one moment (any number of advance() and add() with
/// the same `now`) is solved together, once, when next_completion() is asked or time moves on.
class FluidNetwork {
 public:
  using FlowId = std::uint32_t;
  static constexpr FlowId kNoFlow = ~FlowId{0};

  /// The capacity of every link, by LinkId; all above 0 and finite. `recorder`: is told when links carry what; nullptr:
  /// nobody is.
  explicit FluidNetwork(std::span<const double> bytes_per_second, LinkRecorder* recorder = nullptr);
  FluidNetwork(const FluidNetwork&) = delete;  // its parts refer to each other
  FluidNetwork& operator=(const FluidNetwork&) = delete;

  /// A flow that starts at `now`. `bytes` and all weights are above 0, the links are distinct, and there is a link or a
  /// finite limit. `rate_limit` (bytes per second, above 0) holds for this flow alone. The smallest free id is not
  /// promised, only a free one.
  FlowId add(double bytes, std::span<const LinkShare> shares, TimePs now,
             double rate_limit = std::numeric_limits<double>::infinity());

  /// A flow that is to start at `begin` >= `now`, if nobody is on its links or is to be; else nothing is done: kNoFlow.
  /// It may be called off. `route`: the number of `shares`, which spares looking at them if they are those of a lease.
  FlowId reserve(double bytes, std::span<const LinkShare> shares, TimePs now, TimePs begin,
                 RouteNumber route = kNoRoute);
  /// A flow as it would be from `begin` >= `now` on, on links that are kept for its route and likely to stay so; else
  /// none. Nothing is done.
  [[nodiscard]] std::optional<PredictedOp> predict(double bytes, std::span<const LinkShare> shares, TimePs begin,
                                                   RouteNumber route);
  /// It will be: counted at once. Predicted flows of a route are committed in the order of time.
  void commit(const PredictedOp& flow);
  /// Whether others came to the links of such a flow before it had ended.
  [[nodiscard]] bool has_mispredicted() const { return mispredicted_; }
  /// The flows that were to start later on links which add() has since given to another: they are not there any more,
  /// and their ids are free. Forgotten when the next flow is added.
  [[nodiscard]] std::span<const FlowId> called_off() const { return called_off_; }

  /// When the next flow ends; kNever if nothing flows. A flow ends at the first whole picosecond by which all its bytes
  /// are through, where a remaining time within 1e-12 of itself from a whole number is that number: noise in the last
  /// digits must not part flows that end together.
  TimePs next_completion();

  /// Moves on to `now` <= next_completion() and appends the flows that end then, in the order of their ids. Their ids
  /// are free from now on.
  void advance(TimePs now, std::vector<FlowId>& finished);

  /// While there are no flows: from here on it does what a new one with these links would, to the last bit, whatever
  /// flowed before. What was counted stays.
  void forget_flows();

  /// Bytes per second, as of the last next_completion(); the flow must be in flight.
  [[nodiscard]] double rate(FlowId flow) const { return is_alone(flow) ? alone_[flow].rate : flows_.rate(flow); }
  /// The link that holds the flow back, as of the last next_completion(); Price::kNoLink when it is the flow's own
  /// limit.
  [[nodiscard]] machine::LinkId bottleneck(FlowId flow) const;
  [[nodiscard]] std::uint32_t flow_count() const { return flows_.size(); }

  /// Visits the flows now on the link: for reports, not for loops.
  [[nodiscard]] LinkTotals totals(machine::LinkId link) const;

  /// Of the flows that have ended; and counts more of them.
  [[nodiscard]] LinkCount count(machine::LinkId link) const {
    const LinkHistory history = whole_history(link);
    return {history.finished_bytes, history.busy_ps};
  }
  void add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) {
    history_[link].finished_bytes.add(each.bytes, times);
    history_[link].busy_ps += each.busy_ps * static_cast<TimePs>(times);
  }

  /// How much work the solver did so far, in flows whose rate was determined anew and in solves: for benchmarks.
  [[nodiscard]] const MaxMinSolver::Work& work() const { return solver_.work(); }

 private:
  struct LinkHistory {
    ByteSum finished_bytes;
    TimePs busy_ps = 0;       ///< of the periods that are over
    TimePs busy_since = 0;    ///< of the present one, if any flow is there; of a lone flow see Alone::since_ps
    double capacity = 0;      ///< bytes per second, as in the FlowTable
    std::uint32_t flows = 0;  ///< now, in the solver
    std::uint32_t peak_flows = 0;
    bool is_disputed = false;  ///< flows of different routes came here
    FlowId alone =
        kNoFlow;  ///< the flow that has the link to itself and is not in the solver, unless it is known of a lease
    RouteLeases::Number lease =
        RouteLeases::kNone;  ///< that the link belongs to: then no flow is here but that of the lease
  };
  /// Of a flow that has all its links to itself and is not in the solver.
  struct Alone {
    double rate = 0;  ///< bytes per second; 0: it is not alone
    std::uint32_t bottleneck = 0;
    TimePs since_ps = 0;
    std::uint64_t moment = 0;  ///< of moments_, when it came
    RouteLeases::Number lease = RouteLeases::kNone;
  };
  static constexpr std::uint64_t kReserved = ~std::uint64_t{0};  ///< as Alone::moment

  [[nodiscard]] bool is_alone(FlowId flow) const { return alone_[flow].rate > 0; }
  [[nodiscard]] double moved_bytes(FlowId flow) const;
  void move_clock(TimePs now);
  void solve();
  void collect_finished(std::uint32_t link, std::vector<FlowId>& finished);
  void remove(FlowId flow);
  [[nodiscard]] Alone find_alone(std::span<const LinkShare> shares) const;
  FlowId start_alone(const Alone& alone, double bytes, std::span<const LinkShare> shares);
  void end_alone(FlowId flow);
  FlowId start_leased(double bytes, std::span<const LinkShare> shares, RouteNumber route, TimePs begin,
                      std::uint64_t moment);
  void end_leased(FlowId flow);
  void count_leased(RouteLease& lease, double bytes, TimePs busy_ps);
  void lease_route(const Alone& alone, FlowId flow);
  void end_lease(RouteLeases::Number number);
  void end_leases(std::span<const LinkShare> shares);
  void tell_links(RouteLease& lease);
  [[nodiscard]] static LinkHistory told_of(const RouteLease& lease, const LinkShare& share, LinkHistory history);
  [[nodiscard]] LinkHistory whole_history(machine::LinkId link) const;
  [[nodiscard]] FlowId lone_flow(machine::LinkId link) const;
  bool call_off(std::span<const LinkShare> shares);
  void join(FlowId flow);
  void set_size(FlowId flow, double bytes);
  std::uint32_t limit_link(double rate_limit);

  std::uint32_t link_count_;  ///< real ones; limits of flows are links after them
  FlowTable flows_;
  MaxMinSolver solver_;
  LinkRecorder* recorder_;
  FinishTree finishes_;
  std::vector<double> bytes_;  ///< by flow: its size
  std::vector<Alone> alone_;   ///< by flow
  std::vector<LinkHistory> history_;
  RouteLeases leases_;
  std::vector<LinkShare> new_lease_;  ///< scratch
  std::vector<FlowId> called_off_;
  std::vector<std::uint32_t> free_limits_;
  TimePs now_ = 0;
  std::uint64_t moments_ = 0;  ///< what came within one is solved together: counts when it could have been
  bool changed_ = false;       ///< flows came or went since the last solve
  bool mispredicted_ = false;
};

}  // namespace orrery::simulate
