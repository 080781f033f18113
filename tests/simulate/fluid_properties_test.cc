// What must hold for any flows on any links, and agreement with the slow reference.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "fluid_reference.h"
#include "simulate/fluid/fluid_network.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;

namespace {

struct Case {
  std::vector<double> capacities;
  std::vector<ReferenceFlow> flows;
};

/// Few links and few distinct numbers make ties; many make odd levels. Both happen.
Case random_case(std::mt19937_64& random, std::size_t most_links, std::size_t most_flows, bool at_once) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const bool round_numbers = below(2) == 0;
  const auto number = [&](double low, double high) {
    return round_numbers ? std::round(low + static_cast<double>(below(4)) * (high - low) / 3)
                         : low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  Case result;
  result.capacities.resize(1 + below(most_links));
  for (double& capacity : result.capacities) capacity = number(1, 10) * 1e9;
  result.flows.resize(1 + below(most_flows));
  const std::size_t longest = 1 + below(std::min<std::size_t>(6, result.capacities.size()));
  for (ReferenceFlow& flow : result.flows) {
    std::set<machine::LinkId> links;
    while (links.size() < 1 + below(longest))
      links.insert(static_cast<machine::LinkId>(below(result.capacities.size())));
    for (const machine::LinkId link : links) flow.shares.push_back({link, below(2) == 0 ? 1 : number(1, 4) / 2});
    flow.bytes = number(1, 10) * 1e8;
    if (below(5) == 0) flow.limit = number(1, 4) * 5e8;
    if (!at_once) flow.start_ps = static_cast<TimePs>(number(0, 9) * 1e11);
  }
  return result;
}

std::mt19937_64 seeded() { return std::mt19937_64(*rc::gen::arbitrary<std::uint64_t>()); }

/// Everything that makes rates max-min fair: no link above its capacity, and for every flow a link that is full and on
/// which nobody is faster, or its limit.
void check_fair(const FluidNetwork& network, const Case& flows, const std::vector<std::size_t>& flow_of) {
  std::vector<double> used(flows.capacities.size(), 0), fastest(flows.capacities.size(), 0);
  for (std::size_t id = 0; id < flow_of.size(); ++id) {
    const double rate = network.rate(static_cast<std::uint32_t>(id));
    for (const LinkShare& share : flows.flows[flow_of[id]].shares) {
      used[share.link] += share.weight * rate;
      fastest[share.link] = std::max(fastest[share.link], rate);
    }
  }
  for (std::size_t link = 0; link < used.size(); ++link) RC_ASSERT(used[link] <= flows.capacities[link] * (1 + 1e-9));
  for (std::size_t id = 0; id < flow_of.size(); ++id) {
    const double rate = network.rate(static_cast<std::uint32_t>(id));
    const machine::LinkId link = network.bottleneck(static_cast<std::uint32_t>(id));
    if (link == Price::kNoLink) {
      RC_ASSERT(std::abs(rate - flows.flows[flow_of[id]].limit) <= 1e-9 * rate);
    } else {
      RC_ASSERT(used[link] >= flows.capacities[link] * (1 - 1e-9));
      RC_ASSERT(rate >= fastest[link] * (1 - 1e-9));
    }
  }
}

/// Adds all flows at time 0, in the order given; id i is then order[i].
void start_all(FluidNetwork& network, const Case& flows, const std::vector<std::size_t>& order) {
  for (std::size_t id = 0; id < order.size(); ++id) {
    const ReferenceFlow& flow = flows.flows[order[id]];
    RC_ASSERT(network.add(flow.bytes, flow.shares, 0, flow.limit) == id);
  }
  network.next_completion();
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

void assert_close(double a, double b, double relative) {
  RC_ASSERT(std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)));
}

/// Adds flows and lets them end, and holds the rates against the reference at every change.
void come_and_go(std::mt19937_64 random) {
  const Case pool = random_case(random, 16, 60, true);
  FluidNetwork network(pool.capacities);
  std::vector<std::size_t> flow_of;  // by id
  std::vector<bool> present;
  std::vector<FluidNetwork::FlowId> finished;
  TimePs now = 0;
  for (int step = 0; step < 120; ++step) {
    for (std::uint64_t arrivals = random() % 3; arrivals > 0; --arrivals) {
      const std::size_t i = random() % pool.flows.size();
      const auto id = network.add(pool.flows[i].bytes, pool.flows[i].shares, now, pool.flows[i].limit);
      if (flow_of.size() <= id) flow_of.resize(id + 1), present.resize(id + 1);
      RC_ASSERT(!present[id]);
      flow_of[id] = i;
      present[id] = true;
    }
    std::vector<ReferenceFlow> flows;
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0; id < present.size(); ++id) {
      if (present[id]) ids.push_back(id), flows.push_back(pool.flows[flow_of[id]]);
    }
    const TimePs next = network.next_completion();
    const std::vector<double> expected = fair_rates(pool.capacities, flows);
    for (std::size_t k = 0; k < ids.size(); ++k) assert_close(network.rate(ids[k]), expected[k], 1e-9);
    if (next == kNever) continue;
    now += random() % 4 == 0 ? (next - now) / 3 : next - now;
    finished.clear();
    network.advance(now, finished);
    RC_ASSERT(now < next || !finished.empty());
    RC_ASSERT(std::is_sorted(finished.begin(), finished.end()));
    for (const auto id : finished) present[id] = false;
  }
}

}  // namespace

TEST_CASE("rates are max-min fair, and those of the reference") {
  CHECK(rc::check([] {
    auto random = seeded();
    const Case flows = random_case(random, 12, 40, true);
    const auto order = in_order(flows.flows.size());
    FluidNetwork network(flows.capacities);
    start_all(network, flows, order);
    check_fair(network, flows, order);
    const std::vector<double> expected = fair_rates(flows.capacities, flows.flows);
    for (std::size_t i = 0; i < order.size(); ++i)
      assert_close(network.rate(static_cast<std::uint32_t>(i)), expected[i], 1e-9);
  }));
}

TEST_CASE("the order in which flows are added makes no difference to their rates") {
  CHECK(rc::check([] {
    auto random = seeded();
    const Case flows = random_case(random, 12, 40, true);
    const auto order = in_order(flows.flows.size());
    auto shuffled = order;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    FluidNetwork network(flows.capacities), other(flows.capacities);
    start_all(network, flows, order);
    start_all(other, flows, shuffled);
    for (std::uint32_t i = 0; i < order.size(); ++i)
      assert_close(other.rate(i), network.rate(static_cast<std::uint32_t>(shuffled[i])), 1e-12);
  }));
}

// The heart of the matter: hundreds of arrivals and departures, and after each the rates are those of a solve from
// nothing.
TEST_CASE("rates stay those of the reference while flows come and go") {
  CHECK(rc::check([] { come_and_go(seeded()); }));
  // A link that was out of the question becomes too full, when nothing else grows any more.
  CHECK(rc::check([] { come_and_go(std::mt19937_64(3'524'690)); }));
}

TEST_CASE("flows end when the reference says, no byte is lost, and nobody is faster than alone") {
  CHECK(rc::check([] {
    auto random = seeded();
    const Case flows = random_case(random, 10, 30, false);
    FluidNetwork network(flows.capacities);
    const std::vector<TimePs> ends = fluid_finishes(network, flows.flows);
    const std::vector<double> expected = reference_finishes(flows.capacities, flows.flows);
    std::vector<double> carried(flows.capacities.size(), 0);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const ReferenceFlow& flow = flows.flows[i];
      // Rounding up delays every departure by less than a picosecond.
      RC_ASSERT(std::abs(static_cast<double>(ends[i]) * 1e-12 - expected[i]) <=
                1e-9 * expected[i] + 1e-12 * static_cast<double>(ends.size()));
      double alone = flow.limit;
      for (const LinkShare& share : flow.shares) {
        alone = std::min(alone, flows.capacities[share.link] / share.weight);
        carried[share.link] += share.weight * flow.bytes;
      }
      RC_ASSERT(static_cast<double>(ends[i] - flow.start_ps) >= flow.bytes / alone * 1e12 * (1 - 1e-11));
    }
    RC_ASSERT(network.flow_count() == 0);
    for (std::uint32_t link = 0; link < carried.size(); ++link) {
      const LinkTotals totals = network.totals(link);
      assert_close(totals.bytes, carried[link], 1e-12);
      RC_ASSERT(totals.bytes <= flows.capacities[link] * static_cast<double>(totals.busy_ps) * 1e-12 * (1 + 1e-9));
    }
  }));
}

TEST_CASE("the same calls give the same bits") {
  std::mt19937_64 random(5), again(5);
  const Case a = random_case(random, 20, 200, false), b = random_case(again, 20, 200, false);
  FluidNetwork one(a.capacities), other(b.capacities);
  CHECK(fluid_finishes(one, a.flows) == fluid_finishes(other, b.flows));
}

TEST_CASE("a network whose flows have gone is as a new one, to the last bit") {
  CHECK(rc::check([] {
    auto random = seeded();
    Case before = random_case(random, 10, 300, false), flows = random_case(random, 10, 60, false);
    flows.capacities = before.capacities;
    for (ReferenceFlow& flow : flows.flows) {
      std::erase_if(flow.shares, [&](const LinkShare& share) { return share.link >= flows.capacities.size(); });
      if (flow.shares.empty()) flow.shares.push_back({0, 1});
    }
    FluidNetwork used(flows.capacities), fresh(flows.capacities);
    std::vector<TimePs> ends = fluid_finishes(used, before.flows);
    const TimePs offset = *std::max_element(ends.begin(), ends.end()) + 12'345;
    used.forget_flows();
    std::stable_sort(flows.flows.begin(), flows.flows.end(),
                     [](const auto& a, const auto& b) { return a.start_ps < b.start_ps; });
    std::vector<FluidNetwork::FlowId> ended_used, ended_fresh;
    std::set<FluidNetwork::FlowId> present;
    for (std::size_t next = 0; next < flows.flows.size() || !present.empty();) {
      const TimePs arrival = next < flows.flows.size() ? flows.flows[next].start_ps : kNever;
      const TimePs end = fresh.next_completion(), end_used = used.next_completion();
      RC_ASSERT(end_used == (end == kNever ? kNever : end + offset));
      for (const FluidNetwork::FlowId id : present) RC_ASSERT(used.rate(id) == fresh.rate(id));
      const TimePs now = std::min(arrival, end);
      fresh.advance(now, ended_fresh);
      used.advance(now + offset, ended_used);
      RC_ASSERT(ended_fresh == ended_used);
      for (const FluidNetwork::FlowId id : ended_fresh) present.erase(id);
      ended_fresh.clear(), ended_used.clear();
      for (; next < flows.flows.size() && flows.flows[next].start_ps == now; ++next) {
        const ReferenceFlow& flow = flows.flows[next];
        const auto id = fresh.add(flow.bytes, flow.shares, now, flow.limit);
        RC_ASSERT(used.add(flow.bytes, flow.shares, now + offset, flow.limit) == id);
        present.insert(id);
      }
    }
  }));
}

TEST_CASE("sums of bytes are exact, in any order and many times over") {
  CHECK(rc::check([] {
    auto random = seeded();
    std::vector<double> parts(1 + random() % 50);
    for (double& part : parts)
      part = static_cast<double>(random() >> 11) * 0x1p-53 * std::pow(2, static_cast<double>(random() % 40));
    ByteSum one, backwards, many, sum;
    for (const double part : parts) one.add(part);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) backwards.add(*part);
    for (int i = 0; i < 7; ++i)
      for (const double part : parts) many.add(part);
    sum.add(one, 7);
    RC_ASSERT(one == backwards);
    RC_ASSERT(many == sum);
    RC_ASSERT(many.minus(sum) == ByteSum());
    assert_close(one.bytes(), std::accumulate(parts.begin(), parts.end(), 0.0), 1e-8);
  }));
  ByteSum whole;
  whole.add(4'503'599'627'370'497.0);
  whole.add(0.5);
  CHECK(whole.bytes() == 4'503'599'627'370'497.5);
}

TEST_CASE("a long life does not wear the sums out") {
  // 20,000 flows pass over five links; at the end the rates are still those of a network that never saw them.
  std::mt19937_64 random(11);
  const std::vector<double> capacities{1e9, 3e9, 7e9, 0.1e9, 2.3e9};
  FluidNetwork network(capacities);
  std::vector<FluidNetwork::FlowId> finished;
  const auto shares = [&] {
    const auto first = static_cast<std::uint32_t>(random() % 5);
    return std::vector<LinkShare>{
        {first, 1 + static_cast<double>(random() % 7) / 7}, {(first + 1) % 5, 0.3}, {(first + 3) % 5, 1.1}};
  };
  TimePs now = 0;
  for (int i = 0; i < 20'000; ++i) {
    network.add(1e3 + static_cast<double>(random() % 1'000'000), shares(), now);
    if (network.flow_count() < 20) continue;
    now = network.next_completion();
    network.advance(now, finished);
  }
  std::vector<ReferenceFlow> last;
  std::vector<FluidNetwork::FlowId> ids;
  for (TimePs end = network.next_completion(); end != kNever; end = network.next_completion())
    network.advance(end, finished), now = end;
  for (int i = 0; i < 30; ++i) {
    last.push_back({.shares = shares(), .bytes = 1e9});
    ids.push_back(network.add(1e9, last.back().shares, now));
  }
  network.next_completion();
  const std::vector<double> expected = fair_rates(capacities, last);
  for (std::size_t i = 0; i < ids.size(); ++i)
    CHECK(network.rate(ids[i]) == doctest::Approx(expected[i]).epsilon(1e-12));
}
