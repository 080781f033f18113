// What the network models have in common: an operation waits for its launch and latency, then its bytes flow, phase
// after phase. How long the flow of a phase takes is for the model to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulate/collective/lowering.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// The price of a plan with the network to itself.
Price isolated_price(const Plan& plan, double bytes);

class PhasedModel : public NetworkModel {
 public:
  using NetworkModel::estimate;
  Result<Price> estimate(const CommOp& op) override;

  Status start(OpId id, const CommOp& op, TimePs now) override;
  [[nodiscard]] TimePs next_event() const override;
  /// Of what flows in one phase.
  std::optional<ForeseenOp> foresee(const CommOp& op, TimePs start) override;
  void advance(TimePs now, std::vector<OpId>& finished) override;
  void restart() override;
  /// All zero for an id that never finished.
  [[nodiscard]] Price price(OpId id) const override;
  /// Not where the ways of messages depend on their ids, or on what is under way.
  [[nodiscard]] bool is_at_rest() const override;

 protected:
  using Slot = std::uint32_t;

  /// An operation in flight.
  struct Running {
    OpId id = 0;
    Lowering::SharedPlan plan;
    double bytes = 0;  ///< as they load the links: more than the operation's where it gets less out of them
    TimePs start_ps = 0;
    TimePs alpha_to_take_off =
        0;  ///< of what Calibration::alpha_ps takes off: what is left of it for the phases to come
    std::size_t phase = 0;
    bool flowing = false;      ///< else it waits for the alpha of its phase
    TimePs flow_start_ps = 0;  ///< of the present phase
    TimePs beta_ps = 0;        ///< of the phases that are over
    TimePs longest_flow_ps = -1;
    machine::LinkId bottleneck = Price::kNoLink;  ///< of the phase that flowed longest so far

    [[nodiscard]] const PlanPhase& current() const { return plan->phases[phase]; }
  };

  explicit PhasedModel(std::shared_ptr<Lowering> lowering) : lowering_(std::move(lowering)) {}

  /// The bytes of the present phase begin to flow; the model calls flow_ended() when they are through, or has set a
  /// timer for that.
  virtual void begin_flow(Slot slot, TimePs now) = 0;
  /// The same at a later moment, if it is known already that nothing comes in between, or if the model minds that: then
  /// it calls flow_called_off(). False: it is to be told at that moment.
  virtual bool begin_flow_later(Slot /*slot*/, TimePs /*when*/) { return false; }
  /// The bytes of a phase as they would flow from `begin` on, if the model knows.
  virtual std::optional<ForeseenOp> foresee_flow(const PlanPhase& /*phase*/, double /*bytes*/, TimePs /*begin*/) {
    return std::nullopt;
  }
  /// When the first flow ends that has no timer.
  [[nodiscard]] virtual TimePs next_flow_end() const { return kNever; }
  /// Calls flow_ended() for the flows without a timer that end by `now`.
  virtual void end_flows(TimePs /*now*/) {}
  /// A flow with a timer is over.
  virtual void timed_flow_ended(Slot /*slot*/, TimePs /*now*/) {}
  /// What is under way, for Lowering::plan().
  [[nodiscard]] virtual std::span<const double> traffic() const { return {}; }
  virtual void op_started(const Running& /*op*/) {}
  virtual void op_ended(const Running& /*op*/, TimePs /*now*/) {}
  /// Nothing is in flight any more.
  virtual void came_to_rest() {}

  void flow_ended(Slot slot, TimePs now, machine::LinkId bottleneck);
  /// What was to begin later is to be begun again when it is time.
  void flow_called_off(Slot slot);
  void set_timer(Slot slot, TimePs when);
  [[nodiscard]] const Running& running(Slot slot) const { return running_[slot]; }
  [[nodiscard]] const std::shared_ptr<Lowering>& lowering() const { return lowering_; }
  [[nodiscard]] TimePs now() const { return now_; }

 private:
  struct Timer {
    TimePs when = 0;
    bool flowing = false;  ///< what ends comes before what begins, so that the two do not count as sharing
    OpId id = 0;
    Slot slot = 0;

    friend bool operator>(const Timer& a, const Timer& b) {
      if (a.when != b.when) return a.when > b.when;
      if (a.flowing != b.flowing) return b.flowing;
      return a.id > b.id;
    }
  };

  [[nodiscard]] bool is_empty() const { return free_slots_.size() == running_.size(); }
  Slot take_slot();
  void enter_phase(Slot slot, TimePs now);
  void await_flow(Slot slot, TimePs when);
  void on_timer(Slot slot, TimePs now);
  void finish(Slot slot, TimePs now);

  std::shared_ptr<Lowering> lowering_;
  std::vector<Running> running_;  ///< by Slot
  std::vector<Slot> free_slots_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::unordered_map<OpId, Price> prices_;
  std::vector<OpId> ended_;  ///< during this advance()
  TimePs now_ = 0;
};

/// Starts all of `ops` at once on a fresh model and lets it run dry.
Result<std::vector<Price>> run_together(NetworkModel& fresh, std::span<const CommOp> ops);

}  // namespace orrery::simulate
