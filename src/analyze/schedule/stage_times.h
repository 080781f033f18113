// What the time of the stages of a simulated job goes to: computing, communication that nothing hides, waiting.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/units.h"
#include "llm/steps/step_plan.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// What the time of one rank of a stage goes to; everything adds up to the step.
struct StageTimes {
  TimePs compute_ps = 0;
  /// By axis: communication while nothing is computed. Of the pipeline only while data moves. Where several are under
  /// way, the first counts.
  std::array<TimePs, llm::kParallelAxes> exposed_ps = {};
  TimePs host_ps = 0;    ///< neither of them: the host launches
  TimePs bubble_ps = 0;  ///< none of these: the stage waits for others

  [[nodiscard]] TimePs exposed_sum() const;
};

/// Of the step, in the mean over all stages: what the table of steps says, and whoever else says it.
struct StageShares {
  double exposed_pct = 0;  ///< communication while nothing is computed, and data moves
  double bubble_pct = 0;   ///< waiting for other stages
};
StageShares mean_shares(std::span<const StageTimes> stages, TimePs step_ps);

/// Looks at one executed rank of each program: the stages of a pipeline. Both must outlive it. Collectives are on the
/// lanes of llm/steps/layer_writer.h.
class StageReader {
 public:
  StageReader(const workload::Workload& workload, const simulate::Schedule& schedule);

  [[nodiscard]] TimePs start(std::uint32_t stage, std::size_t activity) const {
    return schedule_.start_ps[first_[stage] + activity];
  }
  [[nodiscard]] TimePs end(std::uint32_t stage, std::size_t activity) const {
    return schedule_.end_ps[first_[stage] + activity];
  }
  /// Between two moments.
  [[nodiscard]] StageTimes times(std::uint32_t stage, TimePs from, TimePs to) const;

 private:
  void note_sends(std::uint32_t stage);

  const workload::Workload& workload_;
  const simulate::Schedule& schedule_;
  std::vector<std::uint64_t> first_;                   // per stage: of its executed rank's activities
  std::map<std::int64_t, std::vector<TimePs>> sends_;  // by tag, in order
  TimePs stages_meet_ = 0;                             // when the last stage comes to the norm of all gradients
};

}  // namespace orrery::analyze
