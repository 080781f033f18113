// What a step takes by profiled times of one layer: of products by tokens, of what is done per sequence by sequences,
// and of attention by the piece of a prompt, what stands before it, decodes and their contexts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/io/csv.h"
#include "base/result.h"
#include "llm/engine/step_cost.h"

namespace orrery::llm {

/// A link between ranks of one replica, or between replicas that share experts.
struct CostLink {
  double latency_us = 0;
  double gb_per_s = 0;
};

/// Experts that all ranks share.
struct SharedExperts {
  double count = 0;
  double top_k = 0;
  double ranks = 1;
};

/// Times are of one rank of `tensor`.
struct TableCostFields {
  double layers = 1;
  double skew = 0;  ///< how far attention goes from its time at the mean context towards that at the longest
  double tensor = 1;
  double width = 0;  ///< of the hidden state
  std::optional<CostLink> link = {};
  std::optional<SharedExperts> experts = {};
};

/// dense: op, tokens, time_us. per_sequence: op (lm_head, sampler), sequences, time_us. attention: prefill_tokens,
/// prefill_context, decodes, decode_context, time_us. moe: tokens, activated_experts, time_us; with experts only.
struct CostTables {
  CsvTable dense, per_sequence, attention;
  std::optional<CsvTable> moe = {};
};

/// Between points of a table linear, outside the value at the end. An Error names line, column and rule.
Result<std::unique_ptr<StepCost>> table_cost(const CostTables& tables, const TableCostFields& fields);

}  // namespace orrery::llm
