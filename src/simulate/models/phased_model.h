// What the network models have in common: an operation waits for its launch and latency, then its bytes flow, phase
// after phase. How long the flow of a phase takes is for the model to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  void advance(TimePs now, std::vector<OpId>& finished) override;
  /// From now on, what operations cost is kept for price(), which takes 90 bytes for each; at first it is not.
  void keep_prices(bool keep) { keeps_prices_ = keep; }
  /// The price of a finished operation as it came out, until the next start() with the same id. All zero for an id that
  /// never finished while prices were kept.
  [[nodiscard]] Price price(OpId id) const;

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
  /// When the first flow ends that has no timer.
  [[nodiscard]] virtual TimePs next_flow_end() const { return kNever; }
  /// Calls flow_ended() for the flows without a timer that end by `now`.
  virtual void end_flows(TimePs /*now*/) {}
  /// A flow with a timer is over.
  virtual void timed_flow_ended(Slot /*slot*/, TimePs /*now*/) {}
  [[nodiscard]] virtual Result<Lowering::SharedPlan> plan_of(const CommOp& op) { return lowering_->plan(op); }
  virtual void op_started(const Running& /*op*/) {}
  virtual void op_ended(const Running& /*op*/, TimePs /*now*/) {}
  /// Nothing is in flight any more.
  virtual void came_to_rest() {}

  void reset(LinkRecorder* recorder) override;
  /// Nothing is in flight, and the ways of messages depend neither on their ids nor on what is under way.
  [[nodiscard]] bool is_at_rest() const;
  /// The bytes of a collective in one phase, and when they begin to flow if it starts at `start`. None where there are
  /// several phases, no bytes, or so many that their time has to be looked at; or while prices are kept.
  struct OnlyFlow {
    Lowering::SharedPlan plan;
    double bytes = 0;
    TimePs begin_ps = 0;

    [[nodiscard]] const PlanPhase& phase() const { return plan->phases[0]; }
  };
  [[nodiscard]] std::optional<OnlyFlow> only_flow(const CommOp& op, TimePs start);
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
  bool keeps_prices_ = false;
};

/// Starts all of `ops` at once on a fresh model and lets it run dry.
Result<std::vector<Price>> run_together(PhasedModel& fresh, std::span<const CommOp> ops);

}  // namespace orrery::simulate
