#include "formats/astra/config.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;
using machine::AstraAlgorithm;
using machine::AstraSystem;

namespace {

const orrery::testing::TempDir& dir() {
  static const orrery::testing::TempDir folder;
  return folder;
}

std::string network_error(const std::string& text) {
  const auto network = astra::read_network(dir().write("n.yml", text));
  return network ? std::string() : network.error().message;
}

AstraSystem two_dimensions() {
  AstraSystem system;
  system.dimensions.resize(2);
  return system;
}

std::string system_error(const std::string& text) {
  AstraSystem system = two_dimensions();
  Diagnostics diagnostics;
  const Status read = astra::read_system(dir().write("s.json", text), system, diagnostics);
  return read ? std::string() : read.error().message;
}

workload::Workload eight_ranks() {
  workload::Workload workload;
  workload.programs.emplace_back();
  workload.program_of_rank.assign(8, 0);
  return workload;
}

std::string group_error(const std::string& text) {
  workload::Workload workload = eight_ranks();
  const Status read = astra::read_groups(dir().write("g.json", text), workload);
  return read ? std::string() : read.error().message;
}

}  // namespace

TEST_CASE("a network has one entry per dimension in every list") {
  const auto network =
      astra::read_network(dir().write("ok.yml",
                                      "topology: [ Ring, Switch ]\nnpus_count: [ 8, 4 ]  # NPUs\nbandwidth: [ 50.0, 25 "
                                      "]  # GB/s\nlatency: [ 500.0, 0 ]\n"));
  REQUIRE(network.ok());
  REQUIRE(network->size() == 2);
  CHECK((*network)[1].topology == machine::AstraTopology::switched);
  CHECK((*network)[0].npus == 8);
  CHECK((*network)[1].bandwidth_gib_per_s == 25);
  CHECK((*network)[0].latency_ns == 500);

  const std::string rest = "npus_count: [ 8 ]\nbandwidth: [ 50 ]\nlatency: [ 1 ]\n";
  CHECK(
      network_error("topology: [ Torus ]\n" + rest).find("'Torus', but must be one of Ring, FullyConnected, Switch") !=
      std::string::npos);
  CHECK(network_error("topology: [ Ring, Ring ]\n" + rest).find("npus_count has 1 entries, topology 2") !=
        std::string::npos);
  CHECK(network_error("topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 0 ]\nlatency: [ 1 ]\n")
            .find("bandwidth[0] is 0, but must be above 0") != std::string::npos);
  CHECK(network_error("topology: [ Ring ]\nnpus_count: [ 1 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n")
            .find("whole number above 1") != std::string::npos);
  CHECK(network_error("topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ nan ]\nlatency: [ 1 ]\n")
            .find("not a number") != std::string::npos);
  CHECK(network_error("topology: [ Ring ]\nnpu_count: [ 8 ]\n").find("unknown key 'npu_count'") != std::string::npos);
  CHECK(network_error("topology: [ Ring, Ring ]\nnpus_count: [ 5000, 5000 ]\nbandwidth: [ 1, 1 ]\nlatency: [ 1, 1 ]\n")
            .find("more than") != std::string::npos);
  CHECK(network_error("latency: [ 1 ]\n").find("no list of topologies") != std::string::npos);
  CHECK_FALSE(network_error("").empty());
}

TEST_CASE("algorithms of a system, with windows and the flat forms") {
  AstraSystem system = two_dimensions();
  Diagnostics diagnostics;
  REQUIRE(
      astra::read_system(
          dir().write(
              "s.json",
              R"({"scheduling-policy": "FIFO", "preferred-dataset-splits": 4, "endpoint-delay": 7, "local-mem-bw": 1600,
      "collective-optimization": "baseline", "boost-mode": 1, "endpoint-dealy": 3,
      "all-reduce-implementation": ["direct4", "halvingDoubling"], "all-gather-implementation": ["oneRing"],
      "all-to-all-implementation": ["oneDirect2", "ring"]})"),
          system, diagnostics)
          .ok());
  CHECK(system.policy == machine::AstraPolicy::fifo);
  CHECK_FALSE(system.local_bandwidth_aware);
  CHECK(system.splits == 4);
  CHECK(system.endpoint_delay_ns == 7);
  CHECK(system.implementations[0][0].algorithm == AstraAlgorithm::direct);
  CHECK(system.implementations[0][0].window == 4);
  CHECK(system.implementations[0][1].algorithm == AstraAlgorithm::halving_doubling);
  CHECK(system.implementations[1][0].flat);
  CHECK(system.implementations[2].size() == 2);  // not given: rings
  CHECK(system.implementations[3][0].window == 2);
  CHECK(diagnostics.sorted().size() == 2);
}

TEST_CASE("the shared bus: as floats, of which three count whole, and figures without it have no effect") {
  AstraSystem system = two_dimensions();
  Diagnostics diagnostics;
  const std::string figures = R"("L": 12.9, "o": 5, "g": 0.5, "G": 0.0038, "local-reduction-delay": 3})";
  REQUIRE(
      astra::read_system(dir().write("bus.json", R"({"model-shared-bus": 1, )" + figures), system, diagnostics).ok());
  REQUIRE(system.shared_bus);
  CHECK(system.shared_bus->latency_ns == 12);
  CHECK(system.shared_bus->overhead_ns == 5);
  CHECK(system.shared_bus->gap_ns == 0);
  CHECK(system.shared_bus->gap_per_byte_ns == static_cast<double>(0.0038F));
  CHECK(system.shared_bus->reduction_delay_ns == 3);
  CHECK(diagnostics.empty());
  AstraSystem without = two_dimensions();
  REQUIRE(astra::read_system(dir().write("no_bus.json", R"({"model-shared-bus": 0, )" + figures), without, diagnostics)
              .ok());
  CHECK_FALSE(without.shared_bus);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.sorted().front().count == 5);
}

TEST_CASE("what a system cannot be is said with the key") {
  CHECK(system_error(R"({"all-reduce-implementation": ["ring"]})").find("has 1 entries, the network 2 dimensions") !=
        std::string::npos);
  CHECK(system_error(R"({"all-reduce-implementation": ["rign", "ring"]})").find("unknown algorithm 'rign'") !=
        std::string::npos);
  CHECK(system_error(R"({"all-reduce-implementation": ["direct0", "ring"]})").find("unknown algorithm 'direct0'") !=
        std::string::npos);
  CHECK(system_error(R"({"scheduling-policy": "RANDOM"})").find("must be LIFO, FIFO or EXPLICIT") != std::string::npos);
  CHECK(system_error(R"({"preferred-dataset-splits": 0})").find("must be from 1 to") != std::string::npos);
  CHECK(system_error(R"({"endpoint-delay": -1})").find("must be from 0") != std::string::npos);
  CHECK(system_error(R"({"roofline-enabled": 1})").find("needs local-mem-bw and peak-perf") != std::string::npos);
  CHECK(system_error(R"({"model-shared-bus": 1})").empty());
  CHECK(system_error(R"({"model-shared-bus": 1, "L": -1})").find("L is negative") != std::string::npos);
  CHECK(system_error(R"({"model-shared-bus": 1, "G": 1e10})").find("G is 10000000000, but must be at most") !=
        std::string::npos);
  CHECK(system_error(R"({"model-shared-bus": 1, "local-reduction-delay": -1})").find("must be from 0") !=
        std::string::npos);
  CHECK(system_error(R"({"all-reduce-implementation-custom": ["x"]})").empty());
  CHECK(system_error(R"({"all-reduce-implementation-custom": ["x", "y"]})").find("not a list of one name") !=
        std::string::npos);
  CHECK_FALSE(system_error(R"({"per-node-custom-implementation": "/nowhere.yml"})").empty());
  CHECK(system_error("[]").find("not a JSON object") != std::string::npos);
  CHECK(system_error("{").find("not JSON") != std::string::npos);
}

TEST_CASE("remote memory") {
  AstraSystem system;
  REQUIRE(astra::read_remote_memory(dir().write("m.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})"), system).ok());
  CHECK_FALSE(system.remote_memory.has_value());
  REQUIRE(astra::read_remote_memory(
              dir().write("m.json", R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100,
      "remote-mem-bw": 50, "num-npus-per-node": 4})"),
              system)
              .ok());
  CHECK(system.remote_memory->npus_per_node == 4);
  CHECK(system.remote_memory->latency_ns == 100);
  CHECK_FALSE(astra::read_remote_memory(dir().write("m.json", R"({"memory-type": "MEMORY_POOL"})"), system).ok());
  CHECK_FALSE(
      astra::read_remote_memory(dir().write("m.json", R"({"memory-type": "DISK", "remote-mem-bw": 1})"), system).ok());
}

TEST_CASE("groups") {
  workload::Workload workload = eight_ranks();
  REQUIRE(astra::read_groups(dir().write("g.json", R"({"1": [3, 1], "22": [0]})"), workload).ok());
  REQUIRE(workload.groups.size() == 2);
  CHECK(workload.groups[0].ranks == std::vector<std::uint32_t>{3, 1});
  CHECK(workload.strings.text(workload.groups[1].name) == "22");
  CHECK(group_error(R"({"0": [1, 2]})").find("group 0 is the world") != std::string::npos);
  CHECK(group_error(R"({"1": [1, 8]})").find("has rank 8, but there are only 8") != std::string::npos);
  CHECK(group_error(R"({"1": [1, 1]})").find("rank 1 twice") != std::string::npos);
  CHECK(group_error(R"({"1": []})").find("has no ranks") != std::string::npos);
  CHECK(group_error(R"({"1": [1], "1": [2]})").find("defined twice") != std::string::npos);
  CHECK(group_error(R"({"1": 5})").find("not a list") != std::string::npos);
}
