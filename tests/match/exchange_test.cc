#include "match/exchange_finder.h"

#include <doctest/doctest.h>

#include "match/job_builder.h"

using namespace orrery;
using namespace orrery::match;
using Job = match::test::JobBuilder;

TEST_CASE("collectives are matched by name and number, not by order") {
  Job job(3);
  for (std::size_t node = 0; node < 3; ++node) {
    if (node != 1) job.add(node, "all_reduce", 7, 100, 200);  // the head of node 1 was cut off
    job.add(node, "all_reduce", 8, 300, 400);
    job.add(node, "all_gather", 8, 500, 600);
    job.add(node, "all_reduce", -1, 700, 800);  // no number: not used
  }
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.all.size() == 3);
  std::size_t of_two = 0;
  for (const Exchange& collective : matched.all) of_two += collective.count == 2 ? 1 : 0;
  CHECK(of_two == 1);
}

TEST_CASE("the n-th of one number belongs to the n-th; different counts are ambiguous") {
  Job job(2);
  for (std::size_t node = 0; node < 2; ++node) {
    job.add(node, "all_reduce", 1, 100, 200);
    job.add(node, "all_reduce", 1, 300, 400);
  }
  job.add(0, "all_reduce", 2, 500, 600);
  job.add(1, "all_reduce", 2, 500, 600);
  job.add(1, "all_reduce", 2, 700, 800);
  const Exchanges matched = find_exchanges(job.trace);
  CHECK(matched.all.size() == 2);
  CHECK(matched.ambiguous == 1);
  for (const Exchange& collective : matched.all)
    CHECK(matched.parts[collective.first].start_ps == matched.parts[collective.first + 1].start_ps);
}

TEST_CASE("every device of a node takes part") {
  Job job(2);
  for (trace::RankTrace& rank : job.trace.ranks) rank.lanes[0].clock = rank.lanes[1].clock = 1;
  job.add(0, "all_reduce", 1, 100, 220, 0);
  job.add(0, "all_reduce", 1, 130, 210, 1);
  job.add(1, "all_reduce", 1, 100, 215, 0);
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.all.size() == 1);
  REQUIRE(matched.parts.size() == 3);
  CHECK(matched.parts[1].start_ps == 130);
}

TEST_CASE("threads of one host take part once, with the one that ends first") {
  Job job(2);
  job.add(0, "all_reduce", 1, 100, 220, 0);
  job.add(0, "all_reduce", 1, 100, 210, 1);
  job.add(1, "all_reduce", 1, 100, 215, 0);
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.parts.size() == 2);
  CHECK(matched.parts[0].end_ps == 210);
}

TEST_CASE("launches on the host are no collectives, and lend their numbers and roots to the kernels they set off") {
  Job job(2);
  for (std::size_t node = 0; node < 2; ++node) {
    job.add(node, {.kind = "broadcast",
                   .sequence = 5,
                   .start = 0,
                   .end = 10,
                   .ranks = "[0, 1]",
                   .group_rank = 1,
                   .external_id = 77,
                   .event_name = "record_param_comms"});
    job.add(node, {.kind = "broadcast",
                   .start = 100,
                   .end = 200,
                   .ranks = "[0, 1]",
                   .external_id = 77,
                   .event_name = "ncclKernel"});
  }
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.all.size() == 1);
  CHECK(matched.all[0].sequence == 5);
  CHECK(matched.all[0].ordering == Ordering::root_first);
  REQUIRE(matched.all[0].root != kUnknownRoot);
  CHECK(matched.parts[matched.all[0].root].node == 1);
}

TEST_CASE("groups of one name with other members are other groups") {
  Job job(4);
  for (std::size_t node = 0; node < 4; ++node)
    job.add(node, {.sequence = 1, .start = 0, .end = 10, .group = "tp", .ranks = node < 2 ? "[0, 1]" : "[2, 3]"});
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.all.size() == 2);
  CHECK(matched.all[0].count == 2);
}

TEST_CASE("replica groups split a collective where devices are nodes, and leave it unchecked where they are not") {
  for (const bool has_two_devices : {false, true}) {
    Job job(4);
    for (std::size_t node = 0; node < 4; ++node) {
      for (trace::LaneIndex lane = 0; lane < (has_two_devices ? 2u : 1u); ++lane)
        job.add(node, {.sequence = 1, .start = 0, .end = 10, .lane = lane, .ranks = "{{0,2},{1,3}}"});
    }
    const Exchanges matched = find_exchanges(job.trace);
    if (has_two_devices) {
      REQUIRE(matched.all.size() == 1);
      CHECK(matched.all[0].ordering == Ordering::neighbours);
      continue;
    }
    REQUIRE(matched.all.size() == 2);
    CHECK(matched.parts[matched.all[0].first].node == 0);
    CHECK(matched.parts[matched.all[0].first + 1].node == 2);
    CHECK(matched.all[0].ordering == Ordering::everybody_waits);
  }
}

TEST_CASE("events without extent are counted and not used") {
  Job job(2);
  job.add(0, "allreduce", 1, 100, 100);
  job.add(1, "allreduce", 1, 100, 90);
  const Exchanges matched = find_exchanges(job.trace);
  CHECK(matched.all.empty());
  CHECK(matched.without_extent == 2);
}
