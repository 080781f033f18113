// The job as it would be if every rank worked like a typical one.
#include "analyze/blame/ideal_job.h"

#include <doctest/doctest.h>

#include "analyze/small_job.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::SmallJob;
using causal::EdgeKind;

namespace {

TimePs length(const causal::CausalGraph& job, const graph::Edits& edits) {
  return graph::solve(edits, job.end).length();
}

std::vector<std::uint8_t> all_of(const causal::CausalGraph& job) {
  return std::vector<std::uint8_t>(job.ranks.size(), 1);
}

/// Each rank computes f for so long, then all reduce.
causal::CausalGraph computing(const std::vector<TimePs>& times, EdgeKind kind = EdgeKind::cpu_operator,
                              bool same_name = true) {
  SmallJob small(static_cast<std::uint32_t>(times.size()));
  for (std::uint32_t r = 0; r < times.size(); ++r) {
    small.work(r, same_name ? "f" : "f" + std::to_string(r), times[r], kind);
    small.communicate(r, "sum");
  }
  return small.make();
}

}  // namespace

TEST_CASE("the ideal rank takes the lower median") {
  const causal::CausalGraph job = computing({10, 40, 12, 20});
  CHECK(job.span == 42);
  CHECK(length(job, ideal_edits(job, all_of(job))) == 14);
  const TypicalWork work(job);
  const std::vector<std::uint32_t> places{0, 1, 3};
  CHECK(lengths_with_one_ideal(job, work, places) == std::vector<TimePs>{42, 22, 42});
  graph::Edits ideal = ideal_edits(job, all_of(job));
  CHECK(lengths_with_one_as_measured(job, work, places, ideal) == std::vector<TimePs>{14, 42, 22});
  CHECK(length(job, ideal) == 14);
  CHECK(length(job, ideal_edits(job, {0, 1, 0, 0})) == 22);
}

TEST_CASE("of two ranks none is typical") {
  const causal::CausalGraph job = computing({10, 40});
  CHECK(length(job, ideal_edits(job, all_of(job))) == 42);
}

TEST_CASE("names count for operators, not for Python and unrecorded time") {
  const std::vector<TimePs> times{10, 40, 12};
  const causal::CausalGraph operators = computing(times, EdgeKind::cpu_operator, false);
  CHECK(length(operators, ideal_edits(operators, all_of(operators))) == 42);
  for (const EdgeKind kind : {EdgeKind::cpu_python, EdgeKind::cpu_untraced}) {
    const causal::CausalGraph job = computing(times, kind, false);
    CHECK(length(job, ideal_edits(job, all_of(job))) == 14);
  }
}

TEST_CASE("delays and transfers stay as measured") {
  const causal::CausalGraph delays = computing({10, 40, 12}, EdgeKind::launch_delay);
  CHECK(length(delays, ideal_edits(delays, all_of(delays))) == 42);
  const causal::CausalGraph local = computing({10, 40, 12}, EdgeKind::communication);
  CHECK(length(local, ideal_edits(local, all_of(local))) == 42);
}

TEST_CASE("each step is scaled by itself, and a rank that lacks the work there counts with 0") {
  SmallJob small(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    small.step(r);
    small.work(r, "f", r == 2 ? 30 : 10);
    small.communicate(r, "first");
    small.step(r);
    if (r == 2) small.work(r, "f", 50);  // the others have f in the first step only: typical is none of it
    small.communicate(r, "second");
  }
  const causal::CausalGraph job = small.make();
  CHECK(job.span == 84);
  CHECK(length(job, ideal_edits(job, all_of(job))) == 14);
}

TEST_CASE("transfers at the median of their like") {
  SmallJob small(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    small.communicate(r, "small", {.transfer = r == 1 ? 50 : 5, .bytes = 8});
    small.communicate(r, "large", {.transfer = r == 1 ? 70 : 20 + r, .bytes = 4096});  // 20, 70, 22
  }
  const causal::CausalGraph job = small.make();
  CHECK(job.span == 120);
  CHECK(length(job, communication_ideal(job)) == 27);
}
