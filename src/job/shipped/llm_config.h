// What to predict, as a file says it: orrery.llm/1. docs/formats/llm.md tells the fields.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "llm/catalog.h"
#include "llm/engine/serving_plan.h"
#include "llm/serving/inference_plan.h"
#include "llm/steps/matrix_plan.h"
#include "llm/steps/step_memory.h"
#include "llm/steps/step_plan.h"
#include "llm/steps/sweep_space.h"
#include "machine/device/device.h"
#include "machine/machine.h"
#include "simulate/pricing/pricing.h"

namespace orrery::job {

/// A training step, inference, a distributed product on a machine, or requests to a serving engine.
struct LlmConfig {
  std::string name;
  llm::StepPlan plan;                                ///< of a training step
  std::optional<llm::InferencePlan> inference = {};  ///< if there is one: that
  std::optional<llm::MatrixPlan> product = {};       ///< likewise
  std::optional<llm::ServingPlan> serving = {};      ///< likewise; device and machine only where its costs need them
  machine::Device device;
  machine::Machine machine;  ///< cut down to what the job needs, where the outermost dimension can be
  simulate::PricingOptions network;
  llm::MemoryOptions memory;
  llm::SweepSpace sweep;  ///< what a sweep tries instead
  llm::ServingSpace serving_space = {};
  std::optional<llm::InferencePlan> served = {};  ///< of serving by a model's kernels: one replica
};

/// An Error names the file, the line and the field, and the rule that it breaks: a model or machine that is not known,
/// sizes that do not divide one another, more devices than the machine has.
Result<LlmConfig> read_llm_config(const std::string& path, const llm::Catalog& catalog);
Result<LlmConfig> parse_llm_config(std::string_view yaml, const std::string& file, const llm::Catalog& catalog);

/// Whether a file says that it is one, or can be nothing else by its name; the Error of one that cannot be opened is
/// for who reads it.
bool is_llm_config(const std::string& path);

/// The machine with the outermost dimension as small as `devices` allow: a cluster is described once and used in parts.
/// A dimension whose shape says how large it is stays as it is.
machine::Machine cut_to(machine::Machine machine, std::int64_t devices);

}  // namespace orrery::job
