// Cases whose answer can be worked out on paper. Capacities are bytes per second.
#include "simulate/fluid/fluid_network.h"

#include <doctest/doctest.h>

#include <vector>

#include "fluid_reference.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;

namespace {

using Flows = std::vector<ReferenceFlow>;

std::vector<TimePs> finishes(std::vector<double> capacities, const Flows& flows) {
  FluidNetwork network(capacities);
  return fluid_finishes(network, flows);
}

constexpr TimePs kSecond = kPsPerSecond;

}  // namespace

TEST_CASE("nothing flows: nothing ends") {
  FluidNetwork network(std::vector<double>{1e9});
  CHECK(network.next_completion() == kNever);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(5, finished);
  CHECK(finished.empty());
  CHECK(network.totals(0).bytes == 0);
  CHECK(network.totals(0).busy_ps == 0);
}

TEST_CASE("n flows on one link take n times as long, and end together") {
  for (const int n : {1, 2, 3, 7, 100, 1000}) {
    FluidNetwork network(std::vector<double>{1e9});
    const Flows flows(static_cast<std::size_t>(n), {.shares = {{0, 1}}, .bytes = 1e9});
    const auto ends = fluid_finishes(network, flows);
    CHECK(ends == std::vector<TimePs>(flows.size(), n * kSecond));
    CHECK(network.work().solves ==
          (n == 1 ? 0 : 2));  // one at the start, one at the end; none for a flow that is alone
    CHECK(network.totals(0).bytes == n * 1e9);
    CHECK(network.totals(0).busy_ps == n * kSecond);
    CHECK(network.totals(0).peak_flows == static_cast<std::uint32_t>(n));
  }
}

TEST_CASE("a shorter flow leaves its share to the other") {
  // Half the link each until the short one is through at 2 s; the other has 2 of 3 GB left and the link to itself.
  CHECK(finishes({1e9}, {{{{0, 1}}, 1e9}, {{{0, 1}}, 3e9}}) == std::vector<TimePs>{2 * kSecond, 4 * kSecond});
}

TEST_CASE("a flow that comes later shares from then on") {
  // Alone for 1 s, then half: 1 GB left at 0.5 GB/s.
  CHECK(finishes({1e9}, {{{{0, 1}}, 2e9}, {{{0, 1}}, 2e9, kInfinity, kSecond}}) ==
        std::vector<TimePs>{3 * kSecond, 4 * kSecond});
}

TEST_CASE("incast: the receiver's link is shared, the senders' are not") {
  Flows flows;
  for (std::uint32_t sender = 1; sender <= 15; ++sender)
    flows.push_back({.shares = {{sender, 1}, {0, 1}}, .bytes = 1e8});
  FluidNetwork network(std::vector<double>(16, 1e9));
  CHECK(fluid_finishes(network, flows) == std::vector<TimePs>(15, 3 * kSecond / 2));
  CHECK(network.totals(3).bytes == 1e8);
  CHECK(network.totals(3).busy_ps == 3 * kSecond / 2);
  CHECK(network.totals(3).peak_flows == 1);
}

TEST_CASE("the parking lot: one flow over three links, one on each") {
  // Links of 10, 2 and 5: the long flow and the one on the narrow link get 1 each, the others the rest.
  FluidNetwork network(std::vector<double>{10, 2, 5});
  const auto all = network.add(100, std::vector<LinkShare>{{0, 1}, {1, 1}, {2, 1}}, 0);
  const auto first = network.add(100, std::vector<LinkShare>{{0, 1}}, 0);
  const auto second = network.add(100, std::vector<LinkShare>{{1, 1}}, 0);
  const auto third = network.add(100, std::vector<LinkShare>{{2, 1}}, 0);
  network.next_completion();
  CHECK(network.rate(all) == 1);
  CHECK(network.rate(first) == 9);
  CHECK(network.rate(second) == 1);
  CHECK(network.rate(third) == 4);
  CHECK(network.bottleneck(all) == 1);
  CHECK(network.bottleneck(first) == 0);
  CHECK(network.bottleneck(second) == 1);
  CHECK(network.bottleneck(third) == 2);
}

TEST_CASE("a weight takes more or less of the link, at the same rate") {
  // 3 r + r = 8.
  FluidNetwork network(std::vector<double>{8});
  const auto heavy = network.add(10, std::vector<LinkShare>{{0, 3}}, 0);
  const auto light = network.add(10, std::vector<LinkShare>{{0, 1}}, 0);
  CHECK(network.next_completion() == 5 * kSecond);
  CHECK(network.rate(heavy) == 2);
  CHECK(network.rate(light) == 2);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(5 * kSecond, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{heavy, light});
  CHECK(network.totals(0).bytes == 40);
}

TEST_CASE("a limit holds for its flow; what it leaves goes to the others") {
  FluidNetwork network(std::vector<double>{10});
  const std::vector<LinkShare> link{{0, 1}};
  const auto limited = network.add(4, link, 0, 2);
  const auto free = network.add(16, link, 0);
  const auto loose = network.add(16, link, 0, 100);
  CHECK(network.next_completion() == 2 * kSecond);
  CHECK(network.rate(limited) == 2);
  CHECK(network.rate(free) == 4);
  CHECK(network.rate(loose) == 4);
  CHECK(network.bottleneck(limited) == Price::kNoLink);
  CHECK(network.bottleneck(free) == 0);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(2 * kSecond, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{limited});
  CHECK(network.next_completion() == 2 * kSecond + 1'600'000'000'000);
  CHECK(network.rate(free) == 5);
}

TEST_CASE("a flow may have a limit and no link") {
  FluidNetwork network(std::vector<double>{});
  network.add(10, {}, 7, 5);
  CHECK(network.next_completion() == 7 + 2 * kSecond);
}

TEST_CASE("a limit's place is free for the next flow, with another limit") {
  FluidNetwork network(std::vector<double>{10});
  std::vector<FluidNetwork::FlowId> finished;
  const std::vector<LinkShare> link{{0, 1}};
  for (const double limit : {1.0, 4.0, 20.0}) {
    finished.clear();
    const TimePs now = network.next_completion() == kNever ? 0 : network.next_completion();
    network.advance(now, finished);
    const auto flow = network.add(8, link, now, limit);
    network.next_completion();
    CHECK(network.rate(flow) == std::min(limit, 10.0));
  }
}

TEST_CASE("ends are rounded up to whole picoseconds, and noise does not count") {
  CHECK(finishes({3e12}, {{{{0, 1}}, 1}}) == std::vector<TimePs>{1});  // a third of a picosecond
  CHECK(finishes({3e12}, {{{{0, 1}}, 4}}) == std::vector<TimePs>{2});  // one and a third
  CHECK(finishes({1e12}, {{{{0, 1}}, 4}}) == std::vector<TimePs>{4});  // exactly
  CHECK(finishes({3e9}, {{{{0, 1}}, 9e9}}) == std::vector<TimePs>{3 * kSecond});
  // 0.1 is not a binary fraction: 3 flows of 0.1 GB at a third of 0.1 GB/s.
  CHECK(finishes({1e8}, Flows(3, {{{0, 1}}, 1e8})) == std::vector<TimePs>(3, 3 * kSecond));
}

TEST_CASE("flows that end within one picosecond end at once, in the order of their ids") {
  FluidNetwork network(std::vector<double>{1e12, 1e12, 1e12});
  for (const double bytes : {9.9, 9.5, 9.1}) {
    const auto link = static_cast<std::uint32_t>(network.flow_count());
    network.add(bytes, std::vector<LinkShare>{{link, 1}}, 0);
  }
  CHECK(network.next_completion() == 10);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(10, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{0, 1, 2});
  CHECK(network.next_completion() == kNever);
  CHECK(network.flow_count() == 0);
}

TEST_CASE("what happens at one moment is solved once") {
  FluidNetwork network(std::vector<double>(8, 1e9));
  for (std::uint32_t i = 0; i < 16; ++i) network.add(1e9, std::vector<LinkShare>{{i % 8, 1}}, 0);
  const TimePs end = network.next_completion();
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(end / 2, finished);
  network.advance(end, finished);
  CHECK(finished.size() == 16);
  for (std::uint32_t i = 0; i < 16; ++i) network.add(1e9, std::vector<LinkShare>{{i % 8, 1}}, end);
  CHECK(network.next_completion() == 2 * end);
  CHECK(network.work().solves == 2);
}

TEST_CASE("flows that meet nobody are not solved for") {
  FluidNetwork network(std::vector<double>{1e9, 2e9, 4e9});
  const auto first = network.add(1e9, std::vector<LinkShare>{{0, 0.5}, {1, 2}}, 0);  // 2 GB/s and 1 GB/s
  const auto second = network.add(4e9, std::vector<LinkShare>{{2, 1}}, 0);
  CHECK(network.next_completion() == kSecond);
  CHECK(network.rate(first) == 1e9);
  CHECK(network.bottleneck(first) == 1);
  CHECK(network.rate(second) == 4e9);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(kSecond / 2, finished);
  CHECK(network.totals(1).bytes == 1e9);
  CHECK(network.totals(1).busy_ps == kSecond / 2);
  network.advance(kSecond, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{first, second});
  CHECK(network.bottleneck(first) == 1);
  CHECK(network.totals(0).bytes == 0.5e9);
  CHECK(network.totals(1).peak_flows == 1);
  CHECK(network.work().solves == 0);
}

TEST_CASE("who takes a link of a flow that was alone shares it from then on") {
  FluidNetwork network(std::vector<double>{1e9, 1e9});
  const auto first = network.add(2e9, std::vector<LinkShare>{{0, 1}, {1, 1}}, 0);
  CHECK(network.next_completion() == 2 * kSecond);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(kSecond, finished);
  const auto second = network.add(1e9, std::vector<LinkShare>{{1, 1}}, kSecond);
  CHECK(network.next_completion() == 3 * kSecond);
  CHECK(network.rate(first) == 0.5e9);
  CHECK(network.rate(second) == 0.5e9);
  CHECK(network.totals(1).peak_flows == 2);
  network.advance(3 * kSecond, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{first, second});
  CHECK(network.totals(0).bytes == 2e9);
  CHECK(network.totals(1).busy_ps == 3 * kSecond);
}

TEST_CASE("a flow that comes when the last on its link goes keeps its end") {
  // The two on the link leave at 2 s, which is solved for; the third came at that very moment.
  FluidNetwork network(std::vector<double>{1e9});
  for (int i = 0; i < 2; ++i) network.add(1e9, std::vector<LinkShare>{{0, 1}}, 0);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(network.next_completion(), finished);
  CHECK(finished.size() == 2);
  network.add(1e9, std::vector<LinkShare>{{0, 1}}, 2 * kSecond);
  CHECK(network.next_completion() == 3 * kSecond);
}

TEST_CASE("a change leaves alone what it cannot reach") {
  // 100 pairs of flows, each pair on a link of its own.
  FluidNetwork network(std::vector<double>(100, 1e9));
  for (std::uint32_t i = 0; i < 200; ++i) network.add(1e9 + i * 1e6, std::vector<LinkShare>{{i / 2, 1}}, 0);
  TimePs now = network.next_completion();
  const std::uint64_t before = network.work().flows;
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(now, finished);
  network.next_completion();
  CHECK(finished.size() == 1);
  CHECK(network.work().flows - before == 1);
}

TEST_CASE("a flow that is slow for another reason does not bring faster ones in") {
  // The flow on the narrow link 0 also takes link 1, where two others share what it leaves. Those two leave it alone.
  FluidNetwork network(std::vector<double>{1, 10});
  network.add(1000, std::vector<LinkShare>{{0, 1}, {1, 1}}, 0);
  const auto other = network.add(9, std::vector<LinkShare>{{1, 1}}, 0);
  network.add(1000, std::vector<LinkShare>{{1, 1}}, 0);
  const TimePs end = network.next_completion();
  const std::uint64_t before = network.work().flows;
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(end, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{other});
  network.next_completion();
  CHECK(network.work().flows - before == 1);
}

TEST_CASE("totals in mid-flow are what has moved so far") {
  FluidNetwork network(std::vector<double>{1e9, 1e9});
  network.add(4e9, std::vector<LinkShare>{{0, 1}, {1, 0.5}}, kSecond);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(3 * kSecond, finished);
  CHECK(network.totals(0).bytes == doctest::Approx(2e9));
  CHECK(network.totals(1).bytes == doctest::Approx(1e9));
  CHECK(network.totals(0).busy_ps == 2 * kSecond);
}

TEST_CASE("a flow too slow to end within the span of time ends at its edge, not in the past") {
  FluidNetwork network(std::vector<double>{1e-9});
  network.add(1e12, std::vector<LinkShare>{{0, 1}}, 0);
  CHECK(network.next_completion() > 100 * 86'400 * kSecond);
  CHECK(network.next_completion() < kNever);
}

TEST_CASE("a flow that is to start later ends as if it had come then") {
  FluidNetwork network(std::vector<double>{1e9, 1e9});
  const auto flow = network.reserve(1e9, std::vector<LinkShare>{{0, 1}}, 0, 2 * kSecond);
  REQUIRE(flow != FluidNetwork::kNoFlow);
  CHECK(network.reserve(1e9, std::vector<LinkShare>{{0, 1}, {1, 1}}, 0, kSecond) == FluidNetwork::kNoFlow);
  CHECK(network.next_completion() == 3 * kSecond);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(kSecond, finished);
  CHECK(network.totals(0).busy_ps == 0);
  CHECK(network.totals(0).bytes == 0);
  CHECK(network.totals(0).peak_flows == 0);
  network.advance(3 * kSecond, finished);
  CHECK(finished == std::vector<FluidNetwork::FlowId>{flow});
  CHECK(network.totals(0).busy_ps == kSecond);
}

TEST_CASE("who takes the link before calls it off, who takes it then shares it") {
  FluidNetwork network(std::vector<double>{1e9});
  const std::vector<LinkShare> link{{0, 1}};
  const auto later = network.reserve(1e9, link, 0, 2 * kSecond);
  const auto first = network.add(1e9, link, kSecond);
  CHECK(std::vector(network.called_off().begin(), network.called_off().end()) == std::vector{later});
  CHECK(network.flow_count() == 1);
  CHECK(network.next_completion() == 2 * kSecond);
  std::vector<FluidNetwork::FlowId> finished;
  network.advance(2 * kSecond, finished);
  CHECK(finished == std::vector{first});
  network.reserve(1e9, link, 2 * kSecond, 3 * kSecond);
  network.add(1e9, link, 3 * kSecond);
  CHECK(network.called_off().empty());
  CHECK(network.flow_count() == 2);
  CHECK(network.next_completion() == 5 * kSecond);
  network.advance(5 * kSecond, finished);
  CHECK(finished.size() == 3);
  CHECK(network.totals(0).busy_ps == 3 * kSecond);
}

TEST_CASE("who comes while it flows shares what is left") {
  FluidNetwork network(std::vector<double>{1e9});
  const std::vector<LinkShare> link{{0, 1}};
  network.reserve(2e9, link, 0, kSecond);
  network.add(2e9, link, 2 * kSecond);  // 1 GB is left of the first
  CHECK(network.next_completion() == 4 * kSecond);
}
