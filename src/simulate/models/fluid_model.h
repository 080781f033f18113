// Operations in flight share the links max-min fairly, at every moment: the model to use unless there is a reason not
// to.
#pragma once

#include <optional>

#include "simulate/fluid/fluid_network.h"
#include "simulate/models/phased_model.h"

namespace orrery::simulate {

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

 private:
  void reset(LinkRecorder* recorder) override;
  void begin_flow(Slot slot, TimePs now) override;
  bool begin_flow_later(Slot slot, TimePs when) override;
  [[nodiscard]] TimePs next_flow_end() const override { return flows_->next_completion(); }
  void end_flows(TimePs now) override;
  [[nodiscard]] std::span<const double> traffic() const override { return traffic_; }
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
  mutable std::vector<LinkUse> uses_;  ///< what link_uses() last returned
};

}  // namespace orrery::simulate
