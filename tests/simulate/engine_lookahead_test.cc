// What a rank does by itself is executed ahead of time: the schedule is that of executing everything when it is time,
// bit for bit.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "random_job.h"
#include "simulate/engine/engine.h"
#include "simulate/fluid/fluid_network.h"

namespace orrery::simulate::testing {
namespace {

/// Every operation takes as long as it has bytes, and that is known before.
class PredictingNetwork final : public NetworkModel, public NetworkLookahead {
 public:
  Result<Price> estimate(const CommOp& op) override { return Price{.total_ps = op.bytes, .beta_ps = op.bytes}; }
  Result<std::vector<Price>> estimate(std::span<const CommOp>) override { return std::vector<Price>(); }
  Status start(OpId id, const CommOp& op, TimePs now) override {
    in_flight_.emplace(now + op.bytes, id);
    return {};
  }
  [[nodiscard]] TimePs next_event() const override { return in_flight_.empty() ? kNever : in_flight_.begin()->first; }
  void advance(TimePs now, std::vector<OpId>& finished) override {
    for (; next_event() <= now; in_flight_.erase(in_flight_.begin())) finished.push_back(in_flight_.begin()->second);
    std::sort(finished.begin(), finished.end());
  }
  [[nodiscard]] std::span<const LinkUse> link_uses() const override { return {}; }
  [[nodiscard]] NetworkLookahead* lookahead() override { return this; }
  std::optional<PredictedOp> predict(const CommOp& op, TimePs start) override {
    return PredictedOp{.end_ps = start + op.bytes};
  }
  void commit(const PredictedOp&) override { ++committed; }
  [[nodiscard]] bool has_mispredicted() const override { return false; }

  std::uint64_t committed = 0;

 private:
  void reset(LinkRecorder*) override { in_flight_.clear(); }

  std::multimap<TimePs, OpId> in_flight_;
};

Result<Schedule> run(const workload::Workload& job, bool use_lookahead, std::uint32_t slots, std::uint64_t& committed) {
  PredictingNetwork network;
  EngineOptions options;
  options.use_lookahead = use_lookahead;
  options.compute_slots = slots;
  options.eager_limit_bytes = 200;
  Result<Schedule> schedule = execute(job, network, options);
  committed += network.committed;
  return schedule;
}

/// Some of what ranks compute becomes a collective that only the rank itself takes part in, on one of two
/// communicators.
workload::Workload with_own_collectives(std::vector<std::vector<Node>> ranks) {
  Groups groups;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    for (Node& node : ranks[rank]) {
      if (node.kind != ActivityKind::compute || node.flags != 0 || draw(0, 2) == 0) continue;
      node = all_reduce(draw(1, 400), node.after, fmt::format("own{}.{}", rank, draw(0, 2)));
    }
    for (const int number : {0, 1})
      groups.emplace_back(fmt::format("own{}.{}", rank, number), std::vector<std::uint32_t>{rank});
  }
  return make_job(ranks, groups);
}

}  // namespace

TEST_CASE("lookahead changes nothing") {
  std::uint64_t committed = 0;
  CHECK(rc::check([&] {
    const workload::Workload job = with_own_collectives(random_ranks());
    const auto slots = static_cast<std::uint32_t>(draw(1, 3));
    std::uint64_t none = 0;
    const auto ahead = run(job, true, slots, committed), in_order = run(job, false, slots, none);
    RC_ASSERT(in_order.ok() == ahead.ok());
    RC_ASSERT(none == 0);
    if (!ahead.ok()) {
      RC_ASSERT(ahead.error().message == in_order.error().message);
      return;
    }
    RC_ASSERT(*ahead == *in_order);
  }));
  CHECK(committed > 100);
}

TEST_CASE("chains of computing and collectives are executed ahead, and messages end them") {
  std::vector<std::vector<Node>> ranks(2);
  for (std::uint32_t i = 0; i < 20; ++i) {
    ranks[0].push_back(i % 2 == 0 ? compute(100 + i, i == 0 ? After{} : After{i - 1}) : all_reduce(50, {i - 1}, "own"));
  }
  ranks[0].push_back(send(1, 1000, {19}));
  ranks[1] = {recv(0, 1000), compute(10, {0})};
  const workload::Workload job = make_job(ranks, {{"own", {0}}});
  std::uint64_t committed = 0, none = 0;
  const auto ahead = run(job, true, 1, committed), in_order = run(job, false, 1, none);
  REQUIRE(ahead.ok());
  REQUIRE(in_order.ok());
  CHECK(*ahead == *in_order);
  CHECK(committed == 10);
}

TEST_CASE("flows are predicted on links to which nobody else came for long, and not once somebody did") {
  const std::vector<double> capacities(20, 1e9);
  FluidNetwork network(capacities);
  std::vector<LinkShare> shares, other = {{3, 1.0}};
  for (std::uint32_t link = 0; link < 12; ++link) shares.push_back({link, 1.0});
  TimePs now = 0;
  std::vector<FluidNetwork::FlowId> finished;
  const auto flow = [&](const std::vector<LinkShare>& links) {
    network.add(1000, links, now);
    now = network.next_completion();
    network.advance(now, finished);
  };
  CHECK_FALSE(network.predict(1000, shares, now, 1));
  for (std::uint32_t i = 0; i <= RouteLease::kTrusted; ++i) flow(shares);
  const auto next = network.predict(1000, shares, now + 500, 1);
  REQUIRE(next);
  CHECK(next->end_ps == now + 500 + kPsPerSecond / 1'000'000);
  network.commit(*next);
  CHECK(network.count(3).busy_ps == TimePs(RouteLease::kTrusted + 2) * (kPsPerSecond / 1'000'000));
  CHECK_FALSE(network.has_mispredicted());
  SUBCASE("before it ends") {
    flow(other);
    CHECK(network.has_mispredicted());
  }
  SUBCASE("when it has ended") {
    network.advance(next->end_ps, finished);
    now = next->end_ps;
    flow(other);
    CHECK_FALSE(network.has_mispredicted());
    for (std::uint32_t i = 0; i <= RouteLease::kTrusted; ++i) flow(shares);
    CHECK_FALSE(network.predict(1000, shares, now, 1));
  }
}

}  // namespace orrery::simulate::testing
