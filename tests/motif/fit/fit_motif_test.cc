#include "motif/fit/fit_motif.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "motif/fit/programs.h"
#include "motif/motif_yaml.h"
#include "motif/predict.h"

namespace orrery::motif::fit {
namespace {

/// 32 roots, each a ring of q messages; work is shared by the nodes, latency grows with their logarithm.
ClassRun ring_run(double nodes, double size, double factor = 1) {
  const int q = static_cast<int>(std::lround(std::sqrt(nodes)));
  std::vector<std::uint32_t> sequence = {1};
  for (int root = 0; root < 32; ++root) {
    sequence.push_back(2);
    for (int i = 0; i < q; ++i) sequence.push_back(3);
    sequence.push_back(4);
  }
  const auto time = [=](Edge edge) {
    return factor * (edge.second == 3 ? 8 + 0.02 * std::exp2(size) / nodes : 10 + 5 * std::log2(nodes));
  };
  const auto bytes = [=](std::uint32_t site) { return site == 3 ? 0.5 * std::exp2(size) / nodes : 8; };
  return testing::observed({.nodes = nodes, .size = size}, sequence, time, bytes);
}

Observations ring_program() {
  Observations observations{.program = "ring"};
  for (std::uint32_t id = 1; id <= 4; ++id) observations.sites.push_back({.id = id, .operation = "MPI_Sendrecv"});
  ClassObservation one;
  for (const double nodes : {4.0, 9.0, 16.0, 25.0}) {
    for (const double size : {10.0, 11.0, 12.0, 13.0, 14.0}) one.runs.push_back(ring_run(nodes, size));
  }
  observations.classes.push_back(std::move(one));
  return observations;
}

TEST_CASE("a program with known laws is predicted far beyond its runs") {
  const auto outcome = fit_motif(ring_program());
  REQUIRE(outcome);
  const Motif& motif = outcome->motif;
  CHECK(motif.size_meaning == SizeMeaning::exponent);
  const ClassRun truth = ring_run(100, 18);
  double total = 0;
  for (const auto& [edge, times] : truth.edges) total += times.sum_us;
  const Prediction prediction = predict(motif, truth.run);
  CHECK(prediction.total_us == doctest::Approx(total).epsilon(0.02));
  CHECK(prediction.low_us <= prediction.total_us);
  CHECK(prediction.high_us >= prediction.total_us);
  CHECK(prediction.calls == doctest::Approx(1 + 32 * 12));
  for (const SiteUse& use : prediction.sites) {
    CHECK(use.calls == doctest::Approx(truth.bytes.at(use.site).calls));
    CHECK(use.bytes == doctest::Approx(truth.bytes.at(use.site).sum).epsilon(0.02));
  }
  // Work is local, what grows with the nodes alone is the network's.
  CHECK(motif.find_transition(3, 3)->compute_us.at(Scope({.nodes = 4, .size = 14}, motif.size_meaning)) > 80);
  CHECK(motif.find_transition(4, 2)->compute_us.at(Scope({.nodes = 25, .size = 14}, motif.size_meaning)) < 20);
}

TEST_CASE("what leads to a call that nobody else sees is all local") {
  Observations observations = ring_program();
  for (Site& site : observations.sites)
    if (site.id == 2) site.operation = "local";
  const auto outcome = fit_motif(observations);
  REQUIRE(outcome);
  const Transition& transition = *outcome->motif.find_transition(4, 2);
  CHECK(transition.compute_us == transition.time_us);
  const Prediction prediction = predict(outcome->motif, {.nodes = 36, .size = 16});
  CHECK(prediction.simulated_low_us <= prediction.compute_us);
  CHECK(prediction.simulated_low_us < prediction.low_us);
  CHECK(prediction.simulated_high_us == prediction.high_us);
}

TEST_CASE("the same bytes come of the same runs, and read back") {
  const auto one = fit_motif(ring_program()), other = fit_motif(ring_program());
  REQUIRE(one);
  REQUIRE(other);
  const std::string yaml = to_yaml(one->motif);
  CHECK(yaml == to_yaml(other->motif));
  const auto again = parse_motif(yaml, "ring.motif");
  REQUIRE(again);
  CHECK(*again == one->motif);
}

TEST_CASE("a stalled run does not move the prediction") {
  Observations observations = ring_program();
  observations.classes[0].runs[7] = ring_run(9, 12, 20);
  const auto clean = fit_motif(ring_program()), stalled = fit_motif(observations);
  REQUIRE(stalled);
  const RunParameters run{.nodes = 36, .size = 16};
  CHECK(predict(stalled->motif, run).total_us == doctest::Approx(predict(clean->motif, run).total_us).epsilon(0.05));
}

TEST_CASE("too few runs, and runs that contradict each other, are refused") {
  Observations few = ring_program();
  few.classes[0].runs.resize(2);
  const auto refused = fit_motif(few);
  REQUIRE(!refused);
  CHECK(refused.error().message.find("2 runs") != std::string::npos);
  CHECK(refused.error().message.find("3 at least") != std::string::npos);

  Observations other = ring_program();
  ClassRun strange = testing::counted({.nodes = 9, .size = 12}, {1, 2, 4, 7});
  strange.name = "strange";
  other.classes[0].runs.push_back(strange);
  const auto contradicting = fit_motif(other);
  REQUIRE(!contradicting);
  CHECK(contradicting.error().file == "strange");
  CHECK(contradicting.error().message.find("other call sites") != std::string::npos);
}

TEST_CASE("no prediction is negative, whatever was measured") {
  rc::check([] {
    Observations observations = ring_program();
    for (ClassRun& run : observations.classes[0].runs) {
      for (auto& [edge, times] : run.edges) times.sum_us *= *rc::gen::inRange(0, 300) / 100.0;
      for (auto& [site, bytes] : run.bytes) bytes.sum *= *rc::gen::inRange(0, 300) / 100.0;
    }
    const auto outcome = fit_motif(observations);
    RC_ASSERT(outcome.ok());
    for (const double nodes : {1.0, 2.0, 64.0, 4096.0}) {
      for (const double size : {1.0, 12.0, 30.0}) {
        const Prediction prediction = predict(outcome->motif, {.nodes = nodes, .size = size});
        RC_ASSERT(std::isfinite(prediction.total_us) && prediction.total_us >= 0);
        RC_ASSERT(prediction.low_us >= 0 && prediction.high_us >= prediction.low_us);
        for (const SiteUse& use : prediction.sites) RC_ASSERT(use.calls >= 0 && use.bytes >= 0);
        for (const TransitionUse& use : prediction.transitions)
          RC_ASSERT(use.time_us >= 0 && use.compute_us >= 0 && use.compute_us <= use.time_us);
      }
    }
  });
}

}  // namespace
}  // namespace orrery::motif::fit
