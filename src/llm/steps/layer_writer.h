// What one rank runs in one pass through some layers, in order: computing and collectives; who lays them down; and what
// becomes of them in a workload.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "llm/steps/step_plan.h"
#include "workload/program_builder.h"
#include "workload/workload.h"

namespace orrery::llm {

/// "layer 12 attention forward sum": in parts, which are literals, so that making a schedule writes no texts.
struct ItemName {
  std::int32_t layer = -1;  ///< -1: none
  std::string_view what;
  std::string_view pass = {};
  std::string_view detail = {};

  [[nodiscard]] ItemName with(std::string_view more) const { return {layer, what, pass, more}; }
};
std::string to_string(const ItemName& name);

/// Places in a schedule; -1: none. At most four at once: the sum of the layer before, its host, and the parameters of
/// this one from two groups.
using WaitedFor = std::array<std::int32_t, 4>;
inline constexpr WaitedFor kNobody = {-1, -1, -1, -1};

/// Items hang together by a chain: most wait for the end of the chain so far and are its new end. What runs beside it,
/// because another stream carries it, leaves the end where it was; whoever needs it says so.
struct LayerItem {
  ItemName name;
  bool is_collective = false;
  bool on_host = false;           ///< the host launches, one thing after the other, while the device does what it may
  bool joins = true;              ///< the chain goes on when it has ended
  WaitedFor waits_for = kNobody;  ///< besides the chain: earlier items of the same schedule
  std::int32_t needs_layer = -1;  ///< parameters of this layer, gathered since the step began; -1: of none
  TimePs duration_ps = 0;         ///< of computing, or of launching
  workload::Collective collective = workload::Collective::all_reduce;
  ParallelAxis axis = ParallelAxis::tensor;
  std::int64_t bytes = 0;  ///< as workload::Program::bytes counts them
};
using LayerSchedule = std::vector<LayerItem>;

/// Appends to a schedule. Collectives over one rank and work that takes no time are left out.
class LayerWriter {
 public:
  /// Both must outlive it.
  LayerWriter(const StepPlan& plan, LayerSchedule& schedule) : plan_(plan), schedule_(schedule) {}

  [[nodiscard]] const StepPlan& plan() const { return plan_; }
  /// Of the hidden state of one micro-batch.
  [[nodiscard]] double hidden_bytes() const;

  void compute(const ItemName& label, double seconds);
  /// The host begins to launch what comes next on the chain, beside it. Returns its place, or -1 where that takes no
  /// time.
  std::int32_t launch(const ItemName& label, double seconds);
  /// Returns its place, or -1 where there is nobody to talk to.
  std::int32_t collective(const ItemName& label, workload::Collective kind, ParallelAxis axis, double bytes,
                          bool joins = true);
  /// Over the tensor group, of the whole hidden state: scattered under sequence parallelism.
  std::int32_t sum_hidden(const ItemName& label, bool joins = true);
  /// The next item of the chain waits for this one, too; -1: there is none.
  void wait_for(std::int32_t item);
  /// The next item of the chain needs the parameters of a layer, which were asked for when the step began.
  void need(std::uint32_t layer) { needs_layer_ = static_cast<std::int32_t>(layer); }
  /// Before the schedule ends: nothing is left to wait for.
  void settle();

  /// Half a layer, forward. Gathers tokens, computes, and scatters the sums: what sequence parallelism does around both
  /// halves of a layer; in parts, where they are to overlap one another.
  void half(const ItemName& label, double seconds);
  /// While the gradient of the half's input is summed over the ranks, that of its first matrix is computed
  /// (`overlapped`), for which the tokens of all ranks are gathered again, beside the rest.
  void half_backward(const ItemName& label, double seconds, double overlapped);

 private:
  const StepPlan& plan_;
  LayerSchedule& schedule_;
  WaitedFor waits_ = kNobody;
  std::int32_t needs_layer_ = -1;
};

/// The streams of a device, as the lanes of activities: computing, then one per axis.
inline constexpr std::int32_t kComputeLane = 0;
inline constexpr std::int32_t lane_of(ParallelAxis axis) { return 1 + static_cast<std::int32_t>(axis); }

/// By axis: the name of its role in Workload::strings, whether or not there is such a role.
using RoleNames = std::array<StringId, kParallelAxes>;

/// Ranks are laid out as Megatron does: neighbours are a tensor group, then come context, data and the pipeline;
/// experts are spread over neighbours of a stage. Roles are called as kParallelAxisNames, and are there where they have
/// more than one rank. Program s is that of stage s.
RoleNames lay_out(const StepPlan& plan, workload::Workload& workload);

/// The activity that an item becomes; its id is left open.
workload::Activity activity_of(const LayerItem& item, const RoleNames& roles, Interner& strings);

}  // namespace orrery::llm
