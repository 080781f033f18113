// Operations in flight share the links max-min fairly, at every moment: the model to use unless there is a reason not to.
#pragma once

#include "simulate/fluid/fluid_network.h"
#include "simulate/models/phased_model.h"

namespace orrery::simulate {

class FluidModel final : public PhasedModel {
 public:
  explicit FluidModel(std::shared_ptr<Lowering> lowering);

  using PhasedModel::estimate;
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;
  [[nodiscard]] std::span<const LinkUse> link_uses() const override;

 private:
  void begin_flow(Slot slot, TimePs now) override;
  [[nodiscard]] TimePs next_flow_end() const override { return flows_.next_completion(); }
  void end_flows(TimePs now) override;

  mutable FluidNetwork flows_;  ///< solves for the rates when it is asked, not when flows come and go
  std::vector<Slot> slot_of_flow_;
  std::vector<FluidNetwork::FlowId> finished_;
  mutable std::vector<LinkUse> uses_;  ///< what link_uses() last returned
};

}  // namespace orrery::simulate
