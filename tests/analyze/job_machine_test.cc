#include "analyze/whatif/job_machine.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "analyze/random_job.h"
#include "analyze/small_job.h"
#include "graph/longest_path.h"

using namespace orrery;
using namespace orrery::analyze;
using namespace orrery::analyze::testing;

namespace {

constexpr TimePs kUs = 1'000'000;

machine::Machine behind_switch(std::int64_t devices, double gb_per_s, double latency_ns = 0) {
  machine::Machine machine{.name = "test", .devices = {.count = devices, .name = "device"}};
  machine::Dimension dimension;
  dimension.name = "fabric";
  dimension.topology = machine::Topology::switched;
  dimension.size = devices;
  dimension.bandwidth_gb_per_s = gb_per_s;
  dimension.latency_ns = latency_ns;
  machine.network.push_back(dimension);
  return machine;
}

/// All-reduces of two sizes over all ranks, at 40 GB/s and 12 us.
causal::CausalGraph two_sizes(std::uint32_t ranks) {
  SmallJob job(ranks);
  for (int i = 0; i < 6; ++i) {
    const std::int64_t bytes = 4'000'000 * (1 + i % 2);
    // 2 (n - 1) / n of the buffer crosses each link: of 4 MB over 4 ranks 6 MB, which take 150 us.
    const TimePs transfer = 12 * kUs + bytes * 2 * (ranks - 1) / ranks * 25;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      job.work(r, "f", (50 + 3 * r) * kUs);
      job.communicate(r, "sum" + std::to_string(i), {.transfer = transfer + TimePs{r} * kUs, .bytes = bytes});
    }
  }
  return job.make();
}

NetworkEdit bandwidth(double factor) { return {.text = "", .link = {}, .factor = factor}; }

/// What tests ask: both runs at once.
struct BothRuns {
  std::vector<CalibrationRow> calibration;
  std::size_t left_as_measured;
  graph::Edits resimulated, edited;
  std::vector<std::uint64_t> matched;
};

Result<BothRuns> simulate_job(const causal::CausalGraph& job, const machine::Machine& machine,
                              const std::vector<NetworkEdit>& network_edits, const graph::Edits& edits) {
  const auto on = JobOnMachine::make(job, machine);
  if (!on) return on.error();
  auto edited = on->simulate(network_edits, edits);
  if (!edited) return edited.error();
  return BothRuns{on->calibration(), on->left_as_measured(), on->resimulated(), edited->edits, edited->matched};
}

TimePs job_length(const causal::CausalGraph& job, const graph::Edits& edits) {
  return graph::solve(edits, job.end).length();
}

}  // namespace

TEST_CASE("the calibration finds bandwidth and constant, and the job comes out as it was") {
  const causal::CausalGraph job = two_sizes(4);
  const auto on = simulate_job(job, behind_switch(4, 50), {}, graph::Edits(job.graph));
  REQUIRE(on.ok());
  REQUIRE(on->calibration.size() == 1);
  const CalibrationRow& row = on->calibration.front();
  CHECK(job.strings.text(row.what) == "all_reduce");
  CHECK(row.members == 4);
  CHECK(row.operations == 6);
  CHECK_FALSE(row.overlapped);
  CHECK(row.calibration.efficiency == doctest::Approx(0.8));
  CHECK(row.calibration.alpha_ps == doctest::Approx(12 * kUs).epsilon(1e-6));
  CHECK(row.error_percent < 1e-6);
  CHECK(job_length(job, on->resimulated) == doctest::Approx(static_cast<double>(job.span)).epsilon(1e-9));
  Diagnostics diagnostics;
  CHECK(check_resimulated(job, job_length(job, on->resimulated), diagnostics) < 1e-6);
  CHECK(diagnostics.empty());
}

TEST_CASE("at twice the bandwidth half of what is moved remains, and constants and lags stay") {
  const causal::CausalGraph job = two_sizes(4);
  const std::vector<NetworkEdit> edits = {bandwidth(2)};
  const auto on = simulate_job(job, behind_switch(4, 50), edits, graph::Edits(job.graph));
  REQUIRE(on.ok());
  CHECK(on->matched == std::vector<std::uint64_t>{8});
  // Three of 150 and three of 300 us.
  CHECK(job_length(job, on->edited) ==
        doctest::Approx(static_cast<double>(job.span - 3 * (75 + 150) * kUs)).epsilon(1e-9));
}

TEST_CASE("a faster network is no reason for another algorithm") {
  // By latency and bandwidth alone another one would be chosen at twice the rate; what was learnt is about a hundred
  // times the bytes.
  SmallJob small(6);
  for (std::uint32_t r = 0; r < 6; ++r)
    small.communicate(r, "x", {.what = "reduce", .transfer = 900 * kUs, .bytes = 20'000});
  const causal::CausalGraph job = small.make();
  TimePs before = kUs * 10'000;
  for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0, 16.0, 64.0}) {
    const auto on = simulate_job(job, behind_switch(6, 4, 2000), {bandwidth(factor)}, graph::Edits(job.graph));
    REQUIRE(on.ok());
    CHECK(job_length(job, on->edited) < before);
    before = job_length(job, on->edited);
  }
}

TEST_CASE("edits of local work and of the network apply together") {
  const causal::CausalGraph job = two_sizes(2);
  graph::Edits slower(job.graph);
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    if (job.kind(slot) == causal::EdgeKind::cpu_operator) slower.set_weight(slot, 2 * job.graph.weight(slot));
  }
  const std::vector<NetworkEdit> edits = {bandwidth(2)};
  const auto both = simulate_job(job, behind_switch(2, 50), edits, slower);
  const auto network_only = simulate_job(job, behind_switch(2, 50), edits, graph::Edits(job.graph));
  REQUIRE(both.ok());
  // Rank 1 comes last, and ends last; it works 53 us before each of six.
  CHECK(job_length(job, both->edited) - job_length(job, network_only->edited) ==
        doctest::Approx(6.0 * 53 * kUs).epsilon(1e-6));
}

TEST_CASE("what was only seen to share its links is compared with what the model makes of sharing") {
  // Ranks 0, 1 and ranks 0, 2 at the same time: the links of rank 0 are shared.
  SmallJob small(3);
  for (int i = 0; i < 2; ++i) {
    const std::int64_t bytes = 4'000'000;
    const std::string n = std::to_string(i);
    const SmallJob::Collective left{.group = "a", .transfer = 200 * kUs, .bytes = bytes},
        right{.group = "b", .transfer = 200 * kUs, .bytes = bytes};
    const auto a = small.ask(0, "a" + n, left), b = small.ask(0, "b" + n, right);
    small.communicate(1, "a" + n, left);
    small.communicate(2, "b" + n, right);
    small.need(0, a);
    small.need(0, b);
  }
  const causal::CausalGraph job = small.make();
  const auto on = simulate_job(job, behind_switch(3, 40), {}, graph::Edits(job.graph));
  REQUIRE(on.ok());
  REQUIRE(on->calibration.size() == 1);
  CHECK(on->calibration[0].overlapped);
  CHECK(on->calibration[0].calibration.efficiency == doctest::Approx(1));  // alone each would take 100 us
  CHECK(job_length(job, on->resimulated) == doctest::Approx(400.0 * kUs).epsilon(1e-6));
}

TEST_CASE("a machine that is not the one is noticed") {
  // The larger one was the faster one: no bandwidth explains both.
  SmallJob small(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    small.communicate(r, "a", {.transfer = 400 * kUs, .bytes = 1'000'000});
    small.communicate(r, "b", {.transfer = 40 * kUs, .bytes = 8'000'000});
  }
  const causal::CausalGraph job = small.make();
  const auto on = simulate_job(job, behind_switch(2, 40), {}, graph::Edits(job.graph));
  REQUIRE(on.ok());
  Diagnostics diagnostics;
  CHECK(check_resimulated(job, job_length(job, on->resimulated), diagnostics) > 10);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.sorted()[0].kind->code == std::string("J809"));
}

TEST_CASE("links and latencies are edited by name") {
  const auto network = machine::Network::build(behind_switch(3, 10, 100));
  REQUIRE(network.ok());
  NetworkEdit slower{.text = "", .link = NamePattern::glob("device1 -> *"), .factor = 0.5};
  NetworkEdit latency{.text = "",
                      .link = {},
                      .quantity = NetworkEdit::Quantity::latency,
                      .action = EditRule::Action::set,
                      .amount = kUs};
  NetworkEdit less{.text = "",
                   .link = {},
                   .quantity = NetworkEdit::Quantity::latency,
                   .action = EditRule::Action::add,
                   .amount = -3 * kUs};
  const std::vector<NetworkEdit> two = {slower, latency}, three = {slower, latency, less};
  const EditedNetwork edited = edit_network(*network, two);
  CHECK(edited.matched == std::vector<std::uint64_t>{1, 6});
  for (machine::LinkId id = 0; id < 6; ++id) {
    const bool is_slower = network->link_name(id).starts_with("device1 ->");
    CHECK(edited.network.links()[id].bytes_per_second == network->links()[id].bytes_per_second * (is_slower ? 0.5 : 1));
    CHECK(edited.network.links()[id].latency_ps == kUs);
  }
  CHECK(edit_network(*network, three).network.links()[0].latency_ps == 0);
}

TEST_CASE("what cannot be simulated is said") {
  const causal::CausalGraph job = two_sizes(4);
  CHECK(simulate_job(job, behind_switch(3, 50), {}, graph::Edits(job.graph)).error().message ==
        "the job has a rank 3, and the machine 'test' 3 devices: rank r is device r");
  graph::Edits edits(job.graph);
  edits.set_weight(job.parts[0].transfer, 0);
  const auto refused = simulate_job(job, behind_switch(4, 50), {}, edits);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == Error::Kind::misuse);
}

TEST_CASE("operations of unknown size keep what was measured") {
  SmallJob small(2);
  for (std::uint32_t r = 0; r < 2; ++r) small.communicate(r, "x", {.transfer = 5 * kUs, .bytes = -1});
  const causal::CausalGraph job = small.make();
  const std::vector<NetworkEdit> edits = {bandwidth(0.001)};
  const auto on = simulate_job(job, behind_switch(2, 1), edits, graph::Edits(job.graph));
  REQUIRE(on.ok());
  CHECK(on->left_as_measured == 1);
  CHECK(job_length(job, on->edited) == 5 * kUs);
}

TEST_CASE("an edit that changes nothing gives any job as it is re-simulated") {
  CHECK(rc::check([] {
    const RandomProgram program(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<std::uint32_t> same(program.ranks);
    for (std::uint32_t r = 0; r < program.ranks; ++r) same[r] = r;
    const causal::CausalGraph job = program.make(same);
    const machine::Machine machine = behind_switch(program.ranks, 25, 200);
    const std::vector<NetworkEdit> as_it_is = {bandwidth(1)};
    const auto on = simulate_job(job, machine, as_it_is, graph::Edits(job.graph));
    RC_ASSERT(on.ok());
    RC_ASSERT(job_length(job, on->edited) == job_length(job, on->resimulated));
  }));
}
