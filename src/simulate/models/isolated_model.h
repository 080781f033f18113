// Every operation as if it had the network to itself: a timer per phase. Always optimistic, and the yardstick for what
// sharing costs.
#pragma once

#include "simulate/models/phased_model.h"

namespace orrery::simulate {

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

}  // namespace orrery::simulate
