#include "machine/warm/warm_kernel.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "machine/device/kernel_gemm.h"

// One formula per family. Attention over latent keys and values (MLA) is attention with other widths.

namespace orrery::machine {
namespace {

constexpr double kActivationBytes = 2;  // what goes in and out, whatever products compute in
constexpr double kDiagonal = 128;       // rows of a block of queries: half of it on the diagonal is for nothing

/// (sum of x^p)^(1/p): the longest of what overlaps, and more where they are alike.
double overlap(std::initializer_list<double> parts, double corner) {
  const double longest = std::max(parts);
  if (longest <= 0) return 0;
  double sum = 0;
  for (const double part : parts) {
    if (part > 0) sum += std::pow(part / longest, corner);
  }
  return longest * std::pow(sum, 1 / corner);
}

struct Part {
  double seconds;
  Bound bound;
};

Bound longest_of(std::initializer_list<Part> parts) {
  const auto by_time = [](const Part& a, const Part& b) { return a.seconds < b.seconds; };
  return std::max(parts, by_time).bound;
}

template <typename Constants>
double memory_seconds(const Device& device, const Constants& c, double bytes) {
  const double units = static_cast<double>(device.compute_unit_count);
  const WarmCache cache{c.cache_share, c.cached_unit_gb_per_s * 1e9 * units};
  return cache.seconds(bytes, device.cache_bytes(), device.memory_bytes_per_s() * c.memory_share);
}

/// Of `work` blocks on `units`, in full waves; of a wave that is not full, a share is paid all the same.
double waves(double work, double units, double wave_share) {
  const double wave = work / units;
  return wave <= 1 ? 1 : wave + wave_share * (std::ceil(wave) - wave);
}

WarmTime time_of(const Device& device, const WarmGemm& c, const WarmKernel& kernel) {
  constexpr double kThrottleFromGflop = 50;
  const double units = static_cast<double>(device.compute_unit_count);
  const GemmConstants constants{.wave_share = c.wave_share,
                                .tile_efficiency = c.tile_efficiency,
                                .tile_edge = c.tile_edge,
                                .pipeline_fill = c.pipeline_fill,
                                .throttle_per_e_fold = c.throttle_per_e_fold,
                                .throttle_from_gflop = kThrottleFromGflop,
                                .memory_share = c.memory_share,
                                .split_us = c.split_us};
  const GemmRun run{.floor_s = c.floor_us * 1e-6,
                    .warm = WarmCache{c.cache_share, c.cached_unit_gb_per_s * 1e9 * units},
                    .cache_bytes_per_s = c.unit_gb_per_s * 1e9 * units};
  const GemmShape shape{
      .m = kernel.m, .n = kernel.n, .k = kernel.k, .type = rate_of(kernel.format), .output_bytes = kActivationBytes};
  const GemmChoice choice = choose_gemm(device, constants, shape, run);
  double quantise = 0;
  if (kernel.format != WarmFormat::bf16)
    quantise =
        c.quantise_us * 1e-6 + c.quantise_passes * kernel.m * kernel.k / (device.memory_bytes_per_s() * c.memory_share);
  const bool full = choice.blocks >= units;
  return {choice.seconds + quantise, longest_of({{run.floor_s + quantise, Bound::launch},
                                                 {choice.math_s, full ? Bound::compute : Bound::latency},
                                                 {choice.memory_s, Bound::memory},
                                                 {choice.cache_s, Bound::memory}})};
}

/// Pairs of queries and keys under a causal mask and a window.
double causal_pairs(double sequence, double window) {
  const double width = window > 0 ? std::min(window, sequence) : sequence;
  // Blocks of queries and keys are computed whole: half of one for nothing on the diagonal, and on the window's edge.
  const double edges = kDiagonal / 2 * std::min(sequence, kDiagonal) + (sequence - width) * kDiagonal;
  return width * (width + 1) / 2 + (sequence - width) * width + edges;
}

/// What both kinds of attention over a prompt do.
struct ForwardWork {
  double widths = 0;    ///< of a key and a value, together
  double factor = 1;    ///< on the efficiency
  double elements = 0;  ///< of q, k, v and the output
};

ForwardWork forward_work(const WarmKernel& x, const WarmForward& c) {
  constexpr double kLatentKey = 192, kLatentValue = 128;
  const double rows = x.batch * x.seq;
  if (x.kind == WarmKind::mla_fwd)
    return {.widths = kLatentKey + kLatentValue, .elements = 2 * rows * x.heads * (kLatentKey + kLatentValue)};
  const double factor = x.dim <= 64 ? c.narrow_factor : x.dim >= 256 ? c.wide_factor : 1;
  return {.widths = 2 * x.dim, .factor = factor, .elements = 2 * rows * (x.heads + x.kv_heads) * x.dim};
}

WarmTime time_of(const Device& device, const WarmForward& c, const WarmKernel& x) {
  const double units = static_cast<double>(device.compute_unit_count);
  const ForwardWork work = forward_work(x, c);
  const double pairs = causal_pairs(x.seq, x.window);
  const double flop = 2 * x.batch * x.heads * work.widths * pairs;
  const double blocks = x.batch * x.heads * std::ceil(x.seq / kDiagonal);
  // Blocks that do not fill a wave take as long as if they did.
  const double wait = waves(blocks, units, c.wave_share) / (blocks / units);
  const double efficiency = c.efficiency * work.factor / (1 + c.half_sequence / x.seq);
  const double math = flop * wait / (device.peak_flops(DataType::bf16) * efficiency);
  const double memory = memory_seconds(device, c, kActivationBytes * work.elements);
  const double floor = c.floor_us * 1e-6;
  return {
      floor + overlap({math, memory}, c.corner),
      longest_of(
          {{floor, Bound::launch}, {math, blocks < units ? Bound::latency : Bound::compute}, {memory, Bound::memory}})};
}

/// What both kinds of attention of one token per request do.
struct DecodeWork {
  double length = 0;        ///< of the context that is read
  double readers = 0;       ///< requests, times the heads of keys that each has
  double reader_bytes = 0;  ///< that one of them reads
  double flop = 0;
  double other_bytes = 0;
};

DecodeWork decode_work(const WarmKernel& x) {
  constexpr double kLatent = 576, kLatentProducts = 1088, kFewestRows = 16;
  if (x.kind == WarmKind::mla_decode)
    return {.length = x.seq,
            .readers = x.batch,
            .reader_bytes = x.seq * kLatent * x.cache_element_bytes,
            .flop = 2 * x.batch * std::max(x.heads, kFewestRows) * x.seq * kLatentProducts,
            .other_bytes = kActivationBytes * x.batch * x.heads * kLatentProducts};
  const double length = x.window > 0 ? std::min(x.window, x.seq) : x.seq;
  // Matrix units take 16 rows at least, of which a key head has fewer to fill.
  const double rows = std::max(x.heads, kFewestRows * x.kv_heads);
  return {.length = length,
          .readers = x.batch * x.kv_heads,
          .reader_bytes = 2 * length * x.dim * x.cache_element_bytes,
          .flop = 4 * x.batch * rows * length * x.dim,
          .other_bytes = 2 * kActivationBytes * x.batch * x.heads * x.dim};
}

WarmTime time_of(const Device& device, const WarmDecode& c, const WarmKernel& x) {
  constexpr double kShortestPart = 256;  // of a context that is split among streams
  const double units = static_cast<double>(device.compute_unit_count);
  const DecodeWork work = decode_work(x);
  const double memory = memory_seconds(device, c, work.readers * work.reader_bytes + work.other_bytes);
  double parts =
      std::min(std::max(work.length / kShortestPart, 1.0), std::max(c.streams_per_unit * units / work.readers, 1.0));
  // Some libraries split contexts only where heads share their keys.
  if (x.kind == WarmKind::sdpa_decode && x.heads == x.kv_heads)
    parts = std::pow(parts, std::min(c.own_heads_split, 1.0));
  const double stream = work.reader_bytes / parts / (c.stream_gb_per_s * 1e9);
  const double math = work.flop / (device.peak_flops(DataType::bf16) * c.efficiency);
  const double requests = c.request_ns * 1e-9 * work.readers;
  const double floor = c.floor_us * 1e-6;
  return {floor + overlap({memory, stream, math, requests}, c.corner), longest_of({{floor, Bound::launch},
                                                                                   {memory, Bound::memory},
                                                                                   {stream, Bound::latency},
                                                                                   {math, Bound::compute},
                                                                                   {requests, Bound::latency}})};
}

WarmTime time_of(const Device& device, const WarmExperts& c, const WarmKernel& x) {
  const double units = static_cast<double>(device.compute_unit_count);
  const double tokens = x.m * x.top_k, busy = busy_experts(x), inter = x.inter / x.tp;
  const double padded = tokens + busy * c.pad_rows / 2;
  const double bytes = operand_bytes(x.format);
  const double blocks = std::ceil(padded / c.pad_rows) * std::ceil(2 * inter / kDiagonal);
  const double wait = waves(blocks, units, c.wave_share) / (blocks / units);
  const double math = 6 * padded * x.hidden * inter * wait / (device.peak_flops(rate_of(x.format)) * c.efficiency);
  const double weights = busy * 3 * x.hidden * inter * bytes;
  const double passes = c.token_passes * tokens * (x.hidden + inter);
  const double memory = memory_seconds(device, c, weights + passes);
  const double floor = c.floor_us * 1e-6 + c.expert_ns * 1e-9 * busy;
  return {
      floor + overlap({math, memory}, c.corner),
      longest_of(
          {{floor, Bound::launch}, {math, blocks < units ? Bound::latency : Bound::compute}, {memory, Bound::memory}})};
}

}  // namespace

double busy_experts(const WarmKernel& x) {
  const double tokens = x.m * x.top_k;
  if (x.balanced) return std::min(x.experts, tokens);
  constexpr double kSkew = 0.9;  // fewer than an even draw would reach
  return std::max(std::min(x.top_k, x.experts), kSkew * x.experts * (1 - std::exp(-tokens / x.experts)));
}

DataType rate_of(WarmFormat format) {
  switch (format) {
    case WarmFormat::bf16: return DataType::bf16;
    case WarmFormat::fp8:
    case WarmFormat::fp8_block: return DataType::fp8;
    case WarmFormat::nvfp4: break;
  }
  return DataType::fp4;
}

double operand_bytes(WarmFormat format) {
  switch (format) {
    case WarmFormat::bf16: return 2;
    case WarmFormat::fp8: return 1;
    case WarmFormat::fp8_block: return 1 + 4.0 / 128;  // a scale of four bytes for 128 elements
    case WarmFormat::nvfp4: break;
  }
  return 0.5 + 1.0 / 16;  // and of one byte for 16
}

WarmConstants usual_constants(WarmKind kind) {
  switch (kind) {
    case WarmKind::gemm: return WarmGemm{};
    case WarmKind::sdpa_fwd:
    case WarmKind::mla_fwd: return WarmForward{};
    case WarmKind::sdpa_decode: return WarmDecode{};
    case WarmKind::mla_decode: return WarmDecode{.stream_gb_per_s = 80, .request_ns = 30};
    case WarmKind::moe: break;
  }
  return WarmExperts{};
}

WarmTime warm_time(const Device& device, const WarmConstants& constants, const WarmKernel& kernel) {
  return std::visit([&](const auto& c) { return time_of(device, c, kernel); }, constants);
}

}  // namespace orrery::machine
