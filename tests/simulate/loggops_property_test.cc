#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "generate/mpi_patterns.h"
#include "goal_like.h"
#include "loggops_reference.h"
#include "simulate/loggops/loggops.h"

using namespace orrery;
using namespace orrery::simulate;
using testing::Op;

namespace {

loggops::Parameters any_parameters() {
  // Small numbers: equal times are what the order of events is about.
  const auto ns = [] { return *rc::gen::inRange(0, 4) * kPsPerNs; };
  return {.latency_ps = ns(),
          .overhead_ps = ns(),
          .gap_ps = ns(),
          .gap_per_byte_fs = *rc::gen::inRange(0, 3) * 1'000'000,
          .overhead_per_byte_fs = *rc::gen::inRange(0, 3) * 1'000'000,
          .largest_eager_message_bytes = *rc::gen::inRange(0, 4)};
}

std::vector<std::uint32_t> some_before(std::size_t i) {
  std::vector<std::uint32_t> some;
  for (int n = *rc::gen::inRange(0, 3); n > 0 && i > 0; --n)
    some.push_back(static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(0, i)));
  return some;
}

/// Mostly messages that fit, with a few wildcards and a few that nobody sends or receives.
std::vector<std::vector<Op>> any_ranks(bool wildcards, std::uint8_t cpus) {
  std::vector<std::vector<Op>> ranks(*rc::gen::inRange<std::size_t>(1, 5));
  const auto add = [&](std::size_t rank, Op op) {
    op.after = some_before(ranks[rank].size());
    if (*rc::gen::inRange(0, 4) == 0) op.after_start = some_before(ranks[rank].size());
    op.cpu = static_cast<std::uint8_t>(*rc::gen::inRange<int>(0, cpus));
    op.nic = static_cast<std::uint8_t>(*rc::gen::inRange<int>(0, cpus));
    ranks[rank].push_back(op);
  };
  for (int n = *rc::gen::inRange(0, 25); n > 0; --n) {
    const auto from = *rc::gen::inRange<std::size_t>(0, ranks.size()),
               to = *rc::gen::inRange<std::size_t>(0, ranks.size());
    if (*rc::gen::inRange(0, 3) == 0) {
      add(from, testing::calc(*rc::gen::inRange(0, 6)));
      continue;
    }
    const std::int64_t size = *rc::gen::inRange(0, 6), tag = *rc::gen::inRange(wildcards ? -1 : 0, 2);
    if (*rc::gen::inRange(0, 30) != 0) add(from, testing::send(static_cast<std::int32_t>(to), size, {}, tag));
    const bool any_source = wildcards && *rc::gen::inRange(0, 4) == 0;
    if (*rc::gen::inRange(0, 30) != 0)
      add(to, testing::recv(any_source ? -1 : static_cast<std::int32_t>(from), size, {}, tag));
  }
  return ranks;
}

void check_against_reference(bool wildcards, std::uint8_t cpus) {
  const std::vector<std::vector<Op>> ranks = any_ranks(wildcards, cpus);
  const loggops::Parameters parameters = any_parameters();
  const testing::LogGopsReference reference(ranks, parameters);
  const auto simulation = loggops::simulate(testing::workload_of(ranks), {.parameters = parameters});
  RC_ASSERT(simulation.ok() == reference.complete);
  if (!simulation) return;
  RC_ASSERT(simulation->schedule.check().ok());
  std::size_t i = 0;
  for (const auto& rank : reference.times) {
    for (const auto& expected : rank) {
      RC_ASSERT(simulation->schedule.start_ps[i] == expected.start);
      RC_ASSERT(simulation->schedule.end_ps[i] == expected.end);
      ++i;
    }
  }
}

TimePs makespan(const workload::Workload& workload, const loggops::Parameters& parameters) {
  const auto simulation = loggops::simulate(workload, {.parameters = parameters});
  RC_ASSERT(simulation.ok());
  return simulation->schedule.makespan_ps();
}

}  // namespace

TEST_CASE("waiting lines and channels change nothing: times are those of the plain rules") {
  CHECK(rc::check("one processor", [] { check_against_reference(false, 1); }));
  CHECK(rc::check("with wildcards", [] { check_against_reference(true, 1); }));
  CHECK(rc::check("several processors and interfaces", [] { check_against_reference(true, 3); }));
}

TEST_CASE("a ring takes its closed form") {
  CHECK(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(2, 40);
    const std::int64_t chunk = *rc::gen::inRange(1, 500);
    const auto workload = generate::mpi_pattern("allreduce_ring", {.ranks = ranks, .bytes = chunk * ranks});
    RC_ASSERT(workload.ok());
    loggops::Parameters p;
    p.latency_ps = *rc::gen::inRange(0, 5000) * kPsPerNs;
    p.overhead_ps = *rc::gen::inRange(1, 5000) * kPsPerNs;
    p.gap_ps = 0;
    p.gap_per_byte_fs = *rc::gen::inRange(0, 9000) * 1000;
    // Every step: o, L, then o and the bytes at the receiver.
    const TimePs step = 2 * p.overhead_ps + p.latency_ps + loggops::Parameters::of_bytes(chunk, p.gap_per_byte_fs);
    RC_ASSERT(makespan(*workload, p) == 2 * (ranks - 1) * step);
  }));
}

// Not so where sends and arrivals compete for a processor (linear_alltoall, pipelinedring, doublering): there a delay
// may put them into a better order, as in any list scheduling (Graham's anomalies).
TEST_CASE("a longer way, a slower processor or interface never makes a pattern without competition faster") {
  CHECK(rc::check([] {
    const std::string_view name = *rc::gen::element<std::string_view>(
        "binomialtreebcast", "binomialtreereduce", "binarytreebcast", "dissemination", "allreduce_recdoub",
        "allreduce_ring", "gather", "scatter");
    const std::uint32_t ranks = 1u << *rc::gen::inRange(1, 6);
    const auto workload = generate::mpi_pattern(name, {.ranks = ranks, .bytes = *rc::gen::inRange(1, 3000)});
    RC_ASSERT(workload.ok());
    loggops::Parameters less;
    less.latency_ps = *rc::gen::inRange(0, 5000) * kPsPerNs;
    less.overhead_ps = *rc::gen::inRange(1, 3000) * kPsPerNs;
    less.gap_per_byte_fs = *rc::gen::inRange(0, 9000) * 1000;
    const TimePs before = makespan(*workload, less);
    for (const int which : {0, 1, 2}) {
      loggops::Parameters more = less;
      if (which == 0) more.latency_ps += *rc::gen::inRange(0, 5000) * kPsPerNs;
      if (which == 1) more.overhead_ps += *rc::gen::inRange(0, 5000) * kPsPerNs;
      if (which == 2) more.gap_per_byte_fs += *rc::gen::inRange(0, 9000) * 1000;
      RC_ASSERT(makespan(*workload, more) >= before);
    }
  }));
}
