// How long the kernels of serving engines take as tables of them are measured: the same buffers over and over, so that
// what fits the cache comes from there, timed on the device and with what the library's call contains (quantising, in
// formats below 16 bits). A step does not run like this: the weights of a layer are cold.
//
// Few constants per device and format; what they leave over stands in tables (residual_table.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "machine/device/device.h"

namespace orrery::machine {

enum class WarmKind : std::uint8_t { gemm, sdpa_fwd, sdpa_decode, moe, mla_fwd, mla_decode };
inline constexpr std::array<std::string_view, 6> kWarmKindNames = {"gemm", "sdpa_fwd", "sdpa_decode",
                                                                   "moe",  "mla_fwd",  "mla_decode"};

/// Of operands. Blocks of fp8 and fp4 have scales of their own.
enum class WarmFormat : std::uint8_t { bf16, fp8, fp8_block, nvfp4 };
inline constexpr std::array<std::string_view, 4> kWarmFormatNames = {"bf16", "fp8", "fp8_block", "nvfp4"};

/// Which of the device's rates the format computes at.
DataType rate_of(WarmFormat format);
/// Of one operand in memory, with its share of the scales.
double operand_bytes(WarmFormat format);

/// What is run; of sizes, those that the kind has.
struct WarmKernel {
  WarmKind kind = WarmKind::gemm;
  WarmFormat format = WarmFormat::bf16;
  double cache_element_bytes = 2;  ///< of keys and values
  double m = 0, n = 0, k = 0;      ///< m: of experts, the tokens
  double batch = 0, heads = 0, kv_heads = 0;
  double seq = 0;              ///< the prompt, or the context with the new token
  double dim = 0, window = 0;  ///< window 0: all keys
  double hidden = 0, inter = 0, experts = 0, top_k = 0, tp = 1;
  bool balanced = true;  ///< tokens go to all experts alike; else by a power law
};

// The constants. Every rate that does not come from memory is one per unit, so that devices of one generation share it.

/// Products: kernel_gemm.h has the formula.
struct WarmGemm {
  double tile_efficiency = 1.25, tile_edge = 30, wave_share = 0.1, pipeline_fill = 200;
  double throttle_per_e_fold = 0.05, memory_share = 0.9, floor_us = 2.5, split_us = 1.5;
  double unit_gb_per_s = 120;        ///< that tiles of one unit are fed with
  double cache_share = 0.7;          ///< of the cache, that buffers may take to stay in it
  double cached_unit_gb_per_s = 45;  ///< of what does
  double quantise_passes = 3;        ///< bytes per element of A, below 16 bits
  double quantise_us = 0.5;          ///< and what it takes to begin with
};

/// Attention over a prompt: t0 + ((flop waves / (peak e))^p + t_mem^p)^(1/p).
struct WarmForward {
  double floor_us = 11;
  double efficiency = 0.7;     ///< of the peak, for heads of 128
  double narrow_factor = 0.6;  ///< of heads of at most 64
  double wide_factor = 1.2;    ///< of heads of 256 and more
  double half_sequence = 150;  ///< at which half of it is reached
  double wave_share = 0.6;
  double memory_share = 0.8, cache_share = 0.7, cached_unit_gb_per_s = 45;
  double corner = 2;
};

/// One token per request: t0 + ((bytes)^p + (one stream)^p + (arithmetic)^p + (requests)^p)^(1/p).
struct WarmDecode {
  double floor_us = 10;
  double memory_share = 0.85, cache_share = 0.7, cached_unit_gb_per_s = 45;
  double stream_gb_per_s = 20;  ///< one block that reads the context of one request, or a part of it
  double streams_per_unit = 1;
  double own_heads_split = 0.7;  ///< where every head has keys of its own: of the logarithm of the parts of a context
  double efficiency = 0.4;
  double request_ns = 15;  ///< per request and key head
  double corner = 1.5;
};

/// Experts, fused: gate and up, activation, down.
struct WarmExperts {
  double floor_us = 15;
  double efficiency = 0.6;
  double pad_rows = 32;  ///< of the tile that an expert's tokens are padded to
  double memory_share = 0.8, cache_share = 0.7, cached_unit_gb_per_s = 45;
  double token_passes = 8;  ///< over the activations of every token and choice
  double expert_ns = 20;    ///< per expert that has work
  double wave_share = 0.3;
  double corner = 3;
};

using WarmConstants = std::variant<WarmGemm, WarmForward, WarmDecode, WarmExperts>;

/// Where a fit begins.
WarmConstants usual_constants(WarmKind kind);

/// What takes most of the time.
enum class Bound : std::uint8_t {
  compute,
  memory,
  latency,  ///< the device is not full: one tile, stream or request after another
  launch    ///< the shortest kernel there is
};
inline constexpr std::array<std::string_view, 4> kBoundNames = {"compute", "memory", "latency", "launch"};

struct WarmTime {
  double seconds = 0;
  Bound bound = Bound::compute;
};

/// Every size of the kind must be there, and the device must have a rate for the format. `constants` are of the kind.
WarmTime warm_time(const Device& device, const WarmConstants& constants, const WarmKernel& kernel);

/// Of experts, those that get at least one of the tokens.
double busy_experts(const WarmKernel& kernel);

}  // namespace orrery::machine
