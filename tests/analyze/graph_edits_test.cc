// Which pieces of a job an edit selects, and what becomes of them.
#include "analyze/whatif/graph_edits.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "analyze/edited.h"
#include "analyze/small_job.h"
#include "analyze/whatif/whatif.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::edits_of;
using analyze::testing::length_after;
using analyze::testing::SmallJob;
using causal::EdgeKind;
using Lines = std::vector<std::string>;

namespace {

/// Three ranks, two steps: f, an all-reduce of the world, g beside it; then ranks 0 and 1 exchange in a group of their
/// own, and 1 sends to 2.
causal::CausalGraph three_ranks() {
  SmallJob job(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (int step = 0; step < 2; ++step) {
      const std::string number = std::to_string(step);
      job.step(rank);
      job.work(rank, "f", 10 + rank);
      const auto sum = job.ask(rank, "sum" + number);
      job.work(rank, "g", 3, EdgeKind::kernel);
      job.need(rank, sum);
      if (rank < 2) job.communicate(rank, "pair" + number, {.what = "all_gather", .group = "pair", .transfer = 5});
      if (rank > 0)
        job.communicate(rank, "message" + number, {.what = "p2p", .group = "world", .transfer = 7, .message = true});
      job.work(rank, "", 1, EdgeKind::cpu_untraced);
    }
  }
  return job.make();
}

/// "rank 1 step 0 cpu_operator f 11"
Lines pieces(const causal::CausalGraph& job, const EditSelection& selection) {
  Lines lines;
  for (const graph::Slot slot : selection.slots) {
    const std::uint32_t rank = job.rank_of(slot);
    const std::uint32_t tag = job.graph.edge_tag(slot);
    lines.push_back("rank " + std::to_string(rank) + " step " + std::to_string(job.step_of(slot, rank)) + " " +
                    identifier(job.kind(slot)) + " " +
                    (tag == graph::kNoTag ? "" : std::string(job.strings.text(job.owners[tag].name))) + " " +
                    std::to_string(job.graph.weight(slot)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Lines selected(const causal::CausalGraph& job, const std::string& text) {
  const GraphEdits edits = edits_of(job, {text});
  return pieces(job, edits.selections()[0]);
}

std::size_t count(const causal::CausalGraph& job, const std::string& text) {
  return edits_of(job, {text}).selections()[0].count();
}

}  // namespace

TEST_CASE("by rank and step, alone and together") {
  const causal::CausalGraph job = three_ranks();
  CHECK(count(job, "op:f * 2") == 6);
  CHECK(selected(job, "rank:1 op * 2") == Lines{"rank 1 step 0 cpu_operator f 11", "rank 1 step 1 cpu_operator f 11"});
  CHECK(selected(job, "rank:0,2 step:1 op * 2") ==
        Lines{"rank 0 step 1 cpu_operator f 10", "rank 2 step 1 cpu_operator f 12"});
  CHECK(selected(job, "rank:1-2 step:0 kernel * 2") == Lines{"rank 1 step 0 kernel g 3", "rank 2 step 0 kernel g 3"});
  CHECK(count(job, "step:0-1 op * 2") == 6);
  CHECK(count(job, "all * 2") == 6 * 2 + 6 + 3 * 2 + 2 * 2 + 2 * 2);
}

TEST_CASE("transfers by what was exchanged, and in which group") {
  const causal::CausalGraph job = three_ranks();
  CHECK(count(job, "comm * 2") == 6 + 4 + 4);
  CHECK(count(job, "collective * 2") == 6 + 4);
  CHECK(count(job, "collective:all_reduce * 2") == 6);
  CHECK(count(job, "collective:all_* * 2") == 10);
  CHECK(count(job, "p2p * 2") == 4);
  CHECK(count(job, "group:pair comm * 2") == 4);
  CHECK(count(job, "group:world comm * 2") == 10);
  CHECK(count(job, "group:/./ p2p * 2") == 4);
  CHECK(count(job, "group:world collective:all_gather * 2") == 0);
  CHECK(count(job, "group:pair all * 2") == 4);  // communications only
  CHECK(count(job, "group:pair kernel * 2") == 0);
  CHECK(count(job, "group:\"\" comm * 2") == 0);  // all have found partners
  CHECK(selected(job, "rank:2 step:0 p2p * 2") == Lines{"rank 2 step 0 communication gloo:p2p 7"});
}

TEST_CASE("time that belongs to no event, by its kind or as what has no name") {
  const causal::CausalGraph job = three_ranks();
  CHECK(count(job, "untraced * 2") == 6);
  CHECK(count(job, "rank:0 untraced:\"\" * 2") == 2);
  CHECK(count(job, "untraced:* * 2") == 0);
}

TEST_CASE("what is named and not there is told, also beside what is") {
  const causal::CausalGraph job = three_ranks();
  const auto not_there = [&](const std::string& text) { return edits_of(job, {text}).selections()[0].not_there; };
  CHECK(not_there("rank:77 kernel * 2") == Lines{"rank 77"});
  CHECK(count(job, "rank:77 kernel * 2") == 0);
  CHECK(not_there("rank:0,77,80-90 kernel * 2") == Lines{"rank 77", "ranks 80 to 90"});
  CHECK(count(job, "rank:0,77 kernel * 2") == 2);
  CHECK(not_there("rank:1-100 kernel * 2").empty());  // those there are
  CHECK(not_there("step:9 kernel * 2") == Lines{"step 9"});
  CHECK(not_there("rank:0 step:7 delay 1us") == Lines{"step 7"});
  CHECK(not_there("rank:9 fails at 0 restart 1ns") == Lines{"rank 9"});
  CHECK(not_there("fails at 0 restart 1ns from step:5") == Lines{"step 5"});
  CHECK(count(job, "fails at 0 restart 1ns from step:5") == 0);
  CHECK(not_there("fails at 1s restart 1ns") == Lines{"after the end of the job"});
}

TEST_CASE("a delay makes what the main thread does at the begin of a step longer, once per rank and step") {
  const causal::CausalGraph job = three_ranks();
  CHECK(selected(job, "delay 1us") == Lines{"rank 0 step 0 cpu_operator f 10", "rank 0 step 1 cpu_operator f 10",
                                            "rank 1 step 0 cpu_operator f 11", "rank 1 step 1 cpu_operator f 11",
                                            "rank 2 step 0 cpu_operator f 12", "rank 2 step 1 cpu_operator f 12"});
  CHECK(selected(job, "rank:1 step:1 delay 1us") == Lines{"rank 1 step 1 cpu_operator f 11"});
  CHECK(length_after(job, {"rank:2 step:0 delay 1us"}) == job.span + kPsPerUs);
  // Standing still comes on top of changes, in whatever order they are given.
  CHECK(length_after(job, {"rank:2 step:0 delay 1us", "op remove"}) ==
        length_after(job, {"op remove", "rank:2 step:0 delay 1us"}));
  CHECK(length_after(job, {"rank:2 step:0 delay 1us", "op remove"}) > kPsPerUs);
}

TEST_CASE("a thread that begins its step with a collective comes late to it") {
  SmallJob small(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    small.work(rank, "before", 5);
    small.step(rank);
    small.communicate(rank, "sum");
    small.work(rank, "f", 10);
  }
  const causal::CausalGraph job = small.make();
  CHECK(selected(job, "rank:1 delay 4us") == Lines{"rank 1 step 0 cpu_operator before 5"});
  CHECK(length_after(job, {"rank:1 delay 4us"}) == job.span + 4 * kPsPerUs);
}

TEST_CASE("waiting follows by itself: who no longer comes late holds nobody up") {
  SmallJob small(2);
  small.work(1, "sleep", 4 * kPsPerUs);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    small.work(rank, "f", 10 * kPsPerUs);
    const auto sum = small.ask(rank, "sum", {.transfer = 2 * kPsPerUs});
    small.work(rank, "g", 3 * kPsPerUs);
    small.need(rank, sum);
  }
  const causal::CausalGraph job = small.make();
  CHECK(job.span == 17 * kPsPerUs);
  const WhatIf result = what_if(edits_of(job, {"rank:1 op:sleep remove"}), 10);
  CHECK(result.after.length == 13 * kPsPerUs);
  REQUIRE(result.ranks.size() == 2);
  CHECK(result.ranks[0].before == 16 * kPsPerUs);
  CHECK(result.ranks[0].after == 13 * kPsPerUs);
  CHECK(result.ranks[1].before == 17 * kPsPerUs);
  CHECK(result.ranks[1].after == 13 * kPsPerUs);
  CHECK(length_after(job, {"comm remove"}) == 17 * kPsPerUs);
  CHECK(length_after(job, {"comm * 10"}) == 34 * kPsPerUs);
}

TEST_CASE("edits apply in order, and a sweep replaces factors and multiplies standstills") {
  const causal::CausalGraph job = three_ranks();
  CHECK(length_after(job, {"op * 2", "op + 1us"}) == length_after(job, {"op * 2", "rank:0-2 op + 1us"}));
  CHECK(length_after(job, {"op + 1us", "op * 2"}) > length_after(job, {"op * 2", "op + 1us"}));
  const GraphEdits edits = edits_of(job, {"op * 3", "rank:1 delay 2us", "rank:0 fails at 5ns restart 1us"});
  const std::vector<SweepRow> rows = sweep(edits, {0, 1, 2});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].length == length_after(job, {"op * 0"}));
  CHECK(rows[1].length == length_after(job, {"op * 1", "rank:1 delay 2us", "rank:0 fails at 5ns restart 1us"}));
  CHECK(rows[2].length == length_after(job, {"op * 2", "rank:1 delay 4us", "rank:0 fails at 5ns restart 2us"}));
  CHECK(sweep(edits, {}).empty());
}

TEST_CASE("what the device allows: shares of the measured time, never longer than it is") {
  SmallJob made(1);
  made.step(0);
  made.work(0, "big", 100, EdgeKind::kernel);
  made.work(0, "small", 10, EdgeKind::kernel);
  made.work(0, "unknown", 5, EdgeKind::kernel);
  const causal::CausalGraph job = made.make();
  std::vector<OwnerPrice> prices(job.owners.size());
  for (std::size_t o = 0; o < prices.size(); ++o) {
    const std::string_view name = job.strings.text(job.owners[o].name);
    if (name == "big") prices[o] = {OperatorKind::gemm, 0.25, 0.5};
    if (name == "small") prices[o] = {OperatorKind::norm, 1.0, 1.0};
  }
  const auto after = [&](std::vector<std::string> texts) {
    std::vector<ParsedEdit> edits;
    for (const std::string& text : texts) edits.push_back(parse_edit(text));
    const GraphEdits applied(job, edits, prices);
    return std::pair(what_if(applied, 0).after.length, applied.selections().back().unpriced);
  };
  CHECK(after({"kernel = roof"}) == std::pair<TimePs, std::uint64_t>(25 + 10 + 5, 1));
  CHECK(after({"kernel = achievable"}) == std::pair<TimePs, std::uint64_t>(50 + 10 + 5, 1));
  CHECK(after({"kernel kind gemm = roof"}) == std::pair<TimePs, std::uint64_t>(25 + 10 + 5, 0));
  CHECK(after({"kernel kind norm * 2"}) == std::pair<TimePs, std::uint64_t>(100 + 20 + 5, 0));
  // An edit before it may have gone below the roof already.
  CHECK(after({"kernel * 0.1", "kernel = roof"}) == std::pair<TimePs, std::uint64_t>(10 + 1 + 1, 1));
  // Without prices nothing is known of kinds.
  CHECK(GraphEdits(job, {parse_edit("kernel kind gemm * 2")}).selections().front().count() == 0);
}
