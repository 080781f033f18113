// Small worlds of a serving engine, with steps whose times can be added up by hand.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "llm/engine/serving_run.h"

namespace orrery::llm {

/// A request as tests write it down.
struct Asked {
  double arrival_us = 0;
  std::uint32_t prompt = 1, generate = 1;
  std::vector<std::uint32_t> pieces = {};
};

inline Requests requests_of(const std::vector<Asked>& all) {
  Requests requests;
  bool has_pieces = false;
  for (const Asked& one : all) has_pieces = has_pieces || !one.pieces.empty();
  for (const Asked& one : all) {
    requests.add("r" + std::to_string(requests.size()), std::llround(one.arrival_us * kPsPerUs), one.prompt,
                 one.generate);
    if (!has_pieces) continue;
    requests.pieces.insert(requests.pieces.end(), one.pieces.begin(), one.pieces.end());
    requests.piece_ends.push_back(requests.pieces.size());
    for (const std::uint32_t piece : one.pieces)
      requests.different_pieces = std::max(requests.different_pieces, piece + 1);
  }
  return requests;
}

/// Blocks of 4 tokens; a step takes 10 us and 1 us per token.
inline EnginePlan small_engine(std::uint32_t blocks = 1000, std::uint32_t budget = 64) {
  return {.limits = {.block_tokens = 4, .kv_blocks = blocks, .max_batch_tokens = budget, .prefix_cache = false}};
}
inline constexpr LinearStep kSmallStep = {.step_us = 10, .token_us = 1};

inline ServedRun served_requests(const EnginePlan& plan, const Requests& requests, const StepWatcher& watcher = {}) {
  auto run = serve(plan, requests, LinearCost(kSmallStep), watcher);
  REQUIRE_MESSAGE(run.ok(), (run ? "" : run.error().to_string()));
  return std::move(*run);
}
inline ServedRun served(const EnginePlan& plan, const std::vector<Asked>& all) {
  return served_requests(plan, requests_of(all));
}

inline double us(TimePs time) { return to_us(time); }

/// All that a request waited for until its first token.
inline TimePs explained(const RequestRecord& record) {
  TimePs sum = record.own_ps + record.prefill_of_others_ps + record.decode_of_others_ps + record.step_ps;
  for (const TimePs part : record.queued_ps) sum += part;
  return sum;
}

/// Less than `count`.
inline std::uint32_t below(std::uint64_t& state, std::uint32_t count) {
  return static_cast<std::uint32_t>(next_random(state) % count);
}

}  // namespace orrery::llm
