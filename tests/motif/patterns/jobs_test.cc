// Several motifs: one after the other, and beside one another.
#include "motif/patterns/jobs_yaml.h"

#include <doctest/doctest.h>

#include <string>

#include "machine/yaml/machine_yaml.h"
#include "support/run_on_machine.h"
#include "workload/matching.h"

using namespace orrery;
using namespace orrery::motif;

namespace {

const std::string kHead = "format: orrery.motif_jobs/1\njobs:\n";

workload::Workload whole(const std::string& jobs, std::uint32_t nodes) {
  auto parsed = parse_jobs(kHead + jobs, "jobs.yml", nodes);
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().to_string());
  auto source = pattern_source(std::move(*parsed), nodes);
  REQUIRE_MESSAGE(source.ok(), source.error().to_string());
  auto workload = workload::collect(**source);
  REQUIRE_MESSAGE(workload.ok(), workload.error().to_string());
  return std::move(*workload);
}

TimePs time_of(const workload::Workload& workload, std::uint32_t nodes) {
  const std::string text = "format: orrery.machine/1\nname: m\ndevices: {count: " + std::to_string(nodes) +
                           ", name: d}\nnetwork: [{name: n, topology: leaf_spine, leaf_size: 4, spine_count: 1, "
                           "oversubscription: 4, size: " +
                           std::to_string(nodes) + ", bandwidth_gb_per_s: 1}]\n";
  const auto machine = machine::parse_machine(text, "m");
  REQUIRE_MESSAGE(machine.ok(), machine.error().to_string());
  const auto outcome = orrery::testing::run_on_machine(workload, *machine, "fluid", simulate::engine_options(*machine));
  REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
  return outcome->schedule.makespan_ps();
}

std::string error_of(const std::string& text, std::uint32_t nodes) {
  const auto parsed = parse_jobs(text, "jobs.yml", nodes);
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().to_string();
}

}  // namespace

TEST_CASE("motifs of one job come one after the other") {
  const std::string first = "{motif: allreduce, set: {count: 1000000}}",
                    second = "{motif: ring, set: {messagesize: 1000000}}";
  const TimePs both = time_of(whole("  - {name: a, count: 8, motifs: [" + first + ", " + second + "]}\n", 8), 8);
  const TimePs one = time_of(whole("  - {count: 8, motifs: [" + first + "]}\n", 8), 8),
               other = time_of(whole("  - {count: 8, motifs: [" + second + "]}\n", 8), 8);
  CHECK(both == one + other);
}

TEST_CASE("jobs on nodes of their own contend for the links they share") {
  const auto job = [](const std::string& name, const std::string& nodes) {
    return "  - {name: " + name + ", nodes: '" + nodes +
           "', motifs: [{motif: allpingpong, set: {iterations: 2, messageSize: 1000000, computetime: 0}}]}\n";
  };
  // Pairs across the two leaves; two jobs share the uplink.
  const TimePs alone = time_of(whole(job("a", "0,1,4,5"), 8), 8);
  const TimePs together = time_of(whole(job("a", "0,1,4,5") + job("b", "2,3,6,7"), 8), 8);
  CHECK(together == 2 * alone);
}

TEST_CASE("collectives of rows and of a job stay among its nodes; nodes of no job do nothing") {
  const workload::Workload workload =
      whole("  - {name: a, nodes: '1-4', motifs: [{motif: fft3d}, {motif: bcast, set: {root: 2}}]}\n", 6);
  CHECK(workload::Matching::of(workload).ok());
  CHECK(workload.program(0).kinds[0] == workload::ActivityKind::none);
  CHECK(workload.rank_count() == 6);
  bool found = false;
  for (const auto& group : workload.groups) found |= group.ranks == std::vector<std::uint32_t>{1, 2, 3, 4};
  CHECK(found);
}

TEST_CASE("what is wrong with a file of jobs is told with its line") {
  CHECK(error_of("format: orrery.motif_jobs/1\n", 4) == "jobs.yml: line 1: 'jobs' is a list of at least one job");
  CHECK(error_of("jobs: []\n", 4).find("line 1: 'format: orrery.motif_jobs/1' is wanted") != std::string::npos);
  CHECK(error_of(kHead + "  - {count: 5, motifs: [{motif: ring}]}\n", 4) ==
        "jobs.yml: line 3: 5 nodes are wanted, and 4 are free");
  CHECK(error_of(kHead + "  - {count: 2, motifs: [{motif: rign}]}\n", 4) ==
        "jobs.yml: line 3: there is no motif 'rign' (did you mean 'ring'?)");
  CHECK(error_of(kHead + "  - {nodes: 0-9, motifs: [{motif: ring}]}\n", 4) ==
        "jobs.yml: line 3: '0-9' are no nodes from 0 to 3");
  CHECK(error_of(kHead + "  - {nodes: 0-1, motifs: [{motif: ring}]}\n  - {nodes: 1-2, motifs: [{motif: ring}]}\n", 4) ==
        "jobs.yml: line 4: node 1 is taken already");
  CHECK(error_of(kHead + "  - {count: 2, motif: ring}\n", 4) ==
        "jobs.yml: line 3: unknown key 'motif' (did you mean 'motifs'?)");
}
