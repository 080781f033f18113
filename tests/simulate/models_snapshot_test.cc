#include <doctest/doctest.h>

#include "comm_cases.h"
#include "simulate/models/link_models.h"
#include "simulate/models/snapshot.h"

using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using orrery::TimePs;
using orrery::machine::Network;
using orrery::workload::Collective;

namespace {

/// Three devices behind a switch; a message of 1000 bytes takes 1 us, and 0.2 us of latency.
struct Case {
  Network network = network_of({switched(3, 1, 100)});
  Lowering lowering{network, {}};
  Ranks there = {0, 1};
  Ranks elsewhere = {2, 0};

  std::vector<Price> prices(const std::vector<CommOp>& ops, const std::vector<CommInterval>& intervals,
                            TimePs merge_ps = 0) {
    return snapshot_prices(lowering, ops, intervals, {.merge_ps = merge_ps}).value();
  }
};

constexpr TimePs kSnapshotUs = 1'000'000, kSnapshotLatency = 200'000;

}  // namespace

TEST_CASE("an operation that overlaps with nothing is priced as alone") {
  Case c;
  const CommOp op = message(1'000, c.there);
  const auto prices = c.prices({op, op}, {{0, kSnapshotUs + kSnapshotLatency},
                                          {kSnapshotUs + kSnapshotLatency, 2 * kSnapshotUs + 2 * kSnapshotLatency}});
  CHECK(prices[0] == price_alone(c.network, op, Algorithm::automatic));
  CHECK(prices[1] == prices[0]);
}

TEST_CASE("a moment counts as often as sharing stretches it") {
  Case c;
  const CommOp op = message(1'000, c.there), beside = message(1'000, c.elsewhere);
  // They flow together for half of their time: 0.5 us at full rate and 0.5 us at half of it. The third takes other
  // links.
  const auto prices = c.prices({op, op, beside}, {{0, kSnapshotUs + kSnapshotLatency},
                                                  {kSnapshotUs / 2, kSnapshotUs / 2 + kSnapshotUs + kSnapshotLatency},
                                                  {0, kSnapshotUs + kSnapshotLatency}});
  CHECK(prices[0].beta_ps == kSnapshotUs / 2 + 2 * kSnapshotUs / 2);
  CHECK(prices[1].beta_ps == prices[0].beta_ps);
  CHECK(prices[0].slowdown == 1.5);
  CHECK(prices[0].alpha_ps == kSnapshotLatency);
  CHECK(prices[0].total_ps == kSnapshotLatency + prices[0].beta_ps);
  CHECK(prices[2].slowdown == 1);
}

TEST_CASE("latency does not share: two operations of which one waits while the other flows") {
  Case c;
  const CommOp op = message(200, c.there);  // flows for 0.2 us after 0.2 us of latency
  const auto prices = c.prices({op, op}, {{0, 400'000}, {200'000, 600'000}});
  CHECK(prices[0].slowdown == 1);
  CHECK(prices[1].slowdown == 1);
}

TEST_CASE("phases share one by one") {
  const Network network = network_of({switched(4, 1), switched(2, 1)});
  Lowering lowering(network, {.algorithms = {Algorithm::hierarchical}});
  const Ranks all = first_ranks(8), neighbours = {0, 1};
  const CommOp reduce = collective(Collective::all_reduce, 8'000, all);
  const TimePs alone = price_alone(network, reduce, Algorithm::hierarchical).total_ps;
  CHECK(alone == 6 * kSnapshotUs + 2 * kSnapshotUs + 6 * kSnapshotUs);
  // A message inside a node during the last third of the first phase disturbs it, and nothing else.
  const auto prices = snapshot_prices(lowering, std::vector<CommOp>{reduce, message(2'000, neighbours)},
                                      std::vector<CommInterval>{{0, alone}, {4 * kSnapshotUs, 6 * kSnapshotUs}})
                          .value();
  CHECK(prices[0].beta_ps == alone + 2 * kSnapshotUs);
  CHECK(prices[1].beta_ps == 2 * 2 * kSnapshotUs);
}

TEST_CASE("starts and ends at the same moment, and snapshots of no length") {
  Case c;
  const CommOp op = message(1'000, c.there);
  const TimePs length = kSnapshotUs + kSnapshotLatency;
  const auto prices = c.prices({op, op, op, message(0, c.there)},
                               {{0, length}, {0, length}, {length, 2 * length}, {0, kSnapshotLatency}});
  CHECK(prices[0].slowdown == 2);
  CHECK(prices[1].slowdown == 2);
  CHECK(prices[2].slowdown == 1);
  CHECK(prices[3].beta_ps == 0);
  CHECK(c.prices({}, {}).empty());
  CHECK(c.prices({op}, {{5, 5}})[0] == price_alone(c.network, op, Algorithm::automatic));  // an interval that cannot be
}

TEST_CASE("what is shorter than the moments that count as one shares nothing") {
  Case c;
  const CommOp op = message(1'000, c.there), tiny = message(1, c.there);
  const std::vector<CommInterval> intervals = {{0, kSnapshotUs + kSnapshotLatency},
                                               {500'000, 500'000 + kSnapshotLatency + 1'000}};
  CHECK(c.prices({op, tiny}, intervals)[1].slowdown == 2);
  const auto merged = c.prices({op, tiny}, intervals, 5'000);
  CHECK(merged[0].slowdown == 1);
  CHECK(merged[1].slowdown == 1);
}

TEST_CASE("as many intervals as operations") {
  Case c;
  const std::vector<CommOp> ops(2, message(1'000, c.there));
  const std::vector<CommInterval> intervals(3);
  CHECK(snapshot_prices(c.lowering, ops, intervals).error().message == "2 operations but 3 intervals");
}

TEST_CASE("equal operations that start together cost the same by snapshots as by fluid") {
  const Network network = network_of({ring(8, 2, 100)});
  const auto lowering = std::make_shared<Lowering>(network, CommOptions{});
  const Ranks all = first_ranks(8);
  const std::vector<CommOp> ops(3, collective(Collective::all_reduce, 1'000'000, all));
  const auto fluid = take(FluidModel(lowering).estimate(ops));
  const auto snapshot = take(SnapshotModel(lowering).estimate(ops));
  for (std::size_t i = 0; i < ops.size(); ++i) CHECK(snapshot[i].total_ps == fluid[i].total_ps);
}

TEST_CASE("in the loop: a run alone, and one at slower prices") {
  Case c;
  SnapshotModel model(std::make_shared<Lowering>(c.network, CommOptions{}));
  const CommOp op = message(1'000, c.there);
  const auto run = [&] { return end_times(model, {{op, 0}, {op, kSnapshotUs / 2}}); };
  CHECK(run() == std::vector<TimePs>{kSnapshotUs + kSnapshotLatency, kSnapshotUs / 2 + kSnapshotUs + kSnapshotLatency});
  model.set_slowdowns({{0, 1.5}, {1, 1.5}});
  model.keep_prices(true);
  model.restart();
  CHECK(run() == std::vector<TimePs>{3 * kSnapshotUs / 2 + kSnapshotLatency,
                                     kSnapshotUs / 2 + 3 * kSnapshotUs / 2 + kSnapshotLatency});
  CHECK(model.price(0).beta_ps == 3 * kSnapshotUs / 2);
  CHECK(model.price(1).slowdown == 1.5);
  std::uint64_t bytes = 0;
  for (const LinkUse& use : model.link_uses()) bytes += use.bytes;
  CHECK(bytes == 2 * 2 * 1'000);  // of the second run only: two messages over two links
}
