// The fields of `serving:` in a configuration, each said once, and the plan that follows from them.
#pragma once

#include <optional>
#include <string>

#include "llm/engine/serving_plan.h"
#include "machine/yaml/field_kinds.h"
#include "machine/yaml/violation.h"

namespace orrery::job {

/// As written: whole numbers are doubles, which describe() checks.
struct ServingFields {
  std::optional<std::string> requests = {};
  std::optional<llm::ArrivalLaw> arrivals = {};
  double block_tokens = 16, max_requests = 128, max_batch_tokens = 2048, prefix_tokens = 0;
  std::optional<std::int64_t> kv_blocks = {}, replicas = {};
  bool chunked_prefill = true, prefix_cache = true, reserve_prompt = true, experts_shared = false;
  double memory_share = 0.9;
  llm::Routing routing = llm::Routing::round_robin;
  std::optional<llm::Disaggregation> disaggregation = {};
  std::optional<llm::ClosedLoop> closed = {};
  llm::StepCosts costs;
  llm::Objectives objectives;
};

/// The first rule that the fields break, else the plan; fields are called as a configuration has them. Files are as
/// written.
std::optional<machine::Violation> plan_serving(const ServingFields& fields, llm::ServingPlan& plan);

inline constexpr machine::Range kSomeTokens = {1, 1 << 24, true};
inline constexpr machine::Range kTokensOrNone = {0, 1 << 24, true};
inline constexpr machine::Range kSomeBlocks = {1, 2147483647, true};
inline constexpr machine::Range kSomeRequests = {1, 1 << 20, true};
inline constexpr machine::Range kSomeReplicas = {1, 4096, true};
inline constexpr machine::Range kManyRequests = {1, 100e6, true};
inline constexpr machine::Range kMicroseconds = {0, 1e9, true};
inline constexpr machine::Range kGigabytesPerSecond = {0, 1e6};
inline constexpr machine::Range kSomeBytes = {0, 1e12, true};
inline constexpr machine::Range kSomeLayers = {1, 10000, true};
inline constexpr machine::Range kSeed = {0, 9e15, true};
inline constexpr machine::Range kRate = {0, 1e9};
inline constexpr machine::Range kVariation = {0, 100, true};
inline constexpr machine::Range kSpread = {0, 100};
inline constexpr machine::Range kLengths = {1, 1 << 24, true};
inline constexpr machine::Range kMilliseconds = {0, 1e12};
inline constexpr machine::Range kAShare = {0, 1};
inline constexpr machine::Range kCacheElement = {0, 8};
inline constexpr machine::Range kAnyShare = {0, 1, true};

}  // namespace orrery::job

namespace orrery::llm {

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LengthLaw> auto& value) {
  using machine::Default;
  visitor.choice("law", value.law, kLengthKindNames, Default{LengthKind::constant});
  visitor.number("mean", value.mean, job::kLengths);
  visitor.number("variation", value.variation, job::kVariation, Default{0.0});
  visitor.whole("most", value.most, job::kSomeTokens, Default{static_cast<double>(1 << 20)});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ArrivalLaw> auto& value) {
  using machine::Default;
  visitor.choice("law", value.law, kArrivalKindNames, Default{ArrivalKind::poisson});
  visitor.number("rate_per_s", value.rate_per_s, job::kRate);
  visitor.number("variation", value.variation, job::kSpread, Default{1.0});
  visitor.whole("count", value.count, job::kManyRequests);
  visitor.whole("seed", value.seed, job::kSeed, Default{1.0});
  visitor.object("prompt", value.prompt);
  visitor.object("generate", value.generate);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Disaggregation> auto& value) {
  visitor.whole("prefill", value.prefill, job::kSomeReplicas);
  visitor.whole("decode", value.decode, job::kSomeReplicas);
  visitor.number("kv_bytes_per_token", value.kv_bytes_per_token, job::kSomeBytes);
  visitor.number("link_gb_per_s", value.link_gb_per_s, job::kGigabytesPerSecond);
  visitor.number("link_latency_us", value.link_latency_us, job::kMicroseconds, machine::Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ClosedLoop> auto& value) {
  using machine::Default;
  visitor.whole("concurrency", value.concurrency, job::kSomeRequests);
  visitor.choice("start", value.start, kLoopStartNames, Default{LoopStart::together});
  visitor.whole("seed", value.seed, job::kSeed, Default{1.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Objectives> auto& value) {
  visitor.number("ttft_ms", value.ttft_ms, job::kMilliseconds);
  visitor.number("tpot_ms", value.tpot_ms, job::kMilliseconds);
  visitor.number("latency_ms", value.latency_ms, job::kMilliseconds);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CostLink> auto& value) {
  visitor.number("latency_us", value.latency_us, job::kMicroseconds, machine::Default{0.0});
  visitor.number("gb_per_s", value.gb_per_s, job::kGigabytesPerSecond);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<SharedExperts> auto& value) {
  visitor.whole("count", value.count, job::kSomeRequests);
  visitor.whole("top_k", value.top_k, job::kSomeRequests);
  visitor.whole("ranks", value.ranks, job::kSomeReplicas);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LinearStep> auto& value) {
  using machine::Default;
  visitor.number("step_us", value.step_us, job::kMicroseconds, Default{0.0});
  visitor.number("token_us", value.token_us, job::kMicroseconds, Default{0.0});
  visitor.number("context_us", value.context_us, job::kMicroseconds, Default{0.0});
  visitor.number("square_us", value.square_us, job::kMicroseconds, Default{0.0});
  visitor.number("sequence_us", value.sequence_us, job::kMicroseconds, Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<TableCostFields> auto& value) {
  using machine::Default;
  visitor.whole("layers", value.layers, job::kSomeLayers);
  visitor.number("skew", value.skew, job::kAnyShare, Default{0.0});
  visitor.whole("tensor", value.tensor, job::kSomeReplicas, Default{1.0});
  visitor.whole("width", value.width, job::kTokensOrNone, Default{0.0});
  visitor.object("link", value.link);
  visitor.object("experts", value.experts);
}

/// The kind comes first: it says which other fields there are.
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<StepCosts> auto& value) {
  visitor.choice("kind", value.kind, kCostKindNames, machine::Default{CostKind::model});
  switch (value.kind) {
    case CostKind::linear: return describe(visitor, value.linear);
    case CostKind::table:
      describe(visitor, value.table);
      visitor.text("dense", value.dense);
      visitor.text("per_sequence", value.per_sequence);
      visitor.text("attention", value.attention);
      visitor.text("moe", value.moe);
      return;
    case CostKind::model:
      visitor.choice("precision", value.precision, machine::kDataTypeNames, machine::Default{machine::DataType::bf16});
      visitor.number("kv_cache_bytes", value.kv_cache_bytes, job::kCacheElement, machine::Default{2.0});
      visitor.counts("graph_tokens", value.graph_tokens, job::kSomeTokens,
                     machine::Default{std::vector<std::int64_t>{}});
      return;
  }
}

}  // namespace orrery::llm

namespace orrery::job {

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ServingFields> auto& value) {
  using machine::Default;
  visitor.text("requests", value.requests);
  visitor.object("arrivals", value.arrivals);
  visitor.whole("block_tokens", value.block_tokens, kSomeTokens, Default{16.0});
  visitor.count("kv_blocks", value.kv_blocks, kSomeBlocks);
  visitor.number("memory_share", value.memory_share, kAShare, Default{0.9});
  visitor.whole("max_requests", value.max_requests, kSomeRequests, Default{128.0});
  visitor.whole("max_batch_tokens", value.max_batch_tokens, kSomeTokens, Default{2048.0});
  visitor.flag("chunked_prefill", value.chunked_prefill);
  visitor.flag("prefix_cache", value.prefix_cache);
  visitor.flag("reserve_prompt", value.reserve_prompt);
  visitor.whole("prefix_tokens", value.prefix_tokens, kTokensOrNone, Default{0.0});
  visitor.count("replicas", value.replicas, kSomeReplicas);
  visitor.choice("routing", value.routing, llm::kRoutingNames, Default{llm::Routing::round_robin});
  visitor.flag("experts_shared", value.experts_shared);
  visitor.object("disaggregation", value.disaggregation);
  visitor.object("closed", value.closed);
  visitor.object("costs", value.costs, Default{llm::StepCosts{}});
  visitor.object("objectives", value.objectives, Default{llm::Objectives{}});
}

}  // namespace orrery::job
