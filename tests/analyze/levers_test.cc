// What is worth fixing first.
#include "analyze/blame/opportunities.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "analyze/edited.h"
#include "analyze/random_job.h"
#include "analyze/small_job.h"
#include "analyze/whatif/whatif.h"
#include "base/parallel.h"
#include "report/sheet_csv.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::edits_of;
using analyze::testing::length_after;
using analyze::testing::RandomProgram;
using analyze::testing::SmallJob;
using causal::EdgeKind;

namespace {

/// Rank 1 sleeps; gemm is long, but hides behind the transfer for the most part.
causal::CausalGraph two_ranks() {
  SmallJob job(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    job.step(rank);
    if (rank == 1) job.work(rank, "ProfilerStep#", 4 * kPsPerUs, EdgeKind::cpu_untraced);
    job.work(rank, "f", 10 * kPsPerUs);
    const auto sum = job.ask(rank, "sum", {.transfer = 20 * kPsPerUs});
    job.work(rank, "gemm(float*)", 18 * kPsPerUs, EdgeKind::kernel);
    job.need(rank, sum);
    job.work(rank, "", 1 * kPsPerUs, EdgeKind::launch_delay);
  }
  return job.make();
}

}  // namespace

TEST_CASE("opportunities: work, transfers and gaps, by what they would save if they were free") {
  const causal::CausalGraph job = two_ranks();
  CHECK(job.span == 35 * kPsPerUs);
  const Opportunities opportunities = find_opportunities(job);
  CHECK(opportunities.length == job.span);
  CHECK(report::to_csv(opportunities_sheet(job, opportunities)) ==
        "scope,select,kind,name,what,group,total_us,on_path_us,derivative,gain_if_free_us,gain_10pct_us\n"
        "op,\"op:\"\"f\"\"\",cpu_operator,f,,,20,10,0.5,10,1\n"
        "op,\"untraced:\"\"ProfilerStep#\"\"\",cpu_untraced,ProfilerStep#,,,4,4,1,4,0.4\n"
        "group,\"group:\"\"world\"\" collective:all_reduce\",communication,,all_reduce,world,40,20,0.5,2,2\n"
        "gap,gap:launch,launch_delay,,,,2,1,0.5,1,0.1\n"
        "op,kernel:/^gemm\\(float\\*\\)$/,kernel,gemm(float*),,,36,0,0,0,0\n");
}

TEST_CASE("pairs and order: what two save together, and each time what adds most") {
  const causal::CausalGraph job = two_ranks();
  const Opportunities opportunities = find_opportunities(job);
  CHECK(report::to_csv(opportunity_pairs_sheet(opportunities))
            .find("\"group:\"\"world\"\" collective:all_reduce\",\"op:\"\"f\"\"\",3,0") != std::string::npos);
  CHECK(opportunities.pairs.size() == 6);  // of four that save something
  REQUIRE(opportunities.order.size() == 4);
  CHECK(opportunities.all[opportunities.order[0].opportunity].what != 0);
  CHECK(opportunities.order[0].gain == 2 * kPsPerUs);
  CHECK(opportunities.order[3].total_gain == 3'500'000);
}

TEST_CASE("the selection of a opportunity, pasted into a what-if, saves what the opportunity says") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    const causal::CausalGraph job = program.make(program.as_they_are());
    RC_PRE(job.span > 0);
    const Opportunities opportunities = find_opportunities(job);
    TimePs before = job.span;
    for (const Opportunity& opportunity : opportunities.all) {
      RC_ASSERT(length_after(job, {opportunity.select + " remove"}) == job.span - *opportunity.gain_if_free);
      RC_ASSERT(length_after(job, {opportunity.select + " * 0.9"}) == job.span - *opportunity.gain_10pct);
      RC_ASSERT(*opportunity.gain_if_free <= before);  // sorted
      RC_ASSERT(*opportunity.gain_if_free <= opportunity.on_path);
      RC_ASSERT(*opportunity.gain_10pct <= *opportunity.gain_if_free);
      before = *opportunity.gain_if_free;
    }
    for (const OpportunityPair& pair : opportunities.pairs) {
      const Opportunity &a = opportunities.all[pair.a], &b = opportunities.all[pair.b];
      RC_ASSERT(length_after(job, {a.select + " * 0.9", b.select + " * 0.9"}) == job.span - pair.gain_both);
      RC_ASSERT(pair.overlap == *a.gain_10pct + *b.gain_10pct - pair.gain_both);
    }
    TimePs total = 0;
    std::vector<std::string> edits;
    for (const OpportunityStep& step : opportunities.order) {
      edits.push_back(opportunities.all[step.opportunity].select + " * 0.9");
      total += step.gain;
      RC_ASSERT(step.total_gain == total);
      RC_ASSERT(length_after(job, edits) == job.span - total);
      for (const OpportunityStep& other : opportunities.order) {  // no other would have added more
        if (&other <= &step) continue;
        std::vector<std::string> instead = edits;
        instead.back() = opportunities.all[other.opportunity].select + " * 0.9";
        RC_ASSERT(length_after(job, instead) >= job.span - total);
      }
    }
  }));
}

TEST_CASE("all opportunities together are the job, but for when ranks began") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    const causal::CausalGraph job = program.make(program.as_they_are());
    const Opportunities opportunities = find_opportunities(job);
    TimePs on_path = 0, before = 0;
    for (const Opportunity& opportunity : opportunities.all) on_path += opportunity.on_path;
    for (const graph::Slot slot : graph::solve(job.graph, job.end).path().slots) {
      if (job.kind(slot) == EdgeKind::before) before += job.graph.weight(slot);
    }
    RC_ASSERT(on_path + before == job.span);
  }));
}

TEST_CASE(
    "of very many opportunities those with most time on the path are solved, and no other is said to save anything") {
  const causal::CausalGraph job = two_ranks();
  const Opportunities opportunities = find_opportunities(job, 2);
  CHECK(report::to_csv(opportunities_sheet(job, opportunities)) ==
        "scope,select,kind,name,what,group,total_us,on_path_us,derivative,gain_if_free_us,gain_10pct_us\n"
        "op,\"op:\"\"f\"\"\",cpu_operator,f,,,20,10,0.5,10,1\n"
        "group,\"group:\"\"world\"\" collective:all_reduce\",communication,,all_reduce,world,40,20,0.5,2,2\n"
        "op,\"untraced:\"\"ProfilerStep#\"\"\",cpu_untraced,ProfilerStep#,,,4,4,1,,\n"
        "gap,gap:launch,launch_delay,,,,2,1,0.5,,\n"
        "op,kernel:/^gemm\\(float\\*\\)$/,kernel,gemm(float*),,,36,0,0,0,0\n");
  CHECK(opportunities.order.size() == 2);
  // However many names there are, the looks at edges are bounded.
  CHECK(most_opportunities_solved(100) == 10'000'000);
  CHECK(most_opportunities_solved(600'000) == 1'666);
  CHECK(most_opportunities_solved(1'000'000'000) == 1'000);
}

TEST_CASE("ranks: what the job would save if one of them worked like the others") {
  SmallJob small(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    small.step(rank);
    small.work(rank, "f", (rank == 2 ? 15 : 10) * kPsPerUs);
    small.communicate(rank, "sum");
  }
  const causal::CausalGraph job = small.make();
  const Opportunities opportunities = find_opportunities(job);
  REQUIRE(opportunities.ranks.size() == 4);
  for (const RankGain& gain : opportunities.ranks) CHECK(gain.gain_if_typical == (gain.rank == 2 ? 5 * kPsPerUs : 0));
}

TEST_CASE("of very many ranks only those with work on the path are asked about") {
  SmallJob small(80);
  for (std::uint32_t rank = 0; rank < 80; ++rank) {
    small.step(rank);
    small.work(rank, "f", (rank == 77 ? 15 : 10) * kPsPerUs);
    small.communicate(rank, "sum");
  }
  const Opportunities opportunities = find_opportunities(small.make());
  REQUIRE(opportunities.ranks.size() == 1);
  CHECK(opportunities.ranks[0].rank == 77);
  CHECK(opportunities.ranks[0].gain_if_typical == 5 * kPsPerUs);
}

TEST_CASE("groups that do the same side by side: alone each hides behind the other, together they save") {
  SmallJob made(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    made.step(rank);
    made.work(rank, "f", 10 * kPsPerUs);
    const std::string pair = rank < 2 ? "pair/a" : "pair/b";
    made.communicate(rank, pair, {.group = pair, .transfer = 20 * kPsPerUs});
    made.communicate(rank, "all", {.transfer = 5 * kPsPerUs});
  }
  const causal::CausalGraph job = made.make();
  const Opportunities opportunities = find_opportunities(job);
  for (const Opportunity& opportunity : opportunities.all) {
    if (job.strings.text(opportunity.group).starts_with("pair")) CHECK(opportunity.gain_if_free == 0);
  }
  REQUIRE(opportunities.unions.size() == 1);
  const OpportunityUnion& pairs = opportunities.unions.front();
  CHECK(pairs.groups == 2);
  CHECK(pairs.members == 2);
  CHECK(pairs.alone_if_free == 0);
  CHECK(pairs.gain_if_free == 20 * kPsPerUs);
  CHECK(pairs.gain_10pct == 2 * kPsPerUs);
  // What it says can be pasted.
  CHECK(pairs.select == R"(group:/^(pair\/a|pair\/b)$/ collective:all_reduce)");
  CHECK(length_after(job, {pairs.select + " remove"}) == opportunities.length - pairs.gain_if_free);
}
