// The models of links that run in the loop: with sharing, and without.
#pragma once

#include <optional>

#include "simulate/fluid/fluid_network.h"
#include "simulate/models/folded_links.h"
#include "simulate/models/phased_model.h"

namespace orrery::simulate {

/// Every operation as if it had the network to itself: a timer per phase. Always optimistic, and the yardstick for what
/// sharing costs.
class IsolatedModel : public PhasedModel, public NetworkSteadyState {
 public:
  explicit IsolatedModel(std::shared_ptr<Lowering> lowering);

  using PhasedModel::estimate;
  /// Each alone.
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;
  /// Sharing is counted, though it costs nothing here: the rates on a link may add up to more than its capacity.
  [[nodiscard]] std::span<const LinkUse> link_uses() const override;

  [[nodiscard]] NetworkSteadyState* steady_state() override { return this; }
  [[nodiscard]] bool is_quiescent() const override { return is_at_rest(); }
  void count_links(std::vector<LinkCount>& counts) const override;
  void add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) override;

 protected:
  /// How long the present phase of an operation flows.
  [[nodiscard]] virtual TimePs flow_ps(const Running& op) const { return phase_beta_ps(op.current(), op.bytes); }

 private:
  void reset(LinkRecorder* recorder) override;
  void begin_flow(Slot slot, TimePs now) override;
  void timed_flow_ended(Slot slot, TimePs now) override;

  struct Traffic {
    ByteSum bytes;  ///< of the flows that are over
    TimePs busy_ps = 0;
    TimePs busy_since = 0;
    std::uint32_t active = 0;
    std::uint32_t peak = 0;
  };
  std::vector<Traffic> traffic_;  ///< by LinkId
  LinkRecorder* recorder_ = nullptr;
  mutable std::vector<LinkUse> uses_;  ///< what link_uses() last returned
};

/// Operations in flight share the links max-min fairly, at every moment: the model to use unless there is a reason not
/// to.
class FluidModel final : public PhasedModel, public NetworkLookahead, public NetworkSteadyState {
 public:
  explicit FluidModel(std::shared_ptr<Lowering> lowering);

  using PhasedModel::estimate;
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;
  [[nodiscard]] std::span<const LinkUse> link_uses() const override;

  [[nodiscard]] NetworkLookahead* lookahead() override { return this; }
  /// Of what flows in one phase.
  std::optional<PredictedOp> predict(const CommOp& op, TimePs start) override;
  void commit(const PredictedOp& op) override { flows_->commit(op); }
  [[nodiscard]] bool has_mispredicted() const override { return flows_->has_mispredicted(); }

  [[nodiscard]] NetworkSteadyState* steady_state() override { return this; }
  [[nodiscard]] bool is_quiescent() const override { return is_at_rest(); }
  void count_links(std::vector<LinkCount>& counts) const override;
  void add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) override {
    flows_->add_count(link, each, times);
  }

  /// Null where the ways of operations depend on more than on who takes part.
  [[nodiscard]] NetworkFolding* folding() override;

 private:
  void reset(LinkRecorder* recorder) override;
  void begin_flow(Slot slot, TimePs now) override;
  bool begin_flow_later(Slot slot, TimePs when) override;
  [[nodiscard]] TimePs next_flow_end() const override { return flows_->next_completion(); }
  void end_flows(TimePs now) override;
  [[nodiscard]] Result<Lowering::SharedPlan> plan_of(const CommOp& op) override;
  void op_started(const Running& op) override { count_traffic(op, 1); }
  void op_ended(const Running& op, TimePs /*now*/) override { count_traffic(op, -1); }
  void came_to_rest() override { flows_->forget_flows(); }
  void count_traffic(const Running& op, double sign);
  void note_slot(FluidNetwork::FlowId flow, Slot slot);

  struct EndedFlow {
    Slot slot = 0;
    machine::LinkId bottleneck = 0;
  };

  mutable std::optional<FluidNetwork>
      flows_;  ///< always there; solves for the rates when it is asked, not when flows come and go
  std::vector<Slot> slot_of_flow_;
  std::vector<FluidNetwork::FlowId> finished_;
  std::vector<EndedFlow> ended_;  ///< scratch
  /// By link: transfers of the operations in flight, in all their phases; empty unless the machine routes adaptively,
  /// which is what it is for. Counted from the start on, so that messages that start together do not all take the same
  /// way.
  std::vector<double> traffic_;
  FoldedLinks folded_;
  mutable std::vector<LinkUse> uses_;  ///< what link_uses() last returned
};

}  // namespace orrery::simulate
