// Small workloads that ask a network one question.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::generate {

// Each is an Error for fewer than two ranks or a number that is negative or too large.

struct CollectiveBenchmark {
  workload::Collective collective = workload::Collective::all_reduce;
  std::uint32_t ranks = 2;
  std::int64_t bytes = 1 << 20;   ///< what one rank puts in, as Program::bytes counts
  std::uint32_t repetitions = 1;  ///< one after the other
  std::uint32_t root = 0;
};
/// Every rank runs the same program.
Result<workload::Workload> collective_benchmark(const CollectiveBenchmark& benchmark);

/// Ranks 0 and 1: there and back, `repetitions` times.
Result<workload::Workload> ping_pong(std::int64_t bytes, std::uint32_t repetitions);
/// All ranks send to rank 0 at once.
Result<workload::Workload> incast(std::uint32_t ranks, std::int64_t bytes);
/// Every rank sends to one and receives from one other, all at once. The same seed gives the same pairs everywhere.
Result<workload::Workload> random_permutation(std::uint32_t ranks, std::int64_t bytes, std::uint64_t seed);
/// Every rank sends to every other, the next one first, all at once.
Result<workload::Workload> all_pairs(std::uint32_t ranks, std::int64_t bytes);

}  // namespace orrery::generate
