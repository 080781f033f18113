// The rule of every kind, worked out by hand.
#include "align/causality.h"

#include <doctest/doctest.h>

#include "match/exchange_finder.h"
#include "match/job_builder.h"

using namespace orrery;
using namespace orrery::align;
using match::find_exchanges;
using match::recorded_times;
using Job = match::test::JobBuilder;

namespace {

CausalityReport check_recorded(const trace::Trace& trace) {
  const Exchanges matched = find_exchanges(trace);
  return check_causality(matched, recorded_times(matched));
}

}  // namespace

TEST_CASE("a collective that ends before its last participant starts is a violation, by how much and between whom") {
  for (const std::string_view kind :
       {"allreduce", "_allgather_base", "reduce_scatter", "all_to_all", "ALLTOALL_BASE", "barrier"}) {
    CAPTURE(kind);
    Job job(3);
    job.add(0, kind, 1, 100, 200);
    job.add(1, kind, 1, 150, 220);
    job.add(2, kind, 1, 230, 300);
    job.add(0, kind, 2, 400, 500);
    job.add(1, kind, 2, 410, 500);
    job.add(2, kind, 2, 500, 600);  // as the others end: allowed
    const CausalityReport report = check_recorded(job.trace);
    CHECK(report.checked == 2);
    REQUIRE(report.violated == 1);
    CHECK(report.violations[0].earlier_node == 2);
    CHECK(report.violations[0].later_node == 0);
    CHECK(report.largest_ps() == 30);
    CHECK(report.early_ends == 2);
    REQUIRE(report.pairs.size() == 2);
    CHECK(report.pairs[0].later_node == 0);
    CHECK(report.pairs[0].largest_ps == 30);
    CHECK(report.pairs[1].later_node == 1);
    CHECK(report.pairs[1].largest_ps == 10);
  }
}

TEST_CASE("of a broadcast or scatter only the root's start binds the others") {
  for (const std::string_view kind : {"broadcast", "_broadcast_oop", "scatter"}) {
    CAPTURE(kind);
    Job job(3);
    job.add(0, {.kind = kind, .sequence = 1, .start = 100, .end = 200, .ranks = "[0, 1, 2]", .group_rank = 1});
    job.add(1, {.kind = kind, .sequence = 1, .start = 250, .end = 260, .ranks = "[0, 1, 2]", .group_rank = 1});
    job.add(2, {.kind = kind,
                .sequence = 1,
                .start = 900,
                .end = 990,
                .ranks = "[0, 1, 2]",
                .group_rank = 1});  // late, but waits only
    const CausalityReport report = check_recorded(job.trace);
    CHECK(report.checked == 1);
    CHECK(report.early_ends == 1);
    REQUIRE(report.violated == 1);
    CHECK(report.violations[0].earlier_node == 1);
    CHECK(report.violations[0].later_node == 0);
    CHECK(report.largest_ps() == 50);
  }
}

TEST_CASE("of a reduce or gather only the root waits") {
  for (const std::string_view kind : {"reduce", "_reduce_oop", "gather"}) {
    CAPTURE(kind);
    Job job(3);
    job.add(0, {.kind = kind, .sequence = 1, .start = 100, .end = 110, .ranks = "[0, 1, 2]", .group_rank = 2});
    job.add(1, {.kind = kind, .sequence = 1, .start = 300, .end = 400, .ranks = "[0, 1, 2]", .group_rank = 2});
    job.add(2, {.kind = kind, .sequence = 1, .start = 120, .end = 280, .ranks = "[0, 1, 2]", .group_rank = 2});
    const CausalityReport report = check_recorded(job.trace);
    CHECK(report.early_ends == 1);
    REQUIRE(report.violated == 1);
    CHECK(report.violations[0].earlier_node == 1);
    CHECK(report.violations[0].later_node == 2);
    CHECK(report.largest_ps() == 20);
  }
}

TEST_CASE("where the root or the neighbour is not recorded nothing is guessed") {
  Job job(2);
  for (std::size_t node = 0; node < 2; ++node) {
    const TimePs at = node == 0 ? 100 : 300;
    job.add(node, {.kind = "broadcast", .sequence = 1, .start = at, .end = at + 10});
    job.add(node,
            {.kind = "broadcast", .sequence = 2, .start = at + 20, .end = at + 30, .ranks = "[0, 1]", .group_rank = 7});
    job.add(node,
            {.kind = "reduce", .sequence = 1, .start = at + 40, .end = at + 50, .group_rank = 0});  // of which group?
    job.add(node, {.kind = "collective_permute", .sequence = 1, .start = at + 60, .end = at + 70});
    job.add(node, {.kind = "coalesced", .sequence = 1, .start = at + 80, .end = at + 90});
  }
  const CausalityReport report = check_recorded(job.trace);
  CHECK(report.checked == 0);
  CHECK(report.violated == 0);
  CHECK(report.root_unknown == 3);
  CHECK(report.peers_unknown == 2);
}

TEST_CASE("a receive does not end before its send starts; a send may end at once") {
  Job job(2);
  job.add(0, {.kind = "send", .sequence = 1, .start = 500, .end = 510, .destination = 1});
  job.add(1, {.kind = "recv", .sequence = 1, .start = 100, .end = 420, .source = 0});
  job.add(1, {.kind = "send", .sequence = 2, .start = 600, .end = 610, .destination = 0});
  job.add(0, {.kind = "recv", .sequence = 2, .start = 5000, .end = 6000, .source = 1});
  const CausalityReport report = check_recorded(job.trace);
  CHECK(report.checked == 2);
  CHECK(report.messages == 2);
  REQUIRE(report.violated == 1);
  CHECK(report.violations[0].earlier_node == 0);
  CHECK(report.violations[0].later_node == 1);
  CHECK(report.largest_ps() == 80);
}

TEST_CASE("a permutation with known pairs is as many messages") {
  Job job(3);
  for (std::size_t node = 0; node < 3; ++node) {
    const TimePs at = static_cast<TimePs>(node) * 1000;
    job.add(node,
            {.kind = "collective_permute", .sequence = 1, .start = at, .end = at + 500, .pairs = "{{0,1},{1,2}}"});
  }
  CausalityReport report = check_recorded(job.trace);
  CHECK(report.messages == 2);
  CHECK(report.violated == 0);  // everyone sends to someone who is later
  Job back(3);
  for (std::size_t node = 0; node < 3; ++node) {
    const TimePs at = static_cast<TimePs>(node) * 1000;
    back.add(
        node,
        {.kind = "collective_permute", .sequence = 1, .start = at, .end = at + 500, .pairs = "{{0,1},{1,2},{2,0}}"});
  }
  report = check_recorded(back.trace);
  CHECK(report.messages == 3);
  REQUIRE(report.violated == 1);
  CHECK(report.largest_ps() == 1500);
}
