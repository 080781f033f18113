// The three ways to price, on jobs small enough to work out by hand.
#include "simulate/run.h"

#include <doctest/doctest.h>

#include "comm_cases.h"
#include "generate/pipeline_step.h"
#include "simulate/pricing/pricing_report.h"
#include "small_job.h"
#include "support/run_on_machine.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using workload::Collective;

namespace {

constexpr TimePs kUs = 1'000'000;

PricingOptions options_of(PricingModel model, PricingMode mode) {
  PricingOptions options;
  options.model = model;
  options.mode = mode;
  return options;
}

struct Runner {
  machine::Machine machine;
  Diagnostics diagnostics = {};

  Outcome run(const workload::Workload& job, const PricingOptions& options, const PriceOracle& oracle = {}) {
    Pricing pricing = options;
    if (oracle.ask)
      pricing.open_oracle = [&](const auto&, const auto&, auto&) -> Result<PriceOracle> { return oracle; };
    auto priced = simulate::run(job, machine, pricing, engine_options(machine), diagnostics);
    if (!priced) throw std::runtime_error(priced.error().to_string());
    return std::move(*priced);
  }
  Outcome run(const workload::Workload& job, PricingModel model, PricingMode mode) {
    return run(job, options_of(model, mode));
  }
  std::string refusal(const workload::Workload& job, const PricingOptions& options) {
    auto priced = simulate::run(job, machine, options, engine_options(machine), diagnostics);
    return priced ? std::string() : priced.error().to_string();
  }
};

constexpr std::array kModels = {PricingModel::fluid, PricingModel::astra};
constexpr std::array kModes = {PricingMode::in_loop, PricingMode::isolated, PricingMode::snapshot};

machine::Machine by(machine::Dimension dimension, Algorithm algorithm) {
  machine::Machine machine = machine_of({std::move(dimension)});
  machine.communication.collective_algorithm = algorithm;
  return machine;
}

/// Messages of the same size, all ready at once.
workload::Workload messages(std::size_t ranks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                            std::int64_t bytes) {
  std::vector<std::vector<Node>> nodes(ranks);
  std::int64_t tag = 0;
  for (const auto& [from, to] : pairs) {
    nodes[from].push_back(send(static_cast<std::int32_t>(to), bytes, {}, ++tag));
    nodes[to].push_back(recv(static_cast<std::int32_t>(from), bytes, {}, tag));
  }
  for (auto& rank : nodes) {
    if (rank.empty()) rank.push_back(compute(0));
  }
  return make_job(nodes);
}

workload::Workload group_job(std::size_t ranks, const Groups& groups, std::int64_t bytes, TimePs delay_of_first = 0) {
  std::vector<std::vector<Node>> nodes(ranks);
  for (const auto& [name, members] : groups) {
    for (const std::uint32_t rank : members) nodes[rank].push_back(all_reduce(bytes, {}, name));
  }
  if (delay_of_first > 0) {
    nodes[0][0].after = {1};
    nodes[0].push_back(compute(delay_of_first));
  }
  for (auto& rank : nodes) {
    if (rank.empty()) rank.push_back(compute(0));
  }
  return make_job(nodes, groups);
}

}  // namespace

TEST_CASE("canary: an all-reduce of 1 MiB takes 2(n-1)/n of it over a link, however it is priced") {
  constexpr std::int64_t kMiB = 1 << 20;
  TimePs before = 0;
  for (const std::uint32_t n : {2, 4, 8, 16, 32}) {
    Runner runner{by(ring(n, 10, 0), Algorithm::ring)};
    const workload::Workload job = make_uniform_job(n, {all_reduce(kMiB)});
    const TimePs bytes_ps = 2 * (n - 1) * kMiB / n * 100;
    CHECK(bytes_ps > before);
    before = bytes_ps;
    CHECK(runner.run(job, PricingModel::analytical, PricingMode::isolated).report.makespan_ps == bytes_ps);
    for (const PricingMode mode : kModes) {
      CHECK(runner.run(job, PricingModel::fluid, mode).report.makespan_ps == bytes_ps);
      const TimePs astra = runner.run(job, PricingModel::astra, mode).report.makespan_ps;
      CHECK(std::abs(astra - bytes_ps) <= 4 * n * kPsPerNs);  // truncated, and a delay of 1 ns at each end
    }
  }
}

TEST_CASE("two overlapping messages over one link are slower than one, unless priced alone") {
  for (const PricingModel model : kModels) {
    Runner runner{machine_of({switched(4, 1, 0)})};
    const workload::Workload one = messages(4, {{0, 2}}, 100'000), two = messages(4, {{0, 2}, {1, 2}}, 100'000);
    const auto time = [&](const workload::Workload& job, PricingMode mode) {
      return runner.run(job, model, mode).report.makespan_ps;
    };
    // They meet at the port of rank 2.
    for (const PricingMode mode : {PricingMode::in_loop, PricingMode::snapshot})
      CHECK(time(two, mode) > time(one, mode));
    CHECK(time(two, PricingMode::snapshot) > time(two, PricingMode::isolated));
  }
  Runner runner{machine_of({fully_connected(2, 1, 0)})};
  const workload::Workload one = messages(2, {{0, 1}}, 1'000), two = messages(2, {{0, 1}, {0, 1}}, 1'000);
  CHECK(runner.run(one, PricingModel::fluid, PricingMode::snapshot).report.makespan_ps == kUs);
  CHECK(runner.run(two, PricingModel::fluid, PricingMode::isolated).report.makespan_ps == kUs);
  const Outcome snapshot = runner.run(two, PricingModel::fluid, PricingMode::snapshot);
  CHECK(snapshot.report.makespan_ps == 2 * kUs);
  CHECK(runner.run(two, PricingModel::fluid, PricingMode::in_loop).report.makespan_ps == 2 * kUs);
  CHECK(snapshot.report.snapshots == 1);
  CHECK(snapshot.report.max_inflation == 2);
  CHECK(snapshot.report.mean_inflation == 2);
  CHECK(snapshot.report.isolated_makespan_ps == kUs);
  REQUIRE(snapshot.report.groups.size() == 1);
  CHECK(snapshot.report.groups[0].group == "messages");
}

TEST_CASE("groups that share no link do not interfere") {
  for (const PricingModel model : kModels) {
    Runner runner{by(switched(8, 10, 100), Algorithm::ring)};
    const workload::Workload one = group_job(8, {{"1", {0, 1, 2, 3}}}, 1 << 20);
    const workload::Workload two = group_job(8, {{"1", {0, 1, 2, 3}}, {"2", {4, 5, 6, 7}}}, 1 << 20);
    for (const PricingMode mode : kModes) {
      CAPTURE(kPricingModeNames[static_cast<std::size_t>(mode)]);
      CHECK(runner.run(two, model, mode).report.makespan_ps == runner.run(one, model, mode).report.makespan_ps);
    }
    const Outcome snapshot = runner.run(two, model, PricingMode::snapshot);
    CHECK(snapshot.report.max_inflation == 1);
    CHECK(snapshot.report.passes == 1);
    CHECK(snapshot.report.overlap_mismatch == 0);
  }
}

TEST_CASE("an all-gather over a ring of 4 takes three times what it takes fully connected") {
  std::vector<Node> gather = {all_reduce(1 << 20)};
  gather[0].collective = Collective::all_gather;
  const workload::Workload job = make_uniform_job(4, gather);  // each puts in 1 MiB
  Runner round{by(ring(4, 10, 0), Algorithm::ring)}, direct{by(fully_connected(4, 10, 0), Algorithm::direct)};
  for (const PricingModel model : {PricingModel::fluid, PricingModel::analytical, PricingModel::astra}) {
    const TimePs slow = round.run(job, model, PricingMode::isolated).report.makespan_ps;
    const TimePs fast = direct.run(job, model, PricingMode::isolated).report.makespan_ps;
    CHECK(static_cast<double>(slow) / static_cast<double>(fast) == doctest::Approx(3).epsilon(1e-3));
    // Edge case 10: the size of an all-gather is what one rank puts in, as a program says it, and the whole result for
    // the network.
    CHECK(static_cast<double>(fast) == doctest::Approx((1 << 20) * 100.0).epsilon(1e-3));
  }
}

TEST_CASE("sets are taken from a schedule twice at most, and once if nothing moved") {
  generate::PipelineStep step{.tensor_parallel = 2,
                              .data_parallel = 2,
                              .pipeline_parallel = 2,
                              .microbatches = 4,
                              .layers = 4,
                              .kernels_per_layer = 2,
                              .forward_ps = 200 * kUs};
  const workload::Workload job = take(generate::pipeline_step(step));
  Runner runner{machine_of({switched(2, 50, 500), switched(4, 5, 1'000)})};
  PricingOptions options = options_of(PricingModel::fluid, PricingMode::snapshot);
  options.second_pass_share = 0;
  CHECK(runner.run(job, options).report.passes == 2);
  options.passes = 1;
  CHECK(runner.run(job, options).report.passes == 1);
  options = options_of(PricingModel::fluid, PricingMode::snapshot);
  options.second_pass_share = 1;
  CHECK(runner.run(job, options).report.passes == 1);
  // The same run twice gives the same bytes.
  const Outcome first = runner.run(job, options), again = runner.run(job, options);
  CHECK(first.schedule == again.schedule);
  CHECK(first.manifest->to_json() == again.manifest->to_json());
}

TEST_CASE("in the loop and alone, the fluid model is the one that simulate runs") {
  const workload::Workload job =
      take(generate::pipeline_step({.data_parallel = 4, .pipeline_parallel = 2, .microbatches = 4, .layers = 4}));
  Runner runner{machine_of({switched(8, 5, 1'000)})};
  const EngineOptions engine = engine_options(runner.machine);
  const auto in_loop = orrery::testing::run_on_machine(job, runner.machine, "fluid", engine);
  const auto isolated = orrery::testing::run_on_machine(job, runner.machine, "isolated", engine);
  const auto snapshot = orrery::testing::run_on_machine(job, runner.machine, "snapshot", engine);
  const Outcome priced = runner.run(job, PricingModel::fluid, PricingMode::in_loop);
  CHECK(priced.schedule == in_loop->schedule);
  CHECK(priced.link_names == in_loop->link_names);
  CHECK(runner.run(job, PricingModel::fluid, PricingMode::isolated).schedule == isolated->schedule);
  PricingOptions once = options_of(PricingModel::fluid, PricingMode::snapshot);
  once.passes = 1;
  CHECK(runner.run(job, once).schedule == snapshot->schedule);
}

// --- the edge cases of snapshot pricing ---

TEST_CASE("edge 1: operations of one communicator take turns, so they never share") {
  for (const PricingModel model : kModels) {
    Runner runner{by(switched(4, 10, 0), Algorithm::ring)};
    const workload::Workload one = make_uniform_job(4, {all_reduce(1 << 20)});
    const workload::Workload two = make_uniform_job(4, {all_reduce(1 << 20), all_reduce(1 << 20)});
    const Outcome snapshot = runner.run(two, model, PricingMode::snapshot);
    CHECK(snapshot.report.max_inflation == 1);
    CHECK(snapshot.report.makespan_ps == 2 * runner.run(one, model, PricingMode::snapshot).report.makespan_ps);
  }
}

TEST_CASE(
    "edges 2 and 3: what begins when another ends, and what is shorter than what counts as one moment, shares "
    "nothing") {
  // Rank 0 sends 1000 bytes to rank 1; when they are there, rank 2 sends as many over the same port.
  Runner runner{machine_of({switched(3, 1, 0)})};
  const workload::Workload job =
      make_job({{send(1, 1'000)}, {recv(0, 1'000), recv(2, 1'000)}, {compute(kUs), send(1, 1'000, {0})}});
  for (const PricingModel model : kModels) {
    const Outcome run = runner.run(job, model, PricingMode::snapshot);
    if (model == PricingModel::fluid) CHECK(run.report.max_inflation == 1);
    for (const SnapshotInterval& interval : run.manifest->intervals) CHECK(interval.start_ps < interval.end_ps);
  }
  PricingOptions options = options_of(PricingModel::fluid, PricingMode::snapshot);
  options.merge_us = 5;
  const Outcome merged = runner.run(messages(3, {{0, 1}, {2, 1}}, 1'000), options);
  CHECK(merged.report.snapshots == 0);
  CHECK(merged.report.makespan_ps == kUs);
}

TEST_CASE("edge 4: latency is not inflated") {
  machine::Machine machine =
      machine_of({switched(3, 1, 500'000)});  // a message takes 1 ms before its first byte counts
  Runner runner{machine};
  const Outcome run = runner.run(messages(3, {{0, 1}, {2, 1}}, 1'000), PricingModel::fluid, PricingMode::snapshot);
  CHECK(run.report.max_inflation == doctest::Approx(1).epsilon(0.002));
  CHECK(run.report.makespan_ps == 1000 * kUs + 2 * kUs);
}

TEST_CASE("edge 5: who waits for the last participant holds no bandwidth") {
  // Rank 0 comes 50 us late; the message between 1 and 2 is over by then.
  std::vector<std::vector<Node>> ranks = {{compute(50 * kUs), all_reduce(4'000, {0})},
                                          {all_reduce(4'000), send(2, 10'000)},
                                          {all_reduce(4'000), recv(1, 10'000)}};
  Runner runner{by(switched(3, 1, 0), Algorithm::ring)};
  const Outcome run = runner.run(make_job(ranks), PricingModel::fluid, PricingMode::snapshot);
  CHECK(run.report.max_inflation == 1);
  CHECK(run.report.makespan_ps ==
        runner.run(make_job(ranks), PricingModel::fluid, PricingMode::in_loop).report.makespan_ps);
}

TEST_CASE("edge 6: prices do not change the order of a 1F1B schedule") {
  const workload::Workload job = take(generate::pipeline_step({.data_parallel = 2,
                                                               .pipeline_parallel = 4,
                                                               .microbatches = 6,
                                                               .layers = 4,
                                                               .kernels_per_layer = 2,
                                                               .forward_ps = 300 * kUs}));
  Runner runner{machine_of({switched(8, 2, 1'000)})};
  const auto order = [&](const Outcome& run) {
    std::vector<std::uint32_t> numbers;
    const auto first = job.first_activities();
    for (std::size_t rank = 0; rank < job.rank_count(); ++rank) {
      std::vector<std::uint32_t> own;
      const workload::Program& program = job.program(rank);
      for (std::uint32_t i = 0; i < program.size(); ++i) {
        if (program.kinds[i] == ActivityKind::compute) own.push_back(i);
      }
      std::stable_sort(own.begin(), own.end(), [&](std::uint32_t a, std::uint32_t b) {
        return run.schedule.start_ps[first[rank] + a] < run.schedule.start_ps[first[rank] + b];
      });
      numbers.insert(numbers.end(), own.begin(), own.end());
    }
    return numbers;
  };
  const auto isolated = order(runner.run(job, PricingModel::fluid, PricingMode::isolated));
  CHECK(order(runner.run(job, PricingModel::fluid, PricingMode::snapshot)) == isolated);
  CHECK(order(runner.run(job, PricingModel::fluid, PricingMode::in_loop)) == isolated);
}

TEST_CASE("edge 7: sharing may make a run faster, and that is said") {
  // Rank 0 has one slot. Alone, the message for its long kernel comes first, and the short one, for which rank 1 waits,
  // comes second.
  const std::vector<std::vector<Node>> ranks = {{recv(1, 1'100), recv(2, 1'000, {}, 1), recv(2, 1'000, {}, 2),
                                                 compute(kUs, {0}), compute(10 * kUs, {1}), send(1, 1'100, {3}, 3)},
                                                {send(0, 1'100), recv(0, 1'100, {}, 3), compute(10 * kUs, {1})},
                                                {send(0, 1'000, {}, 1), send(0, 1'000, {}, 2)}};
  Runner runner{machine_of({fully_connected(3, 1, 0)})};
  const Outcome run = runner.run(make_job(ranks), PricingModel::fluid, PricingMode::snapshot);
  CHECK(run.report.makespan_ps < run.report.isolated_makespan_ps);
  CHECK(runner.diagnostics.count(kFasterThanIsolated) == 1);
}

TEST_CASE("edge 8: fabrics that share links are not priced apart without a word") {
  // An all-reduce over two nodes goes through both; one inside a node is of another fabric, and meets it there.
  machine::Machine machine = machine_of({switched(2, 10, 0), switched(2, 10, 0)});
  machine.communication.collective_algorithm = Algorithm::hierarchical;
  Runner together{machine}, apart{machine};
  const workload::Workload job = group_job(4, {{"1", {0, 1, 2, 3}}, {"2", {0, 1}}}, 1 << 20);
  PricingOptions options = options_of(PricingModel::fluid, PricingMode::snapshot);
  const Outcome shared = together.run(job, options);
  CHECK(shared.report.max_inflation > 1);
  CHECK(together.diagnostics.count(kUnsafePartition) == 0);
  options.partition_by_fabric = true;
  const Outcome parted = apart.run(job, options);
  CHECK(parted.report.max_inflation == 1);
  CHECK(apart.diagnostics.count(kUnsafePartition) == 4);  // up and down of both devices of the node
  // Where they share nothing there is nothing to say, and nothing changes.
  Runner safe{machine_of({switched(2, 10, 0), switched(2, 10, 0)})};
  const workload::Workload disjoint = group_job(4, {{"1", {0, 2}}, {"2", {1, 3}}, {"3", {0, 1}}}, 1 << 20);
  CHECK(safe.run(disjoint, options).report.makespan_ps ==
        safe.run(disjoint, PricingModel::fluid, PricingMode::snapshot).report.makespan_ps);
  CHECK(safe.diagnostics.count(kUnsafePartition) == 0);
}

TEST_CASE("edge 9: what ASTRA-sim has no price for takes another model's, and each is counted") {
  std::vector<Node> nodes = {all_reduce(1 << 20), all_reduce(1 << 20, {0})};
  nodes[1].collective = Collective::broadcast;
  const workload::Workload job = make_uniform_job(4, nodes);
  for (const PricingMode mode : {PricingMode::isolated, PricingMode::snapshot}) {
    Runner runner{by(switched(4, 10, 0), Algorithm::ring)};
    const Outcome run = runner.run(job, PricingModel::astra, mode);
    CHECK(run.report.fallbacks == 1);
    CHECK(runner.diagnostics.count(kNoPrice) == 1);
    CHECK(runner.diagnostics.sorted().back().example == "ASTRA-sim does not simulate broadcast");
  }
}

TEST_CASE("edge 11: a route that faults cut is an error, not a long time") {
  machine::Machine machine = machine_of({switched(4, 10, 0)});
  machine.faults.push_back({.from = "device3", .to = "d0.switch", .derate = 0});
  Runner runner{machine};
  const workload::Workload job = make_uniform_job(4, {all_reduce(1 << 20)});
  for (const PricingMode mode : kModes) {
    CHECK_FALSE(runner.refusal(job, options_of(PricingModel::fluid, mode)).empty());
    CHECK_FALSE(runner.refusal(job, options_of(PricingModel::astra, mode)).empty());
  }
  machine.faults[0].derate = 0.5;
  CHECK(Runner{machine}
            .refusal(job, options_of(PricingModel::astra, PricingMode::isolated))
            .find("has no words for single links") != std::string::npos);
}

TEST_CASE("edge 12: prices in a file are not those of a derated machine") {
  const orrery::testing::TempDir dir;
  PricingOptions options = options_of(PricingModel::astra, PricingMode::snapshot);
  options.cache_file = dir.path("prices.json");
  const workload::Workload job = group_job(4, {{"1", {0, 1}}, {"2", {1, 2}}}, 1 << 20);
  Runner runner{by(switched(4, 10, 0), Algorithm::ring)};
  const Outcome first = runner.run(job, options), again = runner.run(job, options);
  CHECK(first.report.asked == 2);  // one alone, which is like the other, and both together
  CHECK(again.report.asked == 0);
  CHECK(again.report.cache_hits > 0);
  CHECK(again.schedule == first.schedule);
  Runner derated{runner.machine};
  derated.machine.network[0].derate = 0.5;
  CHECK(derated.run(job, options).report.asked == 2);
  CHECK(derated.run(job, options).report.makespan_ps > first.report.makespan_ps);
}

TEST_CASE("edge 13: a group of one rank and an operation of no bytes take no time") {
  for (const PricingModel model : {PricingModel::fluid, PricingModel::analytical, PricingModel::astra}) {
    Runner runner{by(switched(2, 10, 0), Algorithm::ring)};
    const PricingMode mode = model == PricingModel::analytical ? PricingMode::isolated : PricingMode::snapshot;
    CHECK(runner.run(make_job({{all_reduce(1 << 20, {}, "1")}, {compute(0)}}, {{"1", {0}}}), model, mode)
              .report.makespan_ps == 0);
    CHECK(runner.run(make_uniform_job(2, {all_reduce(0)}), model, mode).report.makespan_ps == 0);
  }
}

TEST_CASE("edge 14: an operation keeps its id whatever is done to the computation around it, and whoever prices it") {
  const auto job = [](bool split) {
    std::vector<Node> nodes = {compute(10 * kUs), all_reduce(1'000, {0}, "1"), all_reduce(2'000, {0}, "2")};
    if (split)
      nodes = {compute(4 * kUs), compute(6 * kUs, {0}), all_reduce(1'000, {1}, "1"), compute(kUs),
               all_reduce(2'000, {1}, "2")};
    return make_job({nodes, nodes}, {{"1", {0, 1}}, {"2", {0, 1}}});
  };
  const auto ids = [](const Outcome& run) {
    std::vector<std::pair<OpId, std::int64_t>> found;
    for (const ManifestOperation& op : run.manifest->operations) found.emplace_back(op.id, op.bytes);
    return found;
  };
  Runner runner{by(switched(2, 1, 0), Algorithm::ring)};
  const auto whole = ids(runner.run(job(false), PricingModel::fluid, PricingMode::snapshot));
  CHECK(whole.size() == 2);
  CHECK(ids(runner.run(job(true), PricingModel::fluid, PricingMode::snapshot)) == whole);
  CHECK(ids(runner.run(job(true), PricingModel::astra, PricingMode::snapshot)) == whole);
}

// --- what the report and the manifest say ---

TEST_CASE("an edge that spans several snapshots gets the mix of them, by the work it did in each") {
  // Two messages of 1000 bytes over one link, the second half a microsecond after the first.
  Runner runner{machine_of({fully_connected(2, 1, 0)})};
  PricingOptions options = options_of(PricingModel::fluid, PricingMode::snapshot);
  options.passes = 1;
  const workload::Workload job = make_job({{send(1, 1'000, {}, 1), compute(kUs / 2), send(1, 1'000, {1}, 2)},
                                           {recv(0, 1'000, {}, 1), recv(0, 1'000, {}, 2)}});
  const Outcome run = runner.run(job, options);
  REQUIRE(run.manifest->operations.size() == 2);
  CHECK(run.manifest->operations[0].price_ps == kUs / 2 + 2 * (kUs / 2));
  CHECK(run.manifest->intervals.size() == 3);
  CHECK(run.report.snapshots == 3);
  CHECK(run.report.slowest[0].members == 2);
  CHECK(run.report.slowest[0].inflation == doctest::Approx(2));
  std::string json = run.manifest->to_json();
  const std::string rounded = "1.9999999999999998";  // 1e9 / (1 / 1e9 / 2) in doubles
  for (std::size_t at = 0; (at = json.find(rounded)) != std::string::npos;) json.replace(at, rounded.size(), "2");
  CHECK(
      json ==
      R"({"format":"orrery.snapshots/1","model":"orrery fluid 1","pass":1,"rank_sets":[[0,1]],"operations":[)"
      R"({"id":0,"kind":"message","bytes":1000,"group":"messages","ranks":0,"start_ps":0,"end_ps":1000000,"isolated_ps":1000000,"price_ps":1500000},)"
      R"({"id":1,"kind":"message","bytes":1000,"group":"messages","ranks":0,"start_ps":500000,"end_ps":1500000,"isolated_ps":1000000,"price_ps":1500000}],)"
      R"("intervals":[{"start_ps":0,"end_ps":500000,"members":[{"id":0,"inflation":1}]},)"
      R"({"start_ps":500000,"end_ps":1000000,"members":[{"id":0,"inflation":2},{"id":1,"inflation":2}]},)"
      R"({"start_ps":1000000,"end_ps":1500000,"members":[{"id":1,"inflation":1}]}]})"
      "\n");
}

TEST_CASE("small operations and small inflations can be passed over") {
  Runner runner{machine_of({fully_connected(2, 1, 0)})};
  PricingOptions options = options_of(PricingModel::fluid, PricingMode::snapshot);
  options.coalesce_below_bytes = 2'000;
  const Outcome small = runner.run(messages(2, {{0, 1}, {0, 1}}, 1'000), options);
  CHECK(small.report.coalesced == 2);
  CHECK(small.report.snapshots == 0);
  CHECK(small.report.makespan_ps == kUs);
  options.coalesce_below_bytes = 0;
  options.reprice_threshold = 1.5;
  CHECK(runner.run(messages(2, {{0, 1}, {0, 1}}, 1'000), options).report.makespan_ps == kUs);
}

TEST_CASE("a set that cannot be priced leaves its members their prices alone, and is counted") {
  Runner runner{by(switched(4, 10, 0), Algorithm::ring)};
  PricingOptions options = options_of(PricingModel::astra, PricingMode::snapshot);
  options.astra_sim = machine::AstraSimProgram{"program"};
  const PriceOracle oracle{[](std::span<const CommOp> ops) -> Result<std::vector<TimePs>> {
                             if (ops.size() > 1) return Error{.message = "too many at once"};
                             return std::vector<TimePs>{ops[0].bytes};
                           },
                           "program"};
  const Outcome run = runner.run(group_job(4, {{"1", {0, 1}}, {"2", {1, 2}}}, 5'000), options, oracle);
  CHECK(run.report.makespan_ps == 5'000);
  CHECK(run.report.failed_snapshots == 1);
  CHECK(run.manifest->intervals[0].failed);
  CHECK(runner.diagnostics.count(kFailedSnapshot) == 1);
  CHECK(runner.diagnostics.sorted().back().example == "too many at once");
  // Without anybody to ask there is an error.
  CHECK(runner.refusal(group_job(4, {{"1", {0, 1}}}, 5), options) ==
        "nobody is there who runs the program of astra_sim");
}

TEST_CASE("an oracle's sets are those that share a link or a rank") {
  Runner runner{by(switched(8, 10, 0), Algorithm::ring)};
  PricingOptions options = options_of(PricingModel::astra, PricingMode::snapshot);
  options.astra_sim = machine::AstraSimProgram{"program"};
  options.passes = 1;
  std::vector<std::size_t> sizes;
  const PriceOracle oracle{[&](std::span<const CommOp> ops) -> Result<std::vector<TimePs>> {
                             sizes.push_back(ops.size());
                             return std::vector<TimePs>(ops.size(), 1000 * static_cast<TimePs>(ops.size()));
                           },
                           "program"};
  // 1 and 2 share rank 1; 3 is by itself; 4 is like 3.
  const Outcome run =
      runner.run(group_job(8, {{"1", {0, 1}}, {"2", {1, 2}}, {"3", {4, 5}}, {"4", {6, 7}}}, 5'000), options, oracle);
  CHECK(sizes == std::vector<std::size_t>{1, 2});
  CHECK(run.report.makespan_ps == 2'000);
  CHECK(run.report.max_inflation == 2);
  REQUIRE(run.report.groups.size() == 4);
  CHECK(run.report.groups[0].group == "1");
  CHECK(run.report.groups[3].mean == 1);
}

TEST_CASE("a sink gets what a kept schedule has, from every model and mode") {
  struct Ends final : ScheduleSink {
    std::vector<TimePs> ends;
    std::size_t open = 0, collectives = 0;
    TimePs now = 0;
    Status begin(const RunLayout&) override {
      *this = Ends();
      return {};
    }
    void started(const ExecutedActivity&, TimePs when) override {
      CHECK(when >= now);
      now = when;
      ++open;
    }
    void ended(const ExecutedActivity&, TimePs when) override {
      CHECK(when >= now);
      now = when;
      --open;
      ends.push_back(when);
    }
    void collective_ended(std::uint32_t, std::uint64_t, const CollectiveUse&) override { ++collectives; }
  };
  const workload::Workload job = take(generate::pipeline_step({.tensor_parallel = 2,
                                                               .data_parallel = 2,
                                                               .pipeline_parallel = 2,
                                                               .microbatches = 2,
                                                               .layers = 2,
                                                               .kernels_per_layer = 2}));
  Runner runner{machine_of({switched(8, 10, 1'000)})};
  EngineOptions engine = engine_options(runner.machine);
  engine.use_symmetry = false;
  for (const PricingModel model : kModels) {
    for (const PricingMode mode : kModes) {
      CAPTURE(kPricingModeNames[static_cast<std::size_t>(mode)]);
      Ends sink;
      const Outcome kept = runner.run(job, model, mode);
      const auto sunk = simulate::run(job, runner.machine, options_of(model, mode), engine, runner.diagnostics, &sink);
      REQUIRE(sunk.ok());
      std::vector<TimePs> ends(kept.schedule.end_ps.begin(), kept.schedule.end_ps.end());
      std::sort(ends.begin(), ends.end());
      CHECK(sink.open == 0);
      CHECK(sink.ends == ends);
      CHECK(sink.collectives == kept.schedule.collectives.size());
      CHECK(sunk->report.makespan_ps == kept.schedule.makespan_ps());
      CHECK(sunk->schedule.activity_count() == 0);
    }
  }
}
