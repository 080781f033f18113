// Steps of a whole model on one device in eager PyTorch: training, prefill, decode.
#pragma once

#include "base/result.h"
#include "llm/closed_forms/eager_block.h"
#include "llm/frameworks.h"

namespace orrery::llm {

struct EagerModel {
  BlockStyle style = BlockStyle::gpt;
  double layers = 0, hidden = 0, ffn = 0, heads = 0, kv_width = 0, vocabulary = 0;
  double sequence = 0;  ///< also the positions of a "gpt" that are learnt

  [[nodiscard]] BlockShape block(double batch, bool mixed_precision = false) const;
  /// Blocks, embedding, head, positions.
  [[nodiscard]] double parameters() const;
};

struct EagerTraining {
  double global_batch = 0, micro_batch = 0;
  bool mixed_precision = false;  ///< fp32 weights, gradients and states; else all of them bf16
  bool full_recomputation = false;
};

const EagerStyle& style_of(const EagerConstants& constants, BlockStyle style);

/// Seconds; of a training step, of the prefill of `batch` requests of `sequence` tokens, of one token of each at the
/// end of `sequence`.
double training_seconds(const machine::Device& device, const EagerConstants& constants, const EagerModel& model,
                        const EagerTraining& training);
double prefill_seconds(const machine::Device& device, const EagerConstants& constants, const EagerModel& model,
                       double batch);
double decode_seconds(const machine::Device& device, const EagerConstants& constants, const EagerModel& model,
                      double batch);

}  // namespace orrery::llm
