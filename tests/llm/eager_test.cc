#include <doctest/doctest.h>

#include "llm/closed_forms/eager_step.h"
#include "llm/closed_forms/peak_memory.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

EagerModel small(BlockStyle style) {
  return {.style = style,
          .layers = 2,
          .hidden = 1024,
          .ffn = 4096,
          .heads = 8,
          .kv_width = 1024,
          .vocabulary = 32000,
          .sequence = 512};
}

double bytes_of_list(const std::vector<Kernel>& kernels) {
  double sum = 0;
  for (const Kernel& kernel : kernels) sum += kernel.bytes;
  return sum;
}

}  // namespace

TEST_CASE("parameters of a block, counted by hand") {
  const BlockShape gpt{.style = BlockStyle::gpt, .hidden = 8, .ffn = 32, .heads = 2, .kv_width = 8};
  CHECK(matrix_parameters(gpt) == 8 * 24 + 8 * 8 + 8 * 32 + 32 * 8);
  CHECK(block_parameters(gpt) ==
        matrix_parameters(gpt) + (24 + 8 + 32 + 8) + 4 * 8);  // biases; weight and bias of two norms
  const BlockShape llama{.style = BlockStyle::llama, .hidden = 8, .ffn = 32, .heads = 4, .kv_width = 2};
  CHECK(matrix_parameters(llama) == 2 * 8 * 8 + 2 * 8 * 2 + 3 * 8 * 32);
  CHECK(block_parameters(llama) == matrix_parameters(llama) + 2 * 8);
}

TEST_CASE("the backward pass has both products of every linear; recomputation all but the last linear") {
  for (const BlockStyle style : {BlockStyle::gpt, BlockStyle::llama}) {
    const BlockShape block = small(style).block(4);
    const auto products = [](const std::vector<Kernel>& list) {
      double flop = 0;
      for (const Kernel& kernel : list) {
        if (kernel.kind == Kernel::Kind::product) flop += 2 * kernel.product.m * kernel.product.n * kernel.product.k;
      }
      return flop;
    };
    const double forward = products(forward_kernels(block));
    CHECK(forward == 2 * block.tokens() * matrix_parameters(block));
    CHECK(products(backward_kernels(block)) == 2 * forward);
    CHECK(products(recomputed_kernels(block)) == forward - 2 * block.tokens() * block.ffn * block.hidden);
    CHECK(bytes_of_list(recomputed_kernels(block)) == bytes_of_list(forward_kernels(block)));
  }
}

TEST_CASE("element-wise bytes are proportional to tokens, and fp32 residuals move more") {
  for (const BlockStyle style : {BlockStyle::gpt, BlockStyle::llama}) {
    const EagerModel model = small(style);
    CHECK(bytes_of_list(forward_kernels(model.block(8))) == 2 * bytes_of_list(forward_kernels(model.block(4))));
    CHECK(bytes_of_list(backward_kernels(model.block(8))) == 2 * bytes_of_list(backward_kernels(model.block(4))));
    CHECK(bytes_of_list(forward_kernels(model.block(4, true))) > bytes_of_list(forward_kernels(model.block(4))));
  }
}

TEST_CASE("a step grows with layers, batch, recomputation and precision") {
  const machine::Device& device = shipped_device("h200");
  const EagerConstants& c = shipped().eager;
  for (const BlockStyle style : {BlockStyle::gpt, BlockStyle::llama}) {
    EagerModel model = small(style);
    const EagerTraining training{.global_batch = 32, .micro_batch = 16};
    const double step = training_seconds(device, c, model, training);
    CHECK(training_seconds(device, c, model, {.global_batch = 64, .micro_batch = 16}) > 1.8 * step);
    CHECK(training_seconds(device, c, model, {.global_batch = 32, .micro_batch = 16, .full_recomputation = true}) >
          step);
    CHECK(training_seconds(device, c, model, {.global_batch = 32, .micro_batch = 16, .mixed_precision = true}) > step);
    model.layers = 4;
    CHECK(training_seconds(device, c, model, training) > step);
    CHECK(prefill_seconds(device, c, model, 8) > prefill_seconds(device, c, model, 4));
    CHECK(decode_seconds(device, c, model, 64) > decode_seconds(device, c, model, 1));
    CHECK(decode_seconds(device, c, model, 1) < prefill_seconds(device, c, model, 1));
  }
}

TEST_CASE("a step of next to nothing takes as long as its launches") {
  EagerModel model{.style = BlockStyle::gpt,
                   .layers = 10,
                   .hidden = 64,
                   .ffn = 256,
                   .heads = 1,
                   .kv_width = 64,
                   .vocabulary = 128,
                   .sequence = 16};
  const EagerConstants& c = shipped().eager;
  const double launches = (14 * 10 + 7) * 24.5e-6;
  CHECK(prefill_seconds(shipped_device("h200"), c, model, 1) == doctest::Approx(launches).epsilon(0.01));
}

TEST_CASE("memory: what must be there is there") {
  const EagerConstants& c = shipped().eager;
  for (const BlockStyle style : {BlockStyle::gpt, BlockStyle::llama}) {
    const EagerModel model = small(style);
    const EagerTraining training{.global_batch = 8, .micro_batch = 4};
    const double peak = training_peak_bytes(c, model, training);
    CHECK(peak > 8 * model.parameters());  // bf16 weights, gradients and both states
    EagerTraining mixed = training;
    mixed.mixed_precision = true;
    CHECK(training_peak_bytes(c, model, mixed) > 16 * model.parameters());
    EagerTraining recomputing = training;
    recomputing.full_recomputation = true;
    CHECK(training_peak_bytes(c, model, recomputing) < peak);
    const double cache = model.layers * 2.0 * 2 * 512 * 1024;
    CHECK(inference_peak_bytes(c, model, 1, true) > 2 * model.parameters() + cache);
    CHECK(inference_peak_bytes(c, model, 64, true) > inference_peak_bytes(c, model, 1, true) + 63 * cache);
    CHECK(inference_peak_bytes(c, model, 8, false) > inference_peak_bytes(c, model, 8, true));
  }
}
