// Operations in flight share the links max-min fairly, at every moment: the model to use unless there is a reason not to.
#pragma once

#include <optional>

#include "simulate/fluid/fluid_network.h"
#include "simulate/models/phased_model.h"

namespace orrery::simulate {

class FluidModel final : public PhasedModel {
 public:
  explicit FluidModel(std::shared_ptr<Lowering> lowering);

  using PhasedModel::estimate;
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;
  void restart() override;
  [[nodiscard]] std::span<const LinkUse> link_uses() const override;

 private:
  void begin_flow(Slot slot, TimePs now) override;
  [[nodiscard]] TimePs next_flow_end() const override { return lone_ ? lone_->end_ps : flows_->next_completion(); }
  void end_flows(TimePs now) override;
  [[nodiscard]] std::span<const double> traffic() const override { return traffic_; }
  void op_started(const Running& op) override { count_traffic(op, 1); }
  void op_ended(const Running& op, TimePs /*now*/) override { count_traffic(op, -1); }
  void count_traffic(const Running& op, double sign);
  void enter_network(Slot slot, double bytes, TimePs now);
  void leave_alone(TimePs now);
  void end_lone(TimePs now);

  /// A flow that has the network to itself: no rates to solve for. It enters the network when another comes.
  struct LoneFlow {
    Slot slot = 0;
    TimePs start_ps = 0;
    TimePs end_ps = 0;
  };
  /// What lone flows put on a link.
  struct LoneUse {
    double bytes = 0;
    TimePs busy_ps = 0;
  };

  mutable std::optional<FluidNetwork> flows_;  ///< always there; solves for the rates when it is asked, not when flows come and go
  std::optional<LoneFlow> lone_;               ///< Invariant: then there is nothing in flows_
  std::vector<LoneUse> lone_uses_;             ///< by LinkId
  std::vector<Slot> slot_of_flow_;
  std::vector<FluidNetwork::FlowId> finished_;
  /// By link: transfers of the operations in flight, in all their phases; empty unless the machine routes adaptively, which is what it is
  /// for. Counted from the start on, so that messages that start together do not all take the same way.
  std::vector<double> traffic_;
  mutable std::vector<LinkUse> uses_;  ///< what link_uses() last returned
};

}  // namespace orrery::simulate
