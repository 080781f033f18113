// What one rank of a stage does in one pass of one micro-batch through its part of the model: computing and
// collectives, in order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "llm/closed_forms/pass_times.h"
#include "llm/steps/step_plan.h"
#include "workload/workload.h"

namespace orrery::llm {

enum class Pass : std::uint8_t { forward, backward, weight_gradient };
inline constexpr std::size_t kPasses = 3;

/// "layer 12 attention forward sum": in parts, which are literals, so that making a passage writes no texts.
struct PieceName {
  std::int32_t layer = -1;  ///< -1: none
  std::string_view what;
  std::string_view pass = {};
  std::string_view detail = {};

  [[nodiscard]] PieceName with(std::string_view more) const { return {layer, what, pass, more}; }
};
std::string to_string(const PieceName& name);

/// Pieces hang together by a chain: most wait for the end of the chain so far and are its new end. What runs beside it,
/// because another stream carries it, leaves the end where it was; whoever needs it says so.
struct Piece {
  PieceName name;
  bool is_collective = false;
  bool joins = true;                                     ///< the chain goes on when it has ended
  std::array<std::int32_t, 3> waits_for = {-1, -1, -1};  ///< besides the chain: earlier pieces of the same passage
  std::int32_t needs_layer = -1;  ///< parameters of this layer, gathered since the step began; -1: of none
  TimePs duration_ps = 0;         ///< of computing
  workload::Collective collective = workload::Collective::all_reduce;
  ParallelAxis axis = ParallelAxis::tensor;
  std::int64_t bytes = 0;  ///< as workload::Program::bytes counts them
};
using Passage = std::vector<Piece>;

/// Which pass of a part; the first and the last micro-batch also look after parameters and gradients.
struct PassPlace {
  Pass pass = Pass::forward;
  std::uint32_t part = 0;
  bool is_first = false;  ///< of the part's forward passes
  bool is_last = false;   ///< of those that add to the part's gradients
};

/// Makes passages for one plan; references must outlive it.
class Passages {
 public:
  Passages(const StepPlan& plan, const StepTimes& times) : plan_(plan), times_(times) {}

  /// Collectives over one rank and work that takes no time are left out.
  [[nodiscard]] Passage make(const PassPlace& place) const;
  /// Before the first pass of a stage, and beside it: a sharded optimizer's parameters come together, in the order in
  /// which they are needed.
  [[nodiscard]] Passage begin_of_step(std::uint32_t stage) const;
  /// After the last pass of a stage: what is left of reducing gradients, their norm, the optimizer, and parameters that
  /// are not gathered later.
  [[nodiscard]] Passage end_of_step(std::uint32_t stage) const;
  /// What goes from stage to stage, per rank.
  [[nodiscard]] std::int64_t message_bytes() const;

 private:
  const StepPlan& plan_;
  const StepTimes& times_;
};

/// Parameters of a part of the model on one rank.
struct PartParameters {
  double replicated = 0;  ///< every rank of the data group has them
  double experts = 0;     ///< only replicas of the same experts do
};
PartParameters part_parameters(const StepPlan& plan, std::uint32_t part);

}  // namespace orrery::llm
