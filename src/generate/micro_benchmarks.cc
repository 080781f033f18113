#include "generate/micro_benchmarks.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "generate/pattern_workload.h"
#include "workload/message_pattern.h"
#include "workload/program_builder.h"

namespace orrery::generate {
namespace {

using workload::MessagePattern;

constexpr std::uint32_t kMostRepetitions = 1u << 24;

Status check(std::uint32_t ranks, std::int64_t bytes, std::uint32_t repetitions = 1) {
  if (ranks < 2) return Error{"a micro-benchmark needs at least 2 ranks"};
  if (ranks > kMaxRanks) return Error{fmt::format("a micro-benchmark has at most {} ranks, not {}", kMaxRanks, ranks)};
  if (bytes < 0) return Error{"messages of a negative size"};
  if (repetitions < 1 || repetitions > kMostRepetitions) return Error{fmt::format("{} repetitions", repetitions)};
  return {};
}

/// Sattolo's shuffle: one cycle through all ranks, so that nobody is its own partner.
std::vector<std::uint32_t> random_cycle(std::uint32_t ranks, std::uint64_t seed) {
  std::vector<std::uint32_t> partner(ranks);
  std::iota(partner.begin(), partner.end(), 0u);
  for (std::uint32_t i = ranks - 1; i > 0; --i) std::swap(partner[i], partner[next_random(seed) % i]);
  return partner;
}

}  // namespace

Result<workload::Workload> collective_benchmark(const CollectiveBenchmark& benchmark) {
  if (const Status checked = check(benchmark.ranks, benchmark.bytes, benchmark.repetitions); !checked)
    return checked.error();
  if (benchmark.root >= benchmark.ranks)
    return Error{fmt::format("rank {} of {} cannot be the root", benchmark.root, benchmark.ranks)};
  workload::Workload workload;
  workload::Activity activity = {.name = workload.strings.intern(to_string(benchmark.collective)),
                                 .kind = workload::ActivityKind::collective,
                                 .flags = workload::activity::kHasBytes,
                                 .bytes = benchmark.bytes,
                                 .collective = benchmark.collective};
  if (workload::is_rooted(benchmark.collective)) {
    activity.flags |= workload::activity::kHasPeer;
    activity.peer = static_cast<std::int32_t>(benchmark.root);
  }
  workload::ProgramBuilder builder;
  for (; activity.id < benchmark.repetitions; ++activity.id) {
    builder.add(activity);
    if (activity.id > 0) builder.depend(activity.id - 1, workload::Dependency::data);
  }
  Result<workload::Program> program = std::move(builder).build();
  if (!program) return std::move(program.error());
  workload.programs.push_back(std::move(*program));
  workload.program_of_rank.assign(benchmark.ranks, 0);
  return workload;
}

Result<workload::Workload> ping_pong(std::int64_t bytes, std::uint32_t repetitions) {
  if (const Status checked = check(2, bytes, repetitions); !checked) return checked.error();
  return pattern_workload(2, [&](MessagePattern& pattern, std::uint32_t rank) {
    MessagePattern::StepId last = MessagePattern::kNothing;
    // Even messages are sent by rank 0, odd ones come back.
    for (std::uint32_t i = 0; i < 2 * repetitions; ++i)
      last = i % 2 == rank ? pattern.send(1 - rank, bytes, {last}) : pattern.recv(1 - rank, bytes, {last});
  });
}

Result<workload::Workload> incast(std::uint32_t ranks, std::int64_t bytes) {
  if (const Status checked = check(ranks, bytes); !checked) return checked.error();
  return pattern_workload(ranks, [&](MessagePattern& pattern, std::uint32_t rank) {
    append_linear_gather(pattern, rank, ranks, 0, bytes);
  });
}

Result<workload::Workload> random_permutation(std::uint32_t ranks, std::int64_t bytes, std::uint64_t seed) {
  if (const Status checked = check(ranks, bytes); !checked) return checked.error();
  const std::vector<std::uint32_t> to = random_cycle(ranks, seed);
  std::vector<std::uint32_t> from(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) from[to[rank]] = rank;
  return pattern_workload(ranks, [&](MessagePattern& pattern, std::uint32_t rank) {
    pattern.send(to[rank], bytes);
    pattern.recv(from[rank], bytes);
  });
}

Result<workload::Workload> all_pairs(std::uint32_t ranks, std::int64_t bytes) {
  if (const Status checked = check(ranks, bytes); !checked) return checked.error();
  return pattern_workload(ranks, [&](MessagePattern& pattern, std::uint32_t rank) {
    append_linear_all_to_all(pattern, rank, ranks, bytes);
  });
}

}  // namespace orrery::generate
