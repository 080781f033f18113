// A description fitted to times that another description made is that one, as far as those times tell.
#include "replay/mpi/calibrate.h"

#include <doctest/doctest.h>

#include "machine/yaml/machine_yaml.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/jobs_yaml.h"
#include "motif/patterns/pattern_source.h"

namespace orrery::replay {
namespace {

workload::Workload job_of(const std::string& motifs, std::uint32_t ranks) {
  const std::string text = "format: orrery.motif_jobs/1\njobs:\n  - name: \"a\"\n    nodes: 0-" +
                           std::to_string(ranks - 1) + "\n    motifs:\n" + motifs;
  auto jobs = motif::parse_jobs(text, "test", ranks, motif::pattern_catalog());
  REQUIRE(jobs);
  auto source = motif::pattern_source(std::move(*jobs), ranks);
  REQUIRE(source);
  auto workload = workload::collect(**source);
  REQUIRE(workload);
  return std::move(*workload);
}

machine::Machine truth(std::size_t ranks) {
  auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: \"truth\"\ndevices: {count: " + std::to_string(ranks) +
          ", name: \"process\"}\nnetwork:\n  - {name: \"n\", topology: switch, size: " + std::to_string(ranks) +
          ", bandwidth_gb_per_s: 2.5, latency_ns: 700}\ncommunication: {collective_algorithm: mpi, "
          "launch_overhead_us: 6, message_overhead_us: 1.5}\n",
      "truth");
  if (!machine) FAIL(machine.error().to_string());
  return *machine;
}

Measured as_measured(const Predicted& predicted) {
  Measured measured;
  measured.makespans = {{predicted.makespan_ps}, 1};
  measured.collectives = predicted.collectives;
  measured.messages = predicted.messages;
  return measured;
}

const FittedParameter& parameter(const Calibration& calibration, std::string_view name) {
  for (const FittedParameter& one : calibration.parameters) {
    if (one.name == name) return one;
  }
  FAIL("no such parameter");
  return calibration.parameters.front();
}

}  // namespace

TEST_CASE("messages and collectives of several sizes tell the bandwidth and what a collective costs") {
  const workload::Workload job = job_of(
      "      - {motif: allreduce, set: {count: 1, iterations: 5}}\n"
      "      - {motif: allreduce, set: {count: 100000, iterations: 3}}\n"
      "      - {motif: pingpong, set: {messageSize: 8, iterations: 5}}\n"
      "      - {motif: pingpong, set: {messageSize: 50000, iterations: 5}}\n"
      "      - {motif: pingpong, set: {messageSize: 2000000, iterations: 5}}\n",
      4);
  auto matching = workload::Matching::of(job);
  REQUIRE(matching);
  const auto predicted = predict(*matching, truth(4));
  REQUIRE(predicted);
  const auto fitted = calibrate(as_measured(*predicted), *matching);
  REQUIRE(fitted);
  CHECK(fitted->median_error_percent < 3);
  CHECK(fitted->worst_error_percent < 10);
  CHECK(fitted->samples > 20);
  CHECK(parameter(*fitted, "bandwidth_gb_per_s").value == doctest::Approx(2.5).epsilon(0.1));
  CHECK(parameter(*fitted, "bandwidth_gb_per_s").is_determined);
  // The file says the same as what was fitted.
  const auto read = machine::parse_machine(fitted->yaml(), "fitted");
  if (!read) FAIL(read.error().to_string());
  CHECK(*read == fitted->machine);

  SUBCASE("and so predict another pattern") {
    const workload::Workload other = job_of("      - {motif: halo2d, set: {iterations: 5, messagesizex: 30000}}\n", 4);
    auto other_matching = workload::Matching::of(other);
    REQUIRE(other_matching);
    const auto expected = predict(*other_matching, truth(4)), found = predict(*other_matching, fitted->machine);
    REQUIRE(expected);
    REQUIRE(found);
    CHECK(static_cast<double>(found->makespan_ps) ==
          doctest::Approx(static_cast<double>(expected->makespan_ps)).epsilon(0.15));
  }
}

TEST_CASE("one size tells nothing apart, and that is said") {
  const workload::Workload job = job_of("      - {motif: allreduce, set: {count: 1000, iterations: 5}}\n", 4);
  auto matching = workload::Matching::of(job);
  REQUIRE(matching);
  const auto predicted = predict(*matching, truth(4));
  REQUIRE(predicted);
  const auto fitted = calibrate(as_measured(*predicted), *matching);
  REQUIRE(fitted);
  CHECK(fitted->worst_error_percent < 10);
  for (const FittedParameter& one : fitted->parameters) CHECK(!one.is_determined);
  CHECK(fitted->yaml().find("the run does not tell") != std::string::npos);
}

TEST_CASE("without communication there is nothing to fit") {
  const workload::Workload job = job_of("      - {motif: allreduce, set: {iterations: 2}}\n", 1);
  auto matching = workload::Matching::of(job);
  REQUIRE(matching);
  CHECK(!calibrate({}, *matching));
}

}  // namespace orrery::replay
