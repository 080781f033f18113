// Ranks that stand still: solved in rounds, against a run that decides piece by piece.
#include "analyze/whatif/job_pauses.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "analyze/edited.h"
#include "analyze/random_job.h"
#include "analyze/small_job.h"
#include "analyze/whatif/whatif.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::edits_of;
using analyze::testing::RandomProgram;
using analyze::testing::SmallJob;
using causal::EdgeKind;

namespace {

/// The job run forwards: every piece ends when its rank lets it. By node.
std::vector<TimePs> run(const causal::CausalGraph& job, const std::vector<Pause>& pauses) {
  std::vector<TimePs> at(job.graph.node_count(), 0);
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const graph::NodeId node = job.graph.node_at(p);
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      const TimePs begin = at[job.graph.source(slot)], weight = job.graph.weight(slot);
      TimePs end = begin + weight;
      const bool is_moment = job.kind(slot) == EdgeKind::arrival || job.kind(slot) == EdgeKind::before;
      for (const Pause& pause : pauses) {  // at most one of a rank
        if (is_moment || pause.rank != job.node_rank[node] || end <= pause.at) continue;
        end = begin <= pause.at ? end + pause.lasts : std::max(begin, pause.at + pause.lasts) + weight;
      }
      at[node] = std::max(at[node], end);
    }
  }
  return at;
}

}  // namespace

TEST_CASE("a piece that runs across the pause ends later; one that would begin in it begins when it is over") {
  const std::vector<Pause> pause{{0, 100, 50}};
  CHECK(end_with_pauses(0, 100, pause) == 100);  // done just before
  CHECK(end_with_pauses(0, 101, pause) == 151);
  CHECK(end_with_pauses(100, 0, pause) == 100);  // no time passes in it
  CHECK(end_with_pauses(100, 1, pause) == 151);
  CHECK(end_with_pauses(101, 1, pause) == 151);
  CHECK(end_with_pauses(149, 10, pause) == 160);
  CHECK(end_with_pauses(150, 10, pause) == 160);
  CHECK(end_with_pauses(151, 10, pause) == 161);
  const std::vector<Pause> two{{0, 100, 50}, {0, 155, 10}};
  CHECK(end_with_pauses(0, 104, two) == 154);
  CHECK(end_with_pauses(0, 106, two) == 166);
  CHECK(end_with_pauses(120, 10, two) == 170);
  CHECK(end_with_pauses(120, 5, two) == 155);
}

TEST_CASE("rounds of solving end with what a run says, at every moment") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    const causal::CausalGraph job = program.make(program.as_they_are());
    RC_PRE(job.span > 0);
    std::vector<PausedJob> scenarios;
    std::vector<std::vector<TimePs>> truth;
    for (std::uint64_t k = 0; k < 3; ++k) {
      std::vector<Pause> pauses;
      for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
        const std::uint64_t dice = seed * 31 + k * 7 + rank * 13;
        if (k != 0 && dice % 3 == 0) continue;
        pauses.push_back({rank, static_cast<TimePs>(dice * 2654435761u % static_cast<std::uint64_t>(job.span)),
                          static_cast<TimePs>(dice * 40503u % 20'000'000)});
        if (k == 0) break;
      }
      scenarios.push_back({graph::Edits(job.graph), pauses});
      truth.push_back(run(job, pauses));
    }
    const std::vector<SolvedJob> solved = solve_paused(job, scenarios);
    for (std::size_t k = 0; k < scenarios.size(); ++k) {
      for (graph::NodeId node = 0; node < job.graph.node_count(); ++node)
        RC_ASSERT(solved[k].solution.finish(node) == truth[k][node]);
      RC_ASSERT(solved[k].unpaused.length() == job.span);
    }
  }));
}

TEST_CASE("arrivals of others are theirs: a transfer whose partners come meanwhile begins when the rank goes on") {
  SmallJob small(2);
  small.work(0, "f", 10);
  small.work(1, "f", 20);
  for (std::uint32_t rank = 0; rank < 2; ++rank) small.communicate(rank, "sum", {.transfer = 5});
  const causal::CausalGraph job = small.make();
  CHECK(job.span == 25);
  // Rank 0 waits in the collective from 10 on, stands still from 15 to 45; rank 1 is there at 20 and does not wait for
  // more.
  const std::vector<SolvedJob> solved = solve_paused(job, {{graph::Edits(job.graph), {{0, 15, 30}}}});
  CHECK(solved[0].solution.finish(job.ranks[0].end) == 50);
  CHECK(solved[0].solution.finish(job.ranks[1].end) == 25);
}

TEST_CASE("what is on the path, and standing still, add up to the job") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    const causal::CausalGraph job = program.make(program.as_they_are());
    RC_PRE(job.span > 1000);
    const std::string at = std::to_string(static_cast<double>(job.span) / 2e3) + "ns";
    for (const std::string& text : {"rank:1 fails at " + at + " restart 3us",
                                    "fails at " + at + " restart 3us from step:0", std::string("op * 2")}) {
      const WhatIf result = what_if(edits_of(job, {text}), 10);
      TimePs sum = result.after.stopped;
      for (const TimePs time : result.after.kinds) sum += time;
      RC_ASSERT(sum == result.after.length);
      RC_ASSERT(result.before.length == job.span);
      TimePs last = 0;
      for (const WhatIf::OfRank& rank : result.ranks) last = std::max(last, rank.after);
      RC_ASSERT(last == result.after.length);
    }
  }));
}

TEST_CASE("a job that goes back to a step does again what came after its begin") {
  SmallJob small(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    for (int step = 0; step < 3; ++step) {
      small.step(rank);
      small.work(rank, "f", 10 * kPsPerUs + rank);
      small.communicate(rank, "sum" + std::to_string(step), {.transfer = 2 * kPsPerUs});
    }
  }
  const causal::CausalGraph job = small.make();
  const TimePs second = std::min(job.ranks[0].step_begin[1], job.ranks[1].step_begin[1]);
  const WhatIf result = what_if(edits_of(job, {"rank:1 fails at 30us restart 100us from step:1"}), 10);
  CHECK(result.after.length == 130 * kPsPerUs + job.span - second);
  CHECK(result.after.stopped == 100 * kPsPerUs);
  // With everything else at half the time, step 1 begins earlier.
  const WhatIf faster = what_if(edits_of(job, {"all * 0.5", "rank:1 fails at 10us restart 100us from step:1"}), 10);
  CHECK(faster.after.length <= 110 * kPsPerUs + (job.span - second) / 2 + 2);
  CHECK(faster.after.length >= 110 * kPsPerUs + (job.span - second) / 2 - 2);
}
