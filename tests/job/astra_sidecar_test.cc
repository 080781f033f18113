// The sidecar with a stand-in that speaks ASTRA-sim's command line and output.
#include "job/astra_sidecar.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>

#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::job;
using simulate::CommOp;

namespace {

machine::Machine ring_of_four() {
  machine::Machine machine;
  machine.name = "four";
  machine.devices.count = 4;
  machine.devices.name = "NPU";
  machine::Dimension ring;
  ring.name = "ring";
  ring.size = 4;
  ring.bandwidth_gb_per_s = 50;
  ring.latency_ns = 500;
  machine.network.push_back(ring);
  return machine;
}

// A shell script in place of ASTRA-sim: keeps a copy of what it was given, and says that every rank finishes after
// `cycles`.
std::string stand_in(const orrery::testing::TempDir& dir, const std::string& body) {
  const std::string path = dir.write("astra", "#!/bin/sh\n" + body);
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
  return path;
}

std::string finishing(const orrery::testing::TempDir& dir, int cycles) {
  return "echo \"$@\" >> " + dir.path("calls") + "\n" +
         "for a in \"$@\"; do case $a in\n"
         "  --network-configuration=*) cp \"${a#*=}\" " +
         dir.path("network.yml") +
         ";;\n"
         "  --comm-group-configuration=*) cp \"${a#*=}\" " +
         dir.path("groups.json") +
         ";;\n"
         "  --workload-configuration=*) ls \"${a#*=}\".*.et | wc -l > " +
         dir.path("files") +
         ";;\n"
         "esac; done\n"
         "for r in 0 1 2 3; do echo \"[2026-01-01 00:00:00.000] [workload] [info] sys[$r] finished, " +
         std::to_string(cycles) + " cycles, exposed communication 5 cycles.\"; done\n";
}

CommOp all_reduce(std::span<const std::uint32_t> ranks, std::int64_t bytes) {
  return {CommOp::Kind::collective, workload::Collective::all_reduce, bytes, ranks};
}

constexpr std::uint32_t kAll[] = {0, 1, 2, 3};
constexpr std::uint32_t kTwo[] = {1, 3};

}  // namespace

TEST_CASE("an operation is written down, run, and answered in cycles of a nanosecond") {
  const orrery::testing::TempDir dir;
  auto sidecar = AstraSidecar::open(ring_of_four(), {.binary = stand_in(dir, finishing(dir, 1234))});
  REQUIRE(sidecar.ok());
  const auto price = sidecar->ask(all_reduce(kAll, 1 << 20));
  REQUIRE_MESSAGE(price.ok(), price.error().to_string());
  CHECK(price->total_ps == 1234 * kPsPerNs);
  CHECK(orrery::testing::read_file(dir.path("files")) == "4\n");
  CHECK(orrery::testing::read_file(dir.path("network.yml")).find("topology: [ Ring ]\nnpus_count: [ 4 ]\n") == 0);
  CHECK(orrery::testing::read_file(dir.path("groups.json")).empty());  // the world needs none

  REQUIRE(sidecar->ask(all_reduce(kTwo, 1 << 20)).ok());
  std::string groups = orrery::testing::read_file(dir.path("groups.json"));
  groups.erase(std::remove_if(groups.begin(), groups.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
               groups.end());
  CHECK(groups == R"({"1":[1,3]})");
  const CommOp message{CommOp::Kind::message, workload::Collective::all_reduce, 100, kTwo};
  REQUIRE(sidecar->ask(message).ok());
  CHECK(sidecar->runs() == 3);
}

TEST_CASE("the same question is asked once, also across runs if there is a cache") {
  const orrery::testing::TempDir dir;
  const SidecarOptions options{.binary = stand_in(dir, finishing(dir, 77)), .cache_folder = dir.path("cache")};
  {
    auto sidecar = AstraSidecar::open(ring_of_four(), options);
    REQUIRE(sidecar.ok());
    CHECK(sidecar->ask(all_reduce(kAll, 5000))->total_ps == 77 * kPsPerNs);
    CHECK(sidecar->ask(all_reduce(kAll, 5000))->total_ps == 77 * kPsPerNs);
    CHECK(sidecar->runs() == 1);
    CHECK(sidecar->known() == 1);
    REQUIRE(sidecar->ask(all_reduce(kAll, 5001)).ok());
    CHECK(sidecar->runs() == 2);
  }
  auto later = AstraSidecar::open(ring_of_four(), options);
  REQUIRE(later.ok());
  CHECK(later->ask(all_reduce(kAll, 5000))->total_ps == 77 * kPsPerNs);
  CHECK(later->runs() == 0);
  machine::Machine slower = ring_of_four();
  slower.network[0].bandwidth_gb_per_s = 25;  // another machine is another question
  auto other = AstraSidecar::open(slower, options);
  REQUIRE(other.ok());
  REQUIRE(other->ask(all_reduce(kAll, 5000)).ok());
  CHECK(other->runs() == 1);
}

TEST_CASE("failure, silence and delay are errors, not answers") {
  const orrery::testing::TempDir dir;
  const auto error_of = [&](const std::string& body, int timeout_ms = 60'000) {
    auto sidecar = AstraSidecar::open(
        ring_of_four(), {.binary = stand_in(dir, body), .timeout = std::chrono::milliseconds(timeout_ms)});
    REQUIRE(sidecar.ok());
    const auto price = sidecar->ask(all_reduce(kAll, 1000));
    return price ? std::string() : price.error().message;
  };
  CHECK(error_of("exit 3\n") == "ended with exit code 3");
  CHECK(error_of("echo 'sys[0] finished, 5 cycles'\n") ==
        "it ended without finishing rank 1");  // exit code 0, as the real one does
  CHECK(error_of("sleep 600\n", 100).find("took longer than") != std::string::npos);
  CHECK(error_of("for r in 0 1 2 3; do echo \"sys[$r] finished, many cycles\"; done\n").find("not a number") !=
        std::string::npos);
  auto missing = AstraSidecar::open(ring_of_four(), {.binary = dir.path("absent")});
  REQUIRE(missing.ok());
  CHECK_FALSE(missing->ask(all_reduce(kAll, 1000)).ok());
  CHECK_FALSE(missing->ask({CommOp::Kind::collective, workload::Collective::barrier, 8, kAll}).ok());
  machine::Machine torus = ring_of_four();
  torus.network[0].topology = machine::Topology::torus;
  torus.network[0].shape = {2, 2};
  CHECK_FALSE(AstraSidecar::open(torus, {.binary = "x"}).ok());
}

// What the real program does (2026): the event queue aborts when an endpoint delay of 0 puts an event at the present.
TEST_CASE("a machine whose messages cost nothing is given a delay of a nanosecond, and that is said") {
  const orrery::testing::TempDir dir;
  const std::string aborting =
      "for a in \"$@\"; do case $a in --system-configuration=*) grep -q '\"endpoint-delay\": 0,' \"${a#*=}\" && exit "
      "134;; esac; done\n";
  auto sidecar = AstraSidecar::open(ring_of_four(), {.binary = stand_in(dir, aborting + finishing(dir, 9))});
  REQUIRE(sidecar.ok());
  CHECK(sidecar->files().raised_endpoint_delay);
  CHECK(sidecar->ask(all_reduce(kAll, 1000)).ok());
  machine::Machine slow = ring_of_four();
  slow.communication.message_overhead_us = 2;
  auto other = AstraSidecar::open(slow, {.binary = stand_in(dir, finishing(dir, 9))});
  REQUIRE(other.ok());
  CHECK_FALSE(other->files().raised_endpoint_delay);
}

TEST_CASE("the user's own files are handed on as they are") {
  const orrery::testing::TempDir dir;
  const machine::AstraFiles files{"mine: 1\n", "{\"mine\": 2}", "{}", false};
  auto sidecar = AstraSidecar::open(ring_of_four(), {.binary = stand_in(dir, finishing(dir, 9)), .files = files});
  REQUIRE(sidecar.ok());
  REQUIRE(sidecar->ask(all_reduce(kAll, 1000)).ok());
  CHECK(orrery::testing::read_file(dir.path("network.yml")) == "mine: 1\n");
}

TEST_CASE("a complete answer counts, however the program ends; an incomplete one does not") {
  const orrery::testing::TempDir dir;
  auto crashing = AstraSidecar::open(ring_of_four(), {.binary = stand_in(dir, finishing(dir, 9) + "kill -SEGV $$\n")});
  REQUIRE(crashing.ok());
  const auto price = crashing->ask(all_reduce(kAll, 1000));
  REQUIRE(price.ok());
  CHECK(price->total_ps == 9 * kPsPerNs);
  CHECK(crashing->crashed_after_answer() == 1);
  auto partial =
      AstraSidecar::open(ring_of_four(), {.binary = stand_in(dir, "echo 'sys[0] finished, 5 cycles'\nexit 1\n")});
  REQUIRE(partial.ok());
  CHECK(partial->ask(all_reduce(kAll, 1000)).error().message == "ended with exit code 1");
}

TEST_CASE("failures are remembered, and a program that only fails is left alone") {
  const orrery::testing::TempDir dir;
  auto sidecar = AstraSidecar::open(ring_of_four(), {.binary = stand_in(dir, "exit 255\n")});
  REQUIRE(sidecar.ok());
  for (int i = 0; i < 5; ++i) CHECK_FALSE(sidecar->ask(all_reduce(kAll, 1000)).ok());
  CHECK(sidecar->runs() == 1);
  for (std::int64_t bytes = 1; bytes < 20; ++bytes) CHECK_FALSE(sidecar->ask(all_reduce(kAll, bytes)).ok());
  CHECK(sidecar->runs() == AstraSidecar::kFailuresInVain);
  CHECK(sidecar->answered() == 0);
}

TEST_CASE("the congestion-aware program is not asked about several dimensions") {
  machine::Machine two = ring_of_four();
  two.network.push_back(two.network[0]);
  CHECK_FALSE(AstraSidecar::open(two, {.binary = "/opt/AstraSim_Analytical_Congestion_Aware"}).ok());
  CHECK(AstraSidecar::open(two, {.binary = "/opt/AstraSim_Analytical_Congestion_Unaware"}).ok());
  CHECK(AstraSidecar::open(ring_of_four(), {.binary = "/opt/AstraSim_Analytical_Congestion_Aware"}).ok());
}

TEST_CASE("another program of the same name and size is another question") {
  const orrery::testing::TempDir dir;
  for (const int cycles : {11, 22}) {
    const SidecarOptions options{.binary = stand_in(dir, finishing(dir, cycles)), .cache_folder = dir.path("cache")};
    auto sidecar = AstraSidecar::open(ring_of_four(), options);
    REQUIRE(sidecar.ok());
    CHECK(sidecar->ask(all_reduce(kAll, 1000))->total_ps == cycles * kPsPerNs);
  }
}
