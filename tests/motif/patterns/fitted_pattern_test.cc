// A fitted motif becomes a workload: branches agree on all ranks, partners are found, and what is not known is told.
#include "motif/patterns/fitted_pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "machine/yaml/machine_yaml.h"
#include "motif/patterns/pattern_source.h"
#include "motif/predict.h"
#include "simulate/summed_schedule.h"
#include "support/run_on_machine.h"
#include "workload/matching.h"

using namespace orrery;
using namespace orrery::motif;

namespace {

Site site(std::uint32_t id, std::string operation, Group group, std::string_view bytes) {
  Site made;
  made.id = id;
  made.operation = std::move(operation);
  made.group = group;
  made.bytes = Formula::composed(bytes);
  return made;
}

Site exchange(std::uint32_t id, Peer peer, std::string_view bytes) {
  Site made = site(id, "MPI_Sendrecv", Group::none, bytes);
  made.peer = peer;
  return made;
}

Flow call(std::uint32_t id) {
  Flow flow;
  flow.kind = Flow::Kind::call;
  flow.site = id;
  return flow;
}

Flow flow_of(Flow::Kind kind, std::vector<Flow> parts) {
  Flow flow;
  flow.kind = kind;
  flow.parts = std::move(parts);
  return flow;
}

/// Rows, columns, mirrored places, a ring in the row, and levels whose number chance decides; diagonal ranks have a
/// call more.
Motif search() {
  Motif motif;
  motif.sites = {site(1, "MPI_Allreduce", Group::world, "8"), exchange(2, Peer::opposite, "X/n"),
                 site(3, "MPI_Alltoall", Group::row, "64"),   site(4, "MPI_Bcast", Group::column, "s*100"),
                 exchange(5, Peer::row_each, "1000"),         site(6, "MPI_Comm_free", Group::none, "0")};
  Flow ring = flow_of(Flow::Kind::loop, {call(5)});
  ring.trips = Formula::composed("q-1");
  Flow levels = flow_of(Flow::Kind::chain,
                        {flow_of(Flow::Kind::sequence, {call(3), call(4)}), flow_of(Flow::Kind::sequence, {ring})});
  const auto step = [](std::vector<std::uint32_t> context, std::uint32_t next, double times) {
    ChainStep made;
    made.context = std::move(context);
    made.next = next;
    made.times = Formula(times);
    return made;
  };
  levels.steps = {step({}, 0, 1), step({0}, 0, 2), step({0}, 1, 1), step({1}, 0, 1), step({1}, ChainStep::kEnd, 1)};
  Flow searches = flow_of(Flow::Kind::loop, {call(1), call(2), levels});
  searches.trips = Formula(4.0);
  RankClass off_diagonal;
  off_diagonal.name = "off the diagonal";
  off_diagonal.members = Members::off_diagonal;
  off_diagonal.flow = searches;
  RankClass diagonal = off_diagonal;
  diagonal.name = "diagonal";
  diagonal.members = Members::diagonal;
  diagonal.flow.parts.push_back(call(6));
  motif.classes = {off_diagonal, diagonal};
  Transition transition;
  transition.from = 1;
  transition.to = 2;
  transition.compute_us = Formula(5.0);
  motif.transitions = {transition};
  return motif;
}

RunParameters run_of(double nodes, double size) {
  RunParameters run;
  run.nodes = nodes;
  run.size = size;
  return run;
}

}  // namespace

TEST_CASE("every call of a fitted motif finds its partners, whatever chance decides") {
  std::set<std::uint64_t> lengths;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    CAPTURE(seed);
    auto made = fitted_pattern(search(), run_of(16, 10), seed);
    REQUIRE_MESSAGE(made.ok(), made.error().to_string());
    CHECK(made->notes.empty());
    auto source = pattern_source(made->pattern);
    REQUIRE(source.ok());
    CHECK((*source)->program_count() == 7);  // one for each diagonal of the grid
    const auto whole = workload::collect(**source);
    REQUIRE(whole.ok());
    const auto matching = workload::Matching::of(*whole);
    CHECK_MESSAGE(matching.ok(), matching.error().to_string());
    lengths.insert(whole->program(1).size());
  }
  CHECK(lengths.size() > 1);  // seeds decide differently
}

TEST_CASE("a fitted motif runs the same folded into classes and with every rank executed") {
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: 16, name: d}\nnetwork: [{name: n, topology: switch, size: "
      "16, "
      "bandwidth_gb_per_s: 1, latency_ns: 100}]\ncommunication: {collective_algorithm: mpi}\n",
      "m");
  REQUIRE(machine.ok());
  std::vector<TimePs> times;
  for (const bool symmetric : {true, false}) {
    auto made = fitted_pattern(search(), run_of(16, 10), 3);
    auto source = pattern_source(made->pattern);
    simulate::EngineOptions options = simulate::engine_options(*machine);
    options.use_symmetry = symmetric;
    simulate::PhasedSchedule sums;
    const auto outcome = orrery::testing::run_on_machine(**source, *machine, "fluid", options, &sums);
    REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
    for (const simulate::RankUse& rank : outcome->schedule.ranks) times.push_back(rank.finish_ps);
  }
  REQUIRE(times.size() == 32);
  CHECK(std::equal(times.begin(), times.begin() + 16, times.begin() + 16));
  CHECK(times.front() > 4 * 5 * kPsPerUs);  // the computation before the second call
}

TEST_CASE("what a motif does not say is told") {
  Motif motif = search();
  motif.sites[0].group = Group::unknown;
  motif.sites[1].peer = Peer::any;
  const auto made = fitted_pattern(motif, run_of(16, 10), 1);
  motif.sites[2].operation.clear();
  CHECK(fitted_pattern(motif, run_of(16, 10), 1)->notes.size() == 3);
  REQUIRE(made.ok());
  REQUIRE(made->notes.size() == 2);
  CHECK(made->notes[0] == "site 1 (MPI_Allreduce): its communicator is not known and taken for all ranks");
  CHECK(made->notes[1] == "site 2 (MPI_Sendrecv): whom it sends to is not known, and its messages are left out");
  const auto oblong = fitted_pattern(search(), run_of(8, 10), 1);
  REQUIRE_FALSE(oblong.ok());
  CHECK(oblong.error().message.find("square number of ranks, not 8") != std::string::npos);
  CHECK_FALSE(fitted_pattern(search(), run_of(2.5, 10), 1).ok());
}

TEST_CASE("a walk takes each way as often as the motif expects, whatever the seed") {
  Motif motif = search();
  for (RankClass& one : motif.classes) one.flow.trips = Formula(64.0);
  const RunParameters run = run_of(16, 10);
  for (RankClass& one : motif.classes) one.share = Formula(0.5);
  const Prediction prediction = predict(motif, run);
  const double expected = prediction.sites[2].calls;  // of all-to-alls: six in a search, in the mean
  CHECK(expected == doctest::Approx(64 * 6));
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    CAPTURE(seed);
    auto made = fitted_pattern(motif, run, seed);
    REQUIRE(made.ok());
    const auto source = pattern_source(made->pattern);
    const std::vector<std::uint64_t>& collectives = (*source)->structure(0).length->collectives;
    const auto in_rows = static_cast<double>(*std::max_element(collectives.begin(), collectives.end()));
    CHECK(std::abs(in_rows - expected) < 0.03 * expected);  // independent draws: ten times that
  }
}

TEST_CASE("a walk that goes on and on is refused, and a loop of fewer than no passes is none") {
  const auto with_loop = [](double trips, std::vector<Flow> parts) {
    Motif motif = search();
    for (RankClass& one : motif.classes) {
      Flow loop = flow_of(Flow::Kind::loop, parts);
      loop.trips = Formula(trips);
      one.flow.parts.push_back(std::move(loop));
    }
    return fitted_pattern(motif, run_of(16, 10), 1);
  };
  CHECK(with_loop(-3, {call(1)}).ok());
  CHECK_FALSE(with_loop(1e300, {call(1)}).ok());
  Flow inner = flow_of(Flow::Kind::loop, {flow_of(Flow::Kind::sequence, {})});
  inner.trips = Formula(1e6);
  const auto endless = with_loop(1e6, {inner});
  REQUIRE_FALSE(endless.ok());
  CHECK(endless.error().message == "the walk through the motif does not end");
}
