// What one step of a serving engine takes, by what is in it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace orrery::llm {

/// A piece of a prompt that a step reads.
struct PromptPiece {
  std::uint32_t tokens = 0;
  std::uint32_t before = 0;  ///< tokens of the request that are in the cache already

  bool operator==(const PromptPiece&) const = default;
};

/// One step as its kernels see it.
struct Batch {
  std::uint32_t tokens = 0;           ///< of pieces and decodes
  std::uint32_t sampled = 0;          ///< requests that get a token, and at least 1
  std::uint32_t decodes = 0;          ///< requests of which one token is read behind the whole prompt
  std::uint64_t context_sum = 0;      ///< of decodes: keys that their token looks at, itself among them
  std::uint32_t longest_context = 0;  ///< the largest of these
  std::vector<PromptPiece> pieces = {};

  void clear() {
    tokens = sampled = decodes = longest_context = 0;
    context_sum = 0;
    pieces.clear();
  }
  [[nodiscard]] std::uint32_t prompt_tokens() const { return tokens - decodes; }
};

struct StepPrice {
  TimePs step_ps = 0;
  TimePs fixed_ps = 0;  ///< of it what does not depend on the tokens
};

/// A step on its way through the stages of a pipeline.
struct StagedStep {
  std::vector<TimePs> stages_ps = {};
  TimePs send_ps = 0;   ///< from one to the next
  TimePs fixed_ps = 0;  ///< of all what does not depend on the tokens
};

/// Thread-safe: settings of a sweep share it.
class StepCost {
 public:
  StepCost() = default;
  StepCost(const StepCost&) = delete;
  StepCost& operator=(const StepCost&) = delete;
  virtual ~StepCost() = default;

  /// Of one replica; without the experts, where all replicas share them.
  [[nodiscard]] virtual StepPrice price(const Batch& batch) const = 0;
  /// The same by stages; costs that know of none have one.
  virtual void price_stages(const Batch& batch, StagedStep& step) const {
    const StepPrice whole = price(batch);
    step = {{whole.step_ps}, 0, whole.fixed_ps};
  }
  /// Of experts that all replicas share, in a step of so many tokens together and at most `most` in one replica.
  [[nodiscard]] virtual TimePs shared_experts_ps(std::uint64_t /*tokens*/, std::uint32_t /*most*/) const { return 0; }
};

/// What steps cost, and the ends of its 80 % interval.
struct CostRange {
  const StepCost& middle;
  const StepCost *low = nullptr, *high = nullptr;  ///< null: the costs have none

  [[nodiscard]] bool has_ends() const { return low != nullptr && high != nullptr; }
};

/// A sum of products: for checks, and for users who fitted their own engine.
struct LinearStep {
  double step_us = 0;
  double token_us = 0;     ///< by token
  double context_us = 0;   ///< by key that a decode looks at
  double square_us = 0;    ///< by token of a piece and key that it looks at: piece x (before + piece / 2)
  double sequence_us = 0;  ///< by request that gets a token
};

class LinearCost : public StepCost {
 public:
  explicit LinearCost(const LinearStep& step) : step_(step) {}
  [[nodiscard]] StepPrice price(const Batch& batch) const override;

 private:
  const LinearStep step_;
};

}  // namespace orrery::llm
