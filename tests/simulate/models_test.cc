#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "comm_cases.h"
#include "simulate/models/link_models.h"

using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using orrery::TimePs;
using orrery::machine::kCollectiveAlgorithmNames;
using orrery::machine::Network;
using orrery::workload::Collective;

namespace {

/// Runs the model until nothing is in flight; the order in which operations ended.
std::vector<OpId> run_dry(NetworkModel& model) {
  std::vector<OpId> finished;
  while (model.next_event() != kNever) model.advance(model.next_event(), finished);
  return finished;
}

}  // namespace

TEST_CASE("alone, every model gives what the plan says, in the loop and as an estimate") {
  const std::vector<Network> networks = {network_of({ring(8, 3, 100)}),
                                         network_of({switched(4, 7, 10), switched(2, 1.7, 900)}),
                                         network_of({fully_connected(4, 2.5, 30), ring(4, 1, 400)})};
  CHECK(rc::check([&] {
    const Network& network = networks[*rc::gen::inRange<std::size_t>(0, networks.size())];
    const auto n = *rc::gen::inRange<std::size_t>(1, network.device_count() + 1);
    const auto ranks = *rc::gen::unique<Ranks>(n, rc::gen::inRange<std::uint32_t>(0, network.device_count()));
    const auto kind =
        static_cast<Collective>(*rc::gen::inRange<int>(0, static_cast<int>(orrery::workload::kCollectives)));
    const auto algorithm =
        static_cast<Algorithm>(*rc::gen::inRange<int>(0, static_cast<int>(kCollectiveAlgorithmNames.size())));
    const auto bytes = *rc::gen::inRange<std::int64_t>(0, 10'000'000'000);
    const CommOp op = collective(kind, bytes, ranks);
    RC_PRE(lowering_error(network, op, algorithm).empty());

    CommOptions options{.launch_overhead_ps = 12'345, .message_overhead_ps = 678};
    options.algorithms.fill(algorithm);
    const Price expected = price_alone(network, op, algorithm, options);
    for (const std::string_view name : kLinkModelNames) {
      const auto model = link_model(name, network, options);
      RC_ASSERT(model->estimate(op).value() == expected);
      RC_ASSERT(model->estimate(std::span(&op, 1)).value()[0].total_ps == expected.total_ps);
      RC_ASSERT(model->start(7, op, 1000).ok());
      RC_ASSERT(run_dry(*model) == std::vector<OpId>{7});
      const Price price = model->price(7);
      RC_ASSERT(price.total_ps == expected.total_ps);
      RC_ASSERT(price.alpha_ps == expected.alpha_ps);
      RC_ASSERT(price.slowdown == 1);
    }
  }));
}

TEST_CASE("two equal operations on the same links take twice the beta, and no more alpha") {
  const Network network = network_of({ring(4, 1, 500)});
  const auto fluid = link_model("fluid", network, {.launch_overhead_ps = 3'000'000, .algorithms = {Algorithm::ring}});
  const Ranks all = first_ranks(4);
  const std::vector<CommOp> ops(2, collective(Collective::all_reduce, 400'000, all));
  const Price alone = fluid->estimate(ops[0]).value();
  const auto prices = take(fluid->estimate(ops));
  for (const Price& price : prices) {
    CHECK(price.alpha_ps == alone.alpha_ps);
    CHECK(price.beta_ps == 2 * alone.beta_ps);
    CHECK(price.slowdown == 2);
    CHECK(price.bottleneck != Price::kNoLink);
  }
  for (const Price& price : take(link_model("isolated", network, {.algorithms = {Algorithm::ring}})->estimate(ops)))
    CHECK(price.slowdown == 1);
}

TEST_CASE("a message beside a gather gets half of its port, however many the gather is sent to") {
  const Network network = network_of({switched(64, 1)});
  const Ranks all = first_ranks(64), there = {0, 1};
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::double_binary_tree, Algorithm::ring}) {
    CommOptions options;
    options.algorithms.fill(algorithm);
    const auto fluid = link_model("fluid", network, options);
    const std::vector<CommOp> ops = {collective(Collective::all_gather, 64'000'000, all), message(1'000'000, there)};
    CHECK(take(fluid->estimate(ops))[1].slowdown == doctest::Approx(2));
  }
}

TEST_CASE("operations on different links do not disturb each other") {
  const Network network = network_of({switched(4, 1, 100), switched(2, 1, 100)});
  const auto fluid = link_model("fluid", network);
  const Ranks first_node = {0, 1, 2, 3}, second_node = {4, 5, 6, 7};
  const std::vector<CommOp> ops = {collective(Collective::all_reduce, 400'000, first_node),
                                   collective(Collective::all_reduce, 400'000, second_node)};
  const auto prices = take(fluid->estimate(ops));
  CHECK(prices[0].total_ps == fluid->estimate(ops[0]).value().total_ps);
  CHECK(prices[1].total_ps == prices[0].total_ps);
  CHECK(prices[1].slowdown == 1);
}

TEST_CASE("operations that are mostly latency are not inflated") {
  const Network network = network_of({switched(2, 1, 1'000'000)});  // 2 ms there
  const auto fluid = link_model("fluid", network);
  const Ranks there = {0, 1};
  const std::vector<CommOp> ops(10, message(8, there));
  for (const Price& price : take(fluid->estimate(ops))) {
    CHECK(price.alpha_ps == 2'000'000'000);
    CHECK(price.total_ps == 2'000'000'000 + 10 * 8'000);
  }
  const std::vector<CommOp> barriers(10, collective(Collective::barrier, 0, there));
  for (const Price& price : take(fluid->estimate(barriers))) {
    CHECK(price.total_ps == 2'000'000'000);
    CHECK(price.beta_ps == 0);
    CHECK(price.bottleneck == Price::kNoLink);
  }
}

TEST_CASE("a latecomer shares only what is left") {
  const Network network = network_of({switched(2, 1)});
  const Ranks there = {0, 1};
  const CommOp op = message(1'000, there);  // 1 us alone
  const auto fluid = link_model("fluid", network);
  CHECK(end_times(*fluid, {{op, 0}, {op, 500'000}}) == std::vector<TimePs>{1'500'000, 2'000'000});
  CHECK(fluid->price(0).slowdown == 1.5);
  CHECK(fluid->price(1).slowdown == 1.5);
  const auto isolated = link_model("isolated", network);
  CHECK(end_times(*isolated, {{op, 0}, {op, 500'000}}) == std::vector<TimePs>{1'000'000, 1'500'000});
}

TEST_CASE("latency comes before sharing: who waits holds no bandwidth") {
  const Network network = network_of({switched(3, 1, 0)});
  CommOptions options{.launch_overhead_ps = 1'000'000};
  const auto fluid = link_model("fluid", network, options);
  const Ranks there = {0, 1};
  // The collective launches for 1 us, just long enough for the message to pass undisturbed.
  CHECK(end_times(*fluid, {{collective(Collective::broadcast, 1'000, there), 0}, {message(1'000, there), 0}}) ==
        std::vector<TimePs>{2'000'000, 1'000'000});
  CHECK(fluid->price(0).slowdown == 1);
}

TEST_CASE("what ends at the same moment is reported in the order of ids; what is done at once ends when it starts") {
  const Network network = network_of({switched(8, 1, 100)});
  for (const std::string_view name : kLinkModelNames) {
    const auto model = link_model(name, network);
    CHECK(model->next_event() == kNever);
    const Ranks a = {0, 1}, b = {2, 3}, alone = {5};
    CHECK(model->start(9, message(500, a), 42).ok());
    CHECK(model->start(3, message(500, b), 42).ok());
    CHECK(model->start(5, collective(Collective::all_reduce, 500, alone), 42).ok());
    CHECK(model->next_event() == 42);
    std::vector<OpId> finished;
    model->advance(42, finished);
    CHECK(finished == std::vector<OpId>{5});
    CHECK(model->price(5) == Price{});
    finished = run_dry(*model);
    CHECK(finished == std::vector<OpId>{3, 9});
    CHECK(model->next_event() == kNever);
  }
}

TEST_CASE("an operation that cannot be is refused and leaves no trace") {
  const Network network = network_of({switched(4, 1, 100)});
  for (const std::string_view name : kLinkModelNames) {
    const auto model = link_model(name, network);
    const Ranks twice = {1, 1, 2}, pair = {0, 1};
    CHECK(model->start(1, collective(Collective::all_reduce, 8, twice), 0).error().message ==
          "rank 1 is named twice in a group of 3 ranks");
    CHECK_FALSE(model->estimate(collective(Collective::all_reduce, 8, twice)).ok());
    CHECK(model->start(1, message(std::int64_t{1} << 62, pair), 0).error().message ==
          "an operation of 4611686018427387904 bytes over 2 ranks would take more than 26 days");
    CHECK(model->next_event() == kNever);
  }
}

TEST_CASE("adaptive routing leads messages round those that are under way") {
  orrery::machine::Machine machine = machine_of({dimension(orrery::machine::Topology::leaf_spine, 4, 1)});
  machine.network[0].leaf_spine = {.leaf_size = 2, .spine_count = 2, .oversubscription = 1};
  const Ranks first = {0, 2}, second = {1, 3};
  const std::vector<CommOp> ops = {message(1'000, first), message(1'000, second)};
  machine.routing = orrery::machine::Routing::adaptive;
  const auto fluid = link_model("fluid", take(Network::build(machine)));
  for (const Price& price : take(fluid->estimate(ops))) CHECK(price.slowdown == 1);
  CHECK(fluid->start(0, ops[0], 0).ok());
  CHECK(fluid->start(1, ops[1], 0).ok());
  CHECK(run_dry(*fluid) == std::vector<OpId>{0, 1});
  CHECK(fluid->price(1).slowdown == 1);
}

TEST_CASE("a network with a link down goes round it") {
  orrery::machine::Machine machine = machine_of({ring(4, 1, 100)});
  machine.faults = {{.from = "device0", .to = "device1"}};
  const Network network = take(Network::build(machine));
  const Ranks neighbours = {0, 1}, all = first_ranks(4);
  for (const std::string_view name : kLinkModelNames) {
    const auto model = link_model(name, network);
    CHECK(model->estimate(message(1'000, neighbours)).value().total_ps == 3 * 100'000 + 1'000'000);
    const std::vector<CommOp> ops(2, collective(Collective::all_reduce, 4'000, all));
    for (const Price& price : take(model->estimate(ops))) CHECK(price.beta_ps > 0);
  }
}

TEST_CASE("links remember what they carried") {
  const Network network = network_of({switched(3, 1)});
  const Ranks there = {0, 1}, from_two = {2, 1};
  for (const std::string_view name : {"fluid", "isolated"}) {
    CAPTURE(name);
    const auto model = link_model(name, network);
    end_times(*model, {{message(1'000, there), 0}, {message(1'000, from_two), 0}, {message(500, there), 10'000'000}});
    const auto uses = model->link_uses();
    REQUIRE(uses.size() == network.links().size());
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const auto link = network.links()[i];
      const TimePs together = name == std::string_view("fluid") ? 2'000'000 : 1'000'000;
      if (link.from == 0)
        CHECK((uses[i].bytes == 1'500 && uses[i].busy_ps == together + 500'000 && uses[i].peak_sharing == 1));
      else if (link.from == 2)
        CHECK((uses[i].bytes == 1'000 && uses[i].busy_ps == together && uses[i].peak_sharing == 1));
      else if (link.to == 1)
        CHECK((uses[i].bytes == 2'500 && uses[i].busy_ps == together + 500'000 && uses[i].peak_sharing == 2));
      else CHECK((uses[i].bytes == 0 && uses[i].busy_ps == 0 && uses[i].peak_sharing == 0));
    }
  }
}

TEST_CASE("sharing never makes an operation faster, and the answers are the same twice") {
  CHECK(rc::check([] {
    const Network network = network_of({ring(4, 3, 100), switched(3, 1, 700)});
    std::vector<Ranks> groups;
    std::vector<CommOp> ops;
    const auto count = *rc::gen::inRange<std::size_t>(1, 12);
    for (std::size_t i = 0; i < count; ++i) {
      groups.push_back(
          *rc::gen::unique<Ranks>(*rc::gen::inRange<std::size_t>(2, 13), rc::gen::inRange<std::uint32_t>(0, 12)));
    }
    for (const Ranks& group : groups) {
      const auto kind =
          static_cast<Collective>(*rc::gen::inRange<int>(0, static_cast<int>(orrery::workload::kCollectives)));
      ops.push_back(collective(kind, *rc::gen::inRange<std::int64_t>(0, 1'000'000), group));
    }
    const auto fluid = link_model("fluid", network, {.launch_overhead_ps = 999, .message_overhead_ps = 77});
    const auto prices = take(fluid->estimate(ops));
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Price alone = fluid->estimate(ops[i]).value();
      RC_ASSERT(prices[i].total_ps >= alone.total_ps);
      RC_ASSERT(prices[i].alpha_ps == alone.alpha_ps);
      RC_ASSERT(prices[i].total_ps == prices[i].alpha_ps + prices[i].beta_ps);
      RC_ASSERT(prices[i].slowdown >= 1);
    }
    RC_ASSERT(
        prices ==
        link_model("fluid", network, {.launch_overhead_ps = 999, .message_overhead_ps = 77})->estimate(ops).value());
  }));
}
