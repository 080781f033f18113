// Many plans for one model and machine, ranked: which way to cut it up is fastest, and which fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/forecast/llm_forecast.h"
#include "base/result.h"
#include "base/team/sweep.h"
#include "llm/steps/folded_step.h"
#include "llm/steps/sweep_space.h"
#include "report/sheet.h"

namespace orrery::analyze {

struct SweepEntry {
  llm::StepPlan plan;
  TimePs step_ps = 0;  ///< folded: every communication alone
  double tokens_per_s = 0;
  double mfu_pct = 0;
  double peak_bytes = 0;
  bool fits = false;
  bool on_front = false;                  ///< nothing else is both faster and smaller
  std::optional<TimePs> in_loop_ps = {};  ///< as the network mode of the configuration has it, where that was asked for
  std::optional<PublishedInterval> interval = {};  ///< of in_loop_ps, else of step_ps
};

struct LlmSweep {
  std::vector<SweepEntry> entries;  ///< those that fit first, then by time, then as they were tried
  std::map<std::string, std::uint64_t> impossible;
  std::uint64_t unpriced = 0;  ///< plans that the machine has no price for
  std::string first_unpriced;
};

/// The plans as points that any thread or process can solve. `input` must outlive it.
class LlmPlanSweep : public Sweep {
 public:
  LlmPlanSweep(const LlmForecastInput& input, const llm::SweepSpace& space)
      : input_(input), all_(llm::sweep_plans(input.plan, space)) {}

  [[nodiscard]] const LlmForecastInput& input() const { return input_; }
  [[nodiscard]] const llm::SweepPlans& plans() const { return all_; }
  [[nodiscard]] std::size_t size() const override { return all_.plans.size(); }
  [[nodiscard]] std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const override;
  [[nodiscard]] std::size_t smallest_batch() const override { return 16; }  ///< neighbours ask for the same prices

 private:
  const LlmForecastInput& input_;
  llm::SweepPlans all_;
};

/// The plans ranked by what solving them answered, point by point. The first `confirmed` that fit are run in full, too.
Result<LlmSweep> rank_plans(const LlmPlanSweep& plans, std::span<const std::string> answers, std::size_t confirmed,
                            Diagnostics& diagnostics);

/// "sweep": rank, tensor, context, pipeline, chunks, expert, data, micro_batch, zero, recompute, order, step_us,
/// in_loop_us, low_us, high_us, basis, tokens_per_s, mfu_pct, peak_bytes, fits, front.
report::Sheet llm_sweep_sheet(const LlmSweep& sweep);
/// "impossible": field, plans.
report::Sheet llm_impossible_sheet(const LlmSweep& sweep);
/// Time against memory, in text: plans that fit, those on the front marked, and where the memory ends.
std::string pareto_plot(const LlmSweep& sweep, double memory_bytes, std::size_t columns);

}  // namespace orrery::analyze
