#include "job/shipped/serving_fields.h"

#include <fmt/format.h>

namespace orrery::job {
namespace {

using machine::Violation;

std::optional<Violation> find_contradiction(const ServingFields& fields) {
  const bool drawn = fields.arrivals.has_value();
  if (!fields.requests && !drawn)
    return Violation{"requests", "is missing: somebody has to ask", "requests: FILE.csv, or arrivals: with a law"};
  if (fields.requests && drawn) return Violation{"arrivals", "are there beside requests", "leave one of them out"};
  if (drawn && fields.arrivals->count / fields.arrivals->rate_per_s > llm::kMostArrivalSeconds)
    return Violation{"arrivals.rate_per_s",
                     fmt::format("makes arrivals last longer than {} s", llm::kMostArrivalSeconds)};
  const auto block = static_cast<std::int64_t>(fields.block_tokens),
             prefix = static_cast<std::int64_t>(fields.prefix_tokens);
  if (prefix % block != 0)
    return Violation{"prefix_tokens", fmt::format("are {}, which blocks of {} tokens do not divide", prefix, block),
                     "a multiple of block_tokens"};
  if (fields.disaggregation && fields.replicas)
    return Violation{"replicas", "is there beside disaggregation, which says its own", "leave one of them out"};
  if (fields.disaggregation && fields.experts_shared)
    return Violation{"experts_shared", "is there beside disaggregation: replicas that share experts step together"};
  if (!fields.kv_blocks && fields.costs.kind != llm::CostKind::model)
    return Violation{"kv_blocks", "is missing",
                     "with costs: {kind: model} it is what memory leaves; else it has to be said"};
  const llm::TableCostFields& table = fields.costs.table;
  if (fields.costs.kind != llm::CostKind::table) return std::nullopt;
  if ((table.tensor > 1 || table.experts) && (!table.link || table.width == 0))
    return Violation{"costs.link", "and costs.width are needed: ranks speak with one another"};
  if (table.experts && !fields.costs.moe) return Violation{"costs.moe", "is missing: the times of experts"};
  return std::nullopt;
}

}  // namespace

std::optional<Violation> plan_serving(const ServingFields& fields, llm::ServingPlan& plan) {
  if (auto found = find_contradiction(fields)) return found;
  plan.requests = fields.requests;
  plan.arrivals = fields.arrivals;
  plan.has_blocks = fields.kv_blocks.has_value();
  plan.memory_share = fields.memory_share;
  plan.costs = fields.costs;
  plan.objectives = fields.objectives;
  plan.engine = {.limits = {.block_tokens = static_cast<std::uint32_t>(fields.block_tokens),
                            .kv_blocks = static_cast<std::uint32_t>(fields.kv_blocks.value_or(0)),
                            .max_requests = static_cast<std::uint32_t>(fields.max_requests),
                            .max_batch_tokens = static_cast<std::uint32_t>(fields.max_batch_tokens),
                            .prefix_tokens = static_cast<std::uint32_t>(fields.prefix_tokens),
                            .chunked_prefill = fields.chunked_prefill,
                            .prefix_cache = fields.prefix_cache,
                            .reserve_prompt = fields.reserve_prompt},
                 .replicas = static_cast<double>(fields.replicas.value_or(1)),
                 .routing = fields.routing,
                 .experts_shared = fields.experts_shared,
                 .disaggregation = fields.disaggregation,
                 .closed = fields.closed};
  return std::nullopt;
}

}  // namespace orrery::job
