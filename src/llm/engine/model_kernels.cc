#include "llm/engine/model_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "llm/attention.h"
#include "machine/warm/kernel_tables.h"

namespace orrery::llm {
namespace {

using machine::WarmKernel;
using machine::WarmKind;

// A message or a collective that nobody measured, without its bytes: an assumption.
constexpr double kMessageS = 10e-6;
// An all-reduce in one step between devices that see one another's memory, without its bytes: what engines' own kernels
// take; set with measured serving points in view (docs/SERVING.md).
constexpr double kOneShotS = 6e-6;
// A kernel of a graph that hardly does anything: between the end of one and the end of the next.
constexpr double kSmallKernelS = 1.5e-6;
// Of a sliding window: an architecture says how much work windows leave, not how long they are; usually this to 1024.
constexpr double kWindowKeys = 128;
// Element-wise kernels and sampling have no measured intervals of their own.
constexpr double kUnmeasuredLow = 0.8, kUnmeasuredHigh = 1.25;

}  // namespace

ModelKernels::ModelKernels(const InferencePlan& plan, KernelDevice device, std::optional<DeviceCollectives> collectives,
                           machine::WarmFormat format, const machine::RailLink& rail)
    : plan_(plan), device_(std::move(device)), collectives_(std::move(collectives)), format_(format), rail_(rail) {}

Status ModelKernels::check() const {
  std::vector<WarmKernel> used = {{.kind = WarmKind::gemm, .format = format_},
                                  {.kind = WarmKind::gemm},
                                  attention(WarmKind::sdpa_fwd, WarmKind::mla_fwd, 1, 1),
                                  attention(WarmKind::sdpa_decode, WarmKind::mla_decode, 1, 1)};
  if (model().experts) used.push_back({.kind = WarmKind::moe, .format = format_});
  for (const WarmKernel& kernel : used) {
    if (device_.warm.find(kernel) != nullptr) continue;
    return Error{fmt::format("nobody measured {} in {} on '{}' or on a device like it",
                             machine::kWarmKindNames[static_cast<std::size_t>(kernel.kind)],
                             machine::kWarmFormatNames[static_cast<std::size_t>(kernel.format)], device_.device.name),
                 {},
                 Error::kNoOffset,
                 "costs: {kind: table} takes profiled times of your own"};
  }
  return {};
}

BatchTimes ModelKernels::by_tokens(double tokens) const {
  BatchTimes step;
  products(step, tokens);
  small_kernels(step, tokens);
  if (tensor() > 1)
    step[Part::collectives] +=
        2 * model().layers *
        collective(machine::NodeCollective::all_reduce, tensor(), tokens * model().hidden * kElementBytes);
  return step;
}

BatchTimes ModelKernels::by_sequences(double sequences) const {
  BatchTimes step;
  // Heads are kept in 16 bits.
  step[Part::products] += cold(
      {.kind = WarmKind::gemm, .m = sequences, .n = whole_extent(model().vocabulary / tensor()), .k = model().hidden});
  step[Part::small] += streaming(&machine::ElementwiseShares::cross_entropy, sequences * model().vocabulary * 4.0);
  return step;
}

PartTime ModelKernels::prompt(const PromptPiece& piece) const {
  const auto full = [&](double sequence) {
    return warm(attention(WarmKind::sdpa_fwd, WarmKind::mla_fwd, 1, sequence));
  };
  // A token of a layer with a window looks at so many keys; one of the others at half of all.
  const auto whole = [&](double sequence) {
    const PartTime time = full(sequence);
    if (model().attention_window_share >= 1) return time;
    const PartTime shortest = full(std::min(sequence, kWindowKeys));
    PartTime in_window = std::min(1.0, 2 * kWindowKeys / sequence) * time;
    if (in_window.s < shortest.s) in_window = shortest;
    return with_windows(time, in_window);
  };
  PartTime time = whole(piece.tokens);
  if (piece.before > 0) {
    const PartTime end = whole(static_cast<double>(piece.before) + piece.tokens), begin = whole(piece.before);
    const double added = std::max(time.s, end.s - begin.s);
    time = {added, added * end.low_s / end.s, added * end.high_s / end.s};
  }
  return model().layers * time;
}

PartTime ModelKernels::decodes(double count, double context) const {
  const auto looking_at = [&](double keys) {
    return warm(attention(WarmKind::sdpa_decode, WarmKind::mla_decode, count, keys));
  };
  return model().layers * with_windows(looking_at(context), looking_at(std::min(context, kWindowKeys)));
}

/// Of a layer on average: some layers look at all keys, the others through a window.
PartTime ModelKernels::with_windows(const PartTime& full, const PartTime& in_window) const {
  PartTime time = model().attention_window_share * full;
  time += (1 - model().attention_window_share) * in_window;
  return time;
}

BatchTimes ModelKernels::shared_experts(double tokens, double most) const {
  const double layers = model().layers - model().experts->dense_layers, ranks = plan_.shape.job.expert;
  // A copy for each expert that a token chose; there in the format of the products, back in that of the sums.
  const double copies = std::ceil(most / tensor()) * model().experts->chosen * model().hidden;
  const double there = std::min(kElementBytes, machine::bytes_of(plan_.precision)) * copies;
  BatchTimes step;
  step[Part::experts] += layers * experts(tokens);
  for (const double bytes : {there, kElementBytes * copies})
    step[Part::collectives] += layers * collective(machine::NodeCollective::all_to_all, ranks, bytes);
  return step;
}

double ModelKernels::message_s(double tokens) const {
  // The slowest such message holds up all.
  return kMessageS +
         tokens * model().hidden * kElementBytes / tensor() / link_bytes_per_s(plan_.shape.job.pipeline * tensor());
}

/// As timed over and over on the same buffers.
PartTime ModelKernels::warm(const WarmKernel& kernel) const {
  const machine::FormatTable* table = device_.warm.find(kernel);
  if (table == nullptr) return {};
  const machine::WarmPrice found = machine::warm_price(device_.device, *table, kernel);
  return {found.seconds, found.low_s, found.high_s};
}

/// Weights come from memory: by how much the formula takes longer without a cache.
PartTime ModelKernels::cold(const WarmKernel& kernel) const {
  const PartTime time = warm(kernel);
  const machine::FormatTable* table = device_.warm.find(kernel);
  if (table == nullptr) return time;
  machine::WarmConstants without = table->constants;
  std::visit([](auto& constants) { constants.cache_share = 1e-6; }, without);
  return machine::warm_time(device_.device, without, kernel).seconds /
         machine::warm_time(device_.device, table->constants, kernel).seconds * time;
}

PartTime ModelKernels::product(double m, double n, double k) const {
  return cold({.kind = WarmKind::gemm, .format = format_, .m = m, .n = whole_extent(n), .k = whole_extent(k)});
}

PartTime ModelKernels::streaming(ElementwiseRate rate, double bytes) const {
  const double s = kSmallKernelS + elementwise_seconds(device_.device, rate, bytes);
  return {s, kUnmeasuredLow * s, kUnmeasuredHigh * s};
}

/// Two matrices, or three of which two are one product.
PartTime ModelKernels::mlp(double m, double ffn) const {
  PartTime time = product(m, (model().plain_mlp ? 1 : 2) * ffn / tensor(), model().hidden);
  time += product(m, model().hidden, ffn / tensor());
  return time;
}

/// Experts of a rank: all of them cut, or some of them whole. m: tokens of all ranks.
PartTime ModelKernels::experts(double m) const {
  const Experts& e = *model().experts;
  const double groups = plan_.shape.job.expert;
  const double chosen = e.chosen / groups;
  return cold({.kind = WarmKind::moe,
               .format = format_,
               .m = m * std::min(1.0, chosen),
               .hidden = model().hidden,
               .inter = e.ffn,
               .experts = e.count / groups,
               .top_k = std::max(1.0, chosen),
               .tp = plan_.expert_split()});
}

void ModelKernels::products(BatchTimes& step, double m) const {
  const double layers = model().layers, dense_layers = model().experts ? model().experts->dense_layers : layers;
  PartTime layer;
  for (const Projection& one : attention_projections(model(), tensor())) layer += product(m, one.out, one.in);
  step[Part::products] += layers * layer;
  if (dense_layers > 0) step[Part::products] += dense_layers * mlp(m, model().ffn);
  if (model().experts) {
    if (!shares_experts()) step[Part::experts] += (layers - dense_layers) * experts(m);
    step[Part::products] += (layers - dense_layers) * product(m, model().experts->count, model().hidden);
    if (model().experts->shared_ffn > 0)
      step[Part::products] += (layers - dense_layers) * mlp(m, model().experts->shared_ffn);
  }
}

void ModelKernels::small_kernels(BatchTimes& step, double m) const {
  using Shares = machine::ElementwiseShares;
  // A norm reads the layer's result and the residual stream, and writes both.
  const double hidden_bytes = m * model().hidden * kElementBytes;
  PartTime layer = 2 * streaming(&Shares::norm_forward, 4 * hidden_bytes);
  layer += streaming(&Shares::rotary_forward, 2 * hidden_bytes / tensor());
  layer += streaming(&Shares::activation_forward, 3 * m * model().ffn / tensor() * kElementBytes);
  step[Part::small] += model().layers * layer;
}

double ModelKernels::domains(double ranks) const {
  return plan_.shape.domain_devices > 0 ? std::ceil(ranks / plan_.shape.domain_devices) : 1;
}

/// The link that some of so many ranks next to one another have to take.
double ModelKernels::link_bytes_per_s(double ranks) const {
  return domains(ranks) > 1 ? rail_.bytes_per_s : device_.device.scale_up_bytes_per_s();
}

PartTime ModelKernels::collective(machine::NodeCollective op, double ranks, double bytes) const {
  const machine::CollectiveCall call{op, static_cast<std::int64_t>(ranks), bytes};
  const auto nodes = static_cast<std::int64_t>(domains(ranks));
  const auto unmeasured = [](double s) { return PartTime{s, kUnmeasuredLow * s, kUnmeasuredHigh * s}; };
  // Nobody measured any: a ring.
  PartTime time = unmeasured(kMessageS + machine::wire_factor(op, ranks) * bytes / link_bytes_per_s(ranks));
  if (const auto found = collectives_ ? collectives_->estimate(call, nodes, rail_) : std::nullopt)
    time = {found->us * 1e-6, found->low_us.value_or(found->us) * 1e-6, found->high_us.value_or(found->us) * 1e-6};
  if (op != machine::NodeCollective::all_reduce || nodes > 1) return time;
  // Engines have a kernel of their own for small ones: each rank reads what all others have.
  const double at_once = kOneShotS + (ranks - 1) * bytes / link_bytes_per_s(ranks);
  return at_once < time.s ? unmeasured(at_once) : time;
}

WarmKernel ModelKernels::attention(WarmKind grouped, WarmKind latent, double batch, double sequence) const {
  const bool is_latent = model().latent_attention.has_value();
  return {.kind = is_latent ? latent : grouped,
          .cache_element_bytes = plan_.kv_cache_bytes,
          .batch = batch,
          .heads = std::max(1.0, model().heads / tensor()),
          .kv_heads = is_latent ? std::max(1.0, model().heads / tensor()) : std::max(1.0, model().kv_heads / tensor()),
          .seq = sequence,
          .dim = model().head_size};
}

}  // namespace orrery::llm
