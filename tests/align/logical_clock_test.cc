#include "align/logical_clock.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <random>

#include "align/causality.h"
#include "match/exchange_finder.h"
#include "match/job_builder.h"

using namespace orrery;
using namespace orrery::align;
using match::find_exchanges;
using match::recorded_times;
using Job = match::test::JobBuilder;

namespace {

constexpr TimePs kMs = 1'000'000'000;

LogicalClock bend(const Exchanges& matched, std::uint32_t nodes) {
  auto clock = controlled_logical_clock(matched, recorded_times(matched), nodes);
  REQUIRE(clock.ok());
  return std::move(*clock);
}

CausalityReport check_with(const Exchanges& matched, const std::vector<trace::Clock>& clocks) {
  return check_causality(matched, mapped_times(matched, [&](std::uint32_t node, std::uint8_t) -> const trace::Clock& {
                           return clocks[node];
                         }));
}

}  // namespace

TEST_CASE("an early end is pushed to the start it waits for, over the 20 ms before it, and comes back slowly") {
  Job job(2);
  job.add(0, "allreduce", 1, 100 * kMs, 110 * kMs);
  job.add(1, "allreduce", 1, 115 * kMs, 118 * kMs);
  const Exchanges matched = find_exchanges(job.trace);
  const LogicalClock clock = bend(matched, 2);
  CHECK(clock.shifts[0].jumps == 1);
  CHECK(clock.shifts[0].total_push_ps == 5 * kMs + 8);
  CHECK(clock.shifts[0].largest_shift_ps == 5 * kMs + 8);
  CHECK(clock.shifts[1].jumps == 0);
  const trace::Clock& warp = clock.warps[0];
  CHECK(warp.map(110 * kMs) == 115 * kMs + 8);
  CHECK(warp.map(50 * kMs) == 50 * kMs);
  CHECK(warp.map(90 * kMs) == 90 * kMs);
  // Half way up the slope; the start of node 0 may move as far as it likes below the end of node 1.
  CHECK(warp.map(100 * kMs) == 100 * kMs + (5 * kMs + 8) / 2);
  CHECK(clock.warps[1].map(100 * kMs) == 100 * kMs);
  CHECK(check_with(matched, clock.warps).violated == 0);
}

TEST_CASE("a start is not moved past an end that waits for it") {
  Job job(2);
  // Node 0 starts the second collective right before the end of the first, which must be pushed by 9 ms.
  job.add(0, {.sequence = 1, .start = 90 * kMs, .end = 101 * kMs, .name = "first"});
  job.add(1, {.sequence = 1, .start = 110 * kMs, .end = 120 * kMs, .name = "first"});
  job.add(0, {.sequence = 2, .start = 100 * kMs, .end = 130 * kMs, .lane = 1, .name = "second"});
  job.add(1, {.sequence = 2, .start = 90 * kMs, .end = 101 * kMs, .lane = 1, .name = "second"});
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.mispaired.empty());
  const LogicalClock clock = bend(matched, 2);
  CHECK(clock.warps[0].map(101 * kMs) >= 110 * kMs);
  CHECK(clock.warps[0].map(100 * kMs) <= 101 * kMs);
  CHECK(check_with(matched, clock.warps).violated == 0);
}

TEST_CASE("a node without violations keeps its clock, and so does one without collectives") {
  Job job(3);
  job.add(0, "allreduce", 1, 100, 300);
  job.add(1, "allreduce", 1, 200, 400);
  const LogicalClock clock = bend(find_exchanges(job.trace), 3);
  for (const trace::Clock& warp : clock.warps) {
    for (const TimePs t : {TimePs{-5}, TimePs{0}, TimePs{150}, TimePs{300}, 10 * kMs}) CHECK(warp.map(t) == t);
  }
}

namespace {

/// A job of random collectives of all kinds and messages, true to cause and effect, stamped by random clocks.
Job random_job(std::mt19937_64& random, std::uint32_t nodes) {
  Job job(nodes);
  const auto below = [&](TimePs n) { return static_cast<TimePs>(random() % static_cast<std::uint64_t>(n)); };
  std::vector<TimePs> free_at(nodes, 0), offset(nodes), ppm(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) offset[i] = below(20 * kMs) - 10 * kMs, ppm[i] = below(400) - 200;
  const auto stamp = [&](std::uint32_t node, TimePs t) { return t + offset[node] + t / 1'000'000 * ppm[node]; };
  std::string all = "[0";
  for (std::uint32_t i = 1; i < nodes; ++i) all += ", " + std::to_string(i);
  all += "]";
  constexpr std::string_view kKinds[] = {"allreduce", "broadcast", "reduce", "barrier", "send"};
  for (std::int64_t n = 0; n < 120; ++n) {
    const std::string_view kind = kKinds[random() % 5];
    const auto root = static_cast<std::uint32_t>(random() % nodes),
               other = static_cast<std::uint32_t>((root + 1) % nodes);
    std::vector<TimePs> start(nodes), end(nodes);
    for (std::uint32_t i = 0; i < nodes; ++i) start[i] = free_at[i] + 1000 + below(3 * kMs);
    const TimePs last = *std::max_element(start.begin(), start.end());
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const bool is_message = kind == "send";
      if (is_message && i != root && i != other) continue;
      TimePs since = start[i];
      if (kind == "allreduce" || kind == "barrier" || (kind == "reduce" && i == root)) since = last;
      if (kind == "broadcast" || (is_message && i == other)) since = std::max(since, start[root]);
      end[i] = since + 1000 + below(kMs / 10);
      free_at[i] = end[i] - below(900);  // the next may begin a little before this one ends
      match::test::Event event{.kind = is_message && i == other ? "recv" : kind,
                               .sequence = n,
                               .start = stamp(i, start[i]),
                               .end = stamp(i, end[i]),
                               .ranks = all,
                               .group_rank = root};
      if (is_message)
        event.group_rank.reset(), (i == root ? event.destination : event.source) = i == root ? other : root;
      job.add(i, event);
    }
  }
  return job;
}

}  // namespace

TEST_CASE("whatever the clocks were, nothing is violated afterwards, and every clock only runs forward") {
  CHECK(rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const auto nodes = *rc::gen::inRange<std::uint32_t>(2, 7);
    const Job job = random_job(random, nodes);
    const Exchanges matched = find_exchanges(job.trace);
    RC_ASSERT(matched.mispaired.empty());
    // Estimated clocks that are anything but right, to be composed with.
    std::vector<trace::Clock> clocks;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const auto wrong = [&] { return static_cast<TimePs>(random() % 4'000'000'000) - 2'000'000'000; };
      const trace::ClockKnot knots[] = {
          {-kMs, -kMs + wrong(), 0}, {99 * kMs, 99 * kMs + wrong(), 0}, {300 * kMs, 300 * kMs + wrong(), 0}};
      const auto clock = trace::Clock::from_knots(knots);
      RC_ASSERT(clock.ok());
      clocks.push_back(*clock);
    }
    const PartTimes times =
        mapped_times(matched, [&](std::uint32_t node, std::uint8_t) -> const trace::Clock& { return clocks[node]; });
    const auto bent = controlled_logical_clock(matched, times, nodes);
    RC_ASSERT(bent.ok());
    RC_ASSERT(bent->left_out == 0u);
    std::size_t jumps = 0;
    for (const LogicalShift& shift : bent->shifts) jumps += shift.jumps;
    RC_ASSERT(check_with(matched, clocks).early_ends == 0u || jumps > 0u);
    for (std::uint32_t i = 0; i < nodes; ++i) clocks[i] = clocks[i].compose(bent->warps[i]);
    RC_ASSERT(check_with(matched, clocks).violated == 0u);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      for (const trace::ClockKnot& knot : bent->warps[i].knots()) {
        RC_ASSERT(knot.to_ps >= knot.from_ps);
        RC_ASSERT(knot.to_ps - knot.from_ps <= bent->shifts[i].largest_shift_ps);
      }
    }
  }));
}

TEST_CASE("of events that make no sense at all, what is left after the contradictions holds on the bent clocks") {
  CHECK(rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const auto nodes = *rc::gen::inRange<std::uint32_t>(2, 6);
    const auto range =
        *rc::gen::element(std::uint64_t{40}, std::uint64_t{1'000'000}, std::uint64_t{trace::kMaxMomentPs} / 2);
    Job job(nodes);
    for (std::int64_t n = 0; n < 40; ++n) {
      const auto root = static_cast<std::int64_t>(random() % nodes);
      const std::string_view kind = random() % 3 == 0 ? "broadcast" : random() % 2 == 0 ? "reduce" : "barrier";
      for (std::uint32_t node = 0; node < nodes; ++node) {
        if (random() % 5 == 0) continue;
        const auto start = static_cast<TimePs>(random() % range) - static_cast<TimePs>(range / 2);
        job.add(node, {.kind = kind,
                       .sequence = n,
                       .start = start,
                       .end = start + 1 + static_cast<TimePs>(random() % range),
                       .ranks = "[0, 1, 2, 3, 4, 5]",
                       .group_rank = root});
      }
    }
    const Exchanges matched = find_exchanges(job.trace);
    const auto bent = controlled_logical_clock(matched, recorded_times(matched), nodes);
    RC_ASSERT(bent.ok());
    RC_ASSERT(bent->left_out == 0u);
    RC_ASSERT(check_with(matched, bent->warps).violated == 0u);
  }));
}

TEST_CASE("collectives that no clock can satisfy are left out and counted") {
  Job job(2);
  job.add(0, "allreduce", 1, 100, 200);
  job.add(1, "allreduce", 1, 1'300, 1'400);
  job.add(0, "allreduce", 2, 300, 400);
  job.add(1, "allreduce", 2, 1'100, 1'200);
  job.add(0, "allreduce", 3, 500, 600);
  job.add(1, "allreduce", 3, 1'700, 1'800);
  Exchanges matched = find_exchanges(job.trace);
  matched.all.insert(matched.all.end(), matched.mispaired.begin(), matched.mispaired.end());
  const LogicalClock clock = bend(matched, 2);
  CHECK(clock.left_out == 2);
  matched.all.resize(1);
  CHECK(check_with(matched, clock.warps).violated == 0);
}
