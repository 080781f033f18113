#include "machine/device/kernel_standalone.h"

#include <doctest/doctest.h>

#include "machine/device_support.h"

using namespace orrery::machine;

TEST_CASE("a streaming kernel is its floor and its bytes") {
  CHECK(streaming_seconds({.floor_us = 4, .bandwidth_gb_per_s = 1000}, 1e9) ==
        doctest::Approx(1.004e-3).epsilon(1e-12));
}

TEST_CASE("softmax takes the algorithm for its width, the last also beyond its end") {
  const SoftmaxKernel kernel{
      .floor_us = 0,
      .algorithms = {{.max_columns = 1024, .bandwidth_gb_per_s = 2000},
                     {.max_columns = 8192, .bandwidth_gb_per_s = 1000, .at_columns = 4096, .exponent = -1},
                     {.max_columns = 16384, .bandwidth_gb_per_s = 500}}};
  CHECK(softmax_seconds(kernel, 1000, 1024) == doctest::Approx(4 * 1000 * 1024 / 2e12));
  CHECK(softmax_seconds(kernel, 1000, 4096) == doctest::Approx(4 * 1000 * 4096 / 1e12));
  CHECK(softmax_seconds(kernel, 1000, 8192) == doctest::Approx(4 * 1000 * 8192 / 0.5e12));
  CHECK(softmax_seconds(kernel, 1000, 32768) == doctest::Approx(4 * 1000 * 32768 / 0.5e12));
}

TEST_CASE("a norm is flat in its rows until all units are taken, and linear behind") {
  const RowKernel kernel{.floor_us = 0, .block_us = 1, .column_ns = 1, .blocks_per_unit = 8, .sharpness = 8};
  const double one = norm_seconds(kernel, 100, 1, 1000);
  CHECK(one == doctest::Approx(2e-6));
  CHECK(norm_seconds(kernel, 100, 400, 1000) == doctest::Approx(one).epsilon(0.01));
  CHECK(norm_seconds(kernel, 100, 8000, 1000) == doctest::Approx(10 * one).epsilon(0.01));
}

TEST_CASE("attention: half of a square and the diagonal, narrow heads slower, backward two and a half times the work") {
  const Device device = round_device();
  const AttentionShape shape{.batch = 1, .heads = 10, .head_size = 128, .sequence = 1024};
  CHECK(attention_flop(shape) == 4.0 * 10 * 128 * 1024 * (1024 + 128) / 2);
  // A share of 0.5 / (1 + 128 / 1024) of 100 TFLOP/s.
  CHECK(attention_forward_seconds(device, shape) == doctest::Approx(attention_flop(shape) / (100e12 * 0.5 / 1.125)));
  CHECK(attention_backward_seconds(device, shape) == doctest::Approx(2.5 * attention_forward_seconds(device, shape)));
  const AttentionShape narrow{.batch = 1, .heads = 20, .head_size = 64, .sequence = 1024};
  CHECK(attention_forward_seconds(device, narrow) == doctest::Approx(2 * attention_forward_seconds(device, shape)));
}

TEST_CASE("attention with a window: never more than without, and linear in what is far behind it") {
  AttentionShape shape{.batch = 1, .heads = 16, .head_size = 128, .sequence = 8192};
  const double all = attention_flop(shape);
  shape.window = 8192;
  CHECK(attention_flop(shape) == all);
  for (const double window : {64.0, 512.0, 4096.0, 8191.0}) {
    shape.window = window;
    CHECK(attention_flop(shape) <= all);
  }
  // Of 1,024 keys: the first 1,024 queries have what they would have alone, the others 1.2 (1,024 + 384).
  shape.window = 1024;
  const double pairs = 1024 * (1024 + 128) / 2.0 + (8192 - 1024) * 1.2 * (1024 + 384);
  CHECK(attention_flop(shape) == doctest::Approx(4.0 * 16 * 128 * pairs));
  CHECK(attention_backward_flop(shape) == doctest::Approx(2.5 * attention_flop(shape)));
  // Without a mask every query is behind its window.
  shape.causal = false;
  CHECK(attention_flop(shape) == doctest::Approx(4.0 * 16 * 128 * 8192 * 1.2 * (1024 + 384)));
}

TEST_CASE("attention timed alone: with backward, the host's launches are a floor") {
  const Device device = round_device();
  AttentionKernel kernel{.floor_us = 5,
                         .forward_share = 0.5,
                         .forward_half_sequence = 0,
                         .backward_share = 0.5,
                         .backward_half_sequence = 0,
                         .gradient_passes = 0,
                         .host_us = 470};
  const AttentionShape tiny{.batch = 1, .heads = 1, .head_size = 128, .sequence = 128};
  CHECK(attention_alone_seconds(device, kernel, tiny, AttentionPass::both) == doctest::Approx(470e-6).epsilon(1e-3));
  const AttentionShape large{.batch = 8, .heads = 32, .head_size = 128, .sequence = 8192};
  const double flop = attention_flop(large);
  CHECK(attention_alone_seconds(device, kernel, large, AttentionPass::forward) == doctest::Approx(5e-6 + flop / 50e12));
  CHECK(attention_alone_seconds(device, kernel, large, AttentionPass::both) ==
        doctest::Approx(5e-6 + 3.5 * flop / 50e12).epsilon(1e-3));
}

TEST_CASE(
    "attention: all keys without a mask, grouped heads the same work on fewer bytes, narrow values less of two "
    "products") {
  const AttentionShape causal{.batch = 2, .heads = 16, .head_size = 128, .sequence = 4096};
  AttentionShape shape = causal;
  shape.causal = false;
  CHECK(attention_flop(shape) == 4.0 * 2 * 16 * 128 * 4096 * 4096);
  shape = causal;
  shape.kv_heads = 4;
  CHECK(attention_flop(shape) == attention_flop(causal));
  CHECK(attention_operands(causal) == 3.0 * 2 * 16 * 4096 * 128);
  CHECK(attention_operands(shape) == 2.0 * 4096 * 128 * (16 + 4 + 4));
  // Latent attention: queries and keys of 192, values of 128. Backward has three products of the one and two of the
  // other.
  shape = causal;
  shape.head_size = 192;
  shape.value_size = 128;
  CHECK(attention_flop(shape) == doctest::Approx(attention_flop(causal) * 320 / 256));
  CHECK(attention_backward_flop(shape) == doctest::Approx(attention_flop(shape) * (3 * 192 + 2 * 128) / 320));
  CHECK(attention_backward_flop(causal) == kBackwardAttention * attention_flop(causal));
}

TEST_CASE("an element-wise kernel is bound by its bytes, or by its arithmetic where that rate is known") {
  Device device = round_device();
  const StreamingKernel kernel{.floor_us = 5, .bandwidth_gb_per_s = 1000};
  CHECK(elementwise_alone_seconds(device, kernel, 1e9, 1e12) == doctest::Approx(1.005e-3));
  device.vector_peak_tflops[DataType::fp32] = 10;
  CHECK(elementwise_alone_seconds(device, kernel, 1e9, 1e9) == doctest::Approx(1.005e-3));
  CHECK(elementwise_alone_seconds(device, kernel, 1e9, 1e12) == doctest::Approx(0.100005));
}
