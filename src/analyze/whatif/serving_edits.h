// What-if on a run of a serving engine: edits of its requests, of its settings and of what its steps take, in the style
// of edit_language.h.
//
//     edit     = quantity action | feature (on | off) | replica N fails at duration
//     quantity = prompts | tokens | rate | concurrency                  of requests
//              | blocks | seats | budget | replicas | prefill | decode  of the engine
//              | steps                                                  what each takes
//     feature  = prefix cache | chunked prefill | reserve prompt
//     action   = * factor | = value | + value | - value                 of steps the value is a duration
//
//     prompts * 0.5     blocks * 2     steps + 500us     prefix cache off     replica 1 fails at 10 s
//
// See docs/WHATIF.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "base/result.h"
#include "llm/engine/serving_run.h"

namespace orrery::analyze {

/// In the order of the words in serving_edits.cc.
enum class ServingQuantity : std::uint8_t {
  prompts,
  tokens,
  rate,
  concurrency,
  blocks,
  seats,
  budget,
  replicas,
  prefill,
  decode,
  steps,
  prefix_cache,
  chunked_prefill,
  reserve_prompt,
  failure,
};

struct ServingEdit {
  std::string text;  ///< as written
  ServingQuantity what = ServingQuantity::prompts;
  EditRule::Action action = EditRule::Action::set;
  double amount = 0;          ///< a factor, a number, picoseconds; of features 1 for on
  std::uint32_t replica = 0;  ///< that fails
  TimePs at_ps = 0;           ///< since the first arrival

  [[nodiscard]] double changed(double value) const;
};

std::variant<ServingEdit, EditError> parse_serving_edit(const std::string& text);

/// A run that edits make something else of.
struct EditedServing {
  llm::EnginePlan engine;
  llm::Requests requests;
  std::vector<ServingEdit> steps = {};  ///< edits of what steps take
};

/// On top of those before it. An Error: it has nothing to change there, or leaves what an engine can be; a misuse.
/// Lengths of requests stay at least 1; of prompts that get longer or shorter it is the end.
Status apply(const ServingEdit& edit, EditedServing& serving);

/// Steps as edits have them. What is given must outlive it.
class EditedCost : public llm::StepCost {
 public:
  EditedCost(const llm::StepCost& cost, const std::vector<ServingEdit>& edits) : cost_(cost), edits_(edits) {}
  [[nodiscard]] llm::StepPrice price(const llm::Batch& batch) const override;
  /// Each stage as much longer or shorter as the step.
  void price_stages(const llm::Batch& batch, llm::StagedStep& step) const override;
  [[nodiscard]] TimePs shared_experts_ps(std::uint64_t tokens, std::uint32_t most) const override;

 private:
  const llm::StepCost& cost_;
  const std::vector<ServingEdit>& edits_;
};

}  // namespace orrery::analyze
