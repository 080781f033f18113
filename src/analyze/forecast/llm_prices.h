// What communication along the axes of a plan costs alone, on a machine: for folded steps. Asked once per kind of group
// and size.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "llm/steps/folded_step.h"
#include "machine/machine.h"
#include "simulate/network_model.h"

namespace orrery::analyze {

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

}  // namespace orrery::analyze
