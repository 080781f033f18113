// A planned training step, run on a machine: how long it takes, and where the time and the memory go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/schedule/stage_times.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/backtest/backtest.h"
#include "llm/catalog.h"
#include "llm/steps/folded_step.h"
#include "llm/steps/step_memory.h"
#include "llm/steps/step_plan.h"
#include "machine/machine.h"
#include "simulate/causes.h"
#include "simulate/network_model.h"
#include "simulate/pricing/pricing.h"
#include "simulate/run.h"
#include "workload/workload.h"

namespace orrery::analyze {

// Published steps by running their schedules: the model that llm::predict may be given instead of closed forms.

/// Where a row leaves something open, the plan with the shortest folded step stands for it. On a network that the job
/// timed, and of steps too large to run by the hundred, the folded step is the answer. `catalog` and `network` must
/// outlive it.
llm::StepModel schedule_model(const llm::Catalog& catalog, const simulate::PricingOptions& network);

// What communication along the axes of a plan costs alone, on a machine: for folded steps. Asked once per kind of group
// and size.

/// Not thread-safe: one per thread.
class LlmPrices {
 public:
  /// An Error if the machine's network cannot be laid out.
  static Result<LlmPrices> on(const machine::Machine& machine);

  /// Of the group of rank 0; of a message, to its neighbour in the pipeline. `plan` must outlive the function.
  llm::CommPrice for_plan(const llm::StepPlan& plan);

 private:
  explicit LlmPrices(std::unique_ptr<simulate::NetworkModel> model) : model_(std::move(model)) {}
  Result<TimePs> price(const llm::StepPlan& plan, const llm::CommQuestion& question);

  std::unique_ptr<simulate::NetworkModel> model_;
  std::map<std::vector<std::int64_t>, TimePs> known_;  // by what is asked, and how the ranks are laid out
};

/// Where eight of ten measurements of a kind lie around what was predicted.
struct PublishedInterval {
  TimePs low_ps = 0, high_ps = 0;
  std::string basis = {};  ///< the kind, and how many of it were published
};
/// None: too few of that kind were.
std::optional<PublishedInterval> published_interval(const llm::Catalog& catalog, std::string_view kind, TimePs time);
/// The same of a training step.
std::optional<PublishedInterval> published_interval(const llm::Catalog& catalog, const llm::StepPlan& plan,
                                                    TimePs step);

struct LlmForecast {
  workload::Workload workload;  ///< a program per stage
  simulate::Outcome run;
  TimePs step_ps = 0;
  std::optional<PublishedInterval> interval = {};
  double tokens_per_s = 0;
  double flop = 0;     ///< of the model in a step: llm::model_flop
  double mfu_pct = 0;  ///< of the devices' peak rate in the format of the products
  double devices = 0;
  std::vector<StageTimes> stages;
  std::vector<llm::StageMemory> memory;          ///< by stage
  std::vector<std::vector<TimePs>> pass_end_ps;  ///< by stage and pass
  double memory_bytes = 0;                       ///< of a device
  std::uint32_t fullest_stage = 0;
  std::vector<simulate::PathPiece> path;

  [[nodiscard]] bool fits() const { return memory[fullest_stage].peak.sum() <= memory_bytes; }
};

/// What a schedule has beside the answers.
struct KeptOfRun {
  /// Of which ranks it has the activities: one per stage does for all answers, a timeline shows every rank.
  simulate::Detail detail = simulate::Detail::executed_ranks;
  bool link_series = false;  ///< when links carried their bytes
};

struct LlmForecastInput {
  const llm::Catalog& catalog;
  const llm::StepPlan& plan;
  const machine::Device& device;
  const machine::Machine& machine;
  const simulate::Pricing network;
  const llm::MemoryOptions memory;
  KeptOfRun kept = {};
};

/// The Error is that of the simulation.
Result<LlmForecast> forecast_step(const LlmForecastInput& input, Diagnostics& diagnostics);

/// A job whose computing takes as long as it says, one kernel at a time on each device. Every forecast of this folder
/// is run so; while one of its exchanges runs, computing takes `slowdown` times as long.
Result<simulate::Outcome> run_planned(const workload::Workload& workload, const machine::Machine& machine,
                                      const simulate::Pricing& network, const KeptOfRun& kept, Diagnostics& diagnostics,
                                      double slowdown = 1);
Result<simulate::Outcome> run_planned(workload::WorkloadSource& source, const machine::Machine& machine,
                                      const simulate::Pricing& network, const KeptOfRun& kept, Diagnostics& diagnostics,
                                      double slowdown = 1);

}  // namespace orrery::analyze
