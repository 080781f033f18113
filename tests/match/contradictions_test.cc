#include "match/contradictions.h"

#include <doctest/doctest.h>

#include <random>

#include "align/causality.h"
#include "match/exchange_finder.h"
#include "match/job_builder.h"

using namespace orrery;
using namespace orrery::match;
using Job = match::test::JobBuilder;

TEST_CASE(
    "two collectives in opposite order on two nodes prove that they were put together wrongly, whatever the clocks") {
  for (const TimePs offset : {TimePs{0}, TimePs{1'000'000'000}, TimePs{-5'000}}) {
    Job job(2);
    job.add(0, "allreduce", 1, 100, 200);
    job.add(0, "allreduce", 2, 300, 400);
    job.add(1, "allreduce", 2, offset + 100, offset + 200);
    job.add(1, "allreduce", 1, offset + 300, offset + 400);
    const Exchanges matched = find_exchanges(job.trace);
    CHECK(matched.all.empty());
    REQUIRE(matched.mispaired.size() == 2);
    CHECK(matched.mispaired[0].count == 2);
  }
}

TEST_CASE("collectives that overlap on one of the nodes contradict nothing") {
  Job job(2);
  job.add(0, "allreduce", 1, 100, 350);
  job.add(0, "allreduce", 2, 300, 400);
  job.add(1, "allreduce", 2, 100, 200);
  job.add(1, "allreduce", 1, 300, 400);
  CHECK(find_exchanges(job.trace).mispaired.empty());
}

TEST_CASE("a cycle may go through three nodes and a message") {
  Job job(3);
  job.add(0, {.kind = "send", .sequence = 1, .start = 1000, .end = 1010, .destination = 1});
  job.add(1, {.kind = "recv", .sequence = 1, .start = 10, .end = 20, .source = 0});
  job.add(1, {.sequence = 1, .start = 30, .end = 40, .ranks = "[1, 2]"});
  job.add(2, {.sequence = 1, .start = 30, .end = 40, .ranks = "[1, 2]"});
  job.add(2, {.sequence = 9, .start = 50, .end = 60, .ranks = "[0, 2]"});
  job.add(0, {.sequence = 9, .start = 70, .end = 80, .ranks = "[0, 2]"});  // before the send that comes before it
  const Exchanges matched = find_exchanges(job.trace);
  CHECK(matched.mispaired.size() >= 1);
  CHECK(matched.mispaired.size() + matched.all.size() == 3);
}

TEST_CASE("of many collectives the one that was put together wrongly is named, not those around it") {
  std::mt19937_64 random(3);
  Job job(4);
  constexpr TimePs kStep = 1'000'000'000;
  for (std::size_t node = 0; node < 4; ++node) {
    const TimePs offset = static_cast<TimePs>(random() % 50) * kStep;
    for (std::int64_t n = 0; n < 300; ++n) {
      const TimePs end = offset + n * kStep + static_cast<TimePs>(random() % 50'000'000);
      // Node 2 numbers its 40th as the 200th, and the other way round.
      const std::int64_t number = node != 2 ? n : n == 40 ? 200 : n == 200 ? 40 : n;
      job.add(node, "allreduce", number, end - kStep / 10, end);
    }
  }
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.mispaired.size() == 2);
  CHECK(matched.mispaired[0].sequence + matched.mispaired[1].sequence == 240);
  CHECK(matched.all.size() == 298);
}

TEST_CASE("a straggler, drift and offsets are no contradiction") {
  std::mt19937_64 random(4);
  Job job(8);
  for (std::int64_t n = 0; n < 500; ++n) {
    const TimePs last_start = n * 1'000'000'000 + static_cast<TimePs>(random() % 500'000'000);
    for (std::size_t node = 0; node < 8; ++node) {
      const TimePs start = last_start - static_cast<TimePs>(random() % 300'000'000);
      const TimePs end = last_start + 1 + static_cast<TimePs>(random() % 200'000'000);
      const TimePs offset = static_cast<TimePs>(node) * 7'000'000'000;
      const TimePs drift = (n * static_cast<TimePs>(node) - 4 * n) * 50'000;  // up to 200 ppm
      job.add(node, "allreduce", n, start + offset + drift, end + offset + drift);
    }
  }
  CHECK(find_exchanges(job.trace).mispaired.empty());
}
