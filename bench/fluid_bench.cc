// The fluid network with as many flows as a machine has at once: every end of a flow changes the rates of others. All
// flows start at 0.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/topology/network.h"
#include "machine/yaml/machine_yaml.h"
#include "simulate/fluid/fluid_network.h"

namespace {

using namespace orrery;
using namespace orrery::simulate;

/// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(((*this)() >> 32) * limit >> 32); }

 private:
  std::uint64_t state_;
};

machine::Network network_of(std::uint32_t devices, const std::string& topology) {
  const auto machine =
      machine::parse_machine("format: orrery.machine/1\nname: m\ndevices: {count: " + std::to_string(devices) +
                                 ", name: d}\nnetwork: [{name: n, bandwidth_gb_per_s: 1, " + topology + "}]\n",
                             "fluid_bench");
  return *machine::Network::build(*machine);
}

struct Flow {
  double bytes;
  std::vector<LinkShare> shares;
};

void add_flow(const machine::Network& network, std::uint32_t source, std::uint32_t target, double bytes,
              std::vector<Flow>& flows) {
  if (source == target) return;
  std::vector<machine::LinkId> route;
  network.append_route(source, target, 0, route);
  Flow flow{bytes, {}};
  for (const machine::LinkId link : route) flow.shares.push_back({link, 1});
  flows.push_back(std::move(flow));
}

double random_size(Random& random) { return 50e6 + random.below(100'000'000); }

std::vector<Flow> permutations(const machine::Network& network, int rounds) {
  Random random(1);
  std::vector<Flow> flows;
  std::vector<std::uint32_t> targets(network.device_count());
  for (std::uint32_t i = 0; i < targets.size(); ++i) targets[i] = i;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t i = network.device_count(); i > 1; --i) std::swap(targets[i - 1], targets[random.below(i)]);
    for (std::uint32_t source = 0; source < targets.size(); ++source)
      add_flow(network, source, targets[source], random_size(random), flows);
  }
  return flows;
}

std::vector<Flow> random_pairs(const machine::Network& network, std::size_t count) {
  Random random(2);
  std::vector<Flow> flows;
  while (flows.size() < count) {
    const std::uint32_t source = random.below(network.device_count()), target = random.below(network.device_count());
    add_flow(network, source, target, random_size(random), flows);
  }
  return flows;
}

void run_all(benchmark::State& state, const machine::Network& network, const std::vector<Flow>& flows) {
  std::vector<double> capacities;
  for (const machine::Link& link : network.links()) capacities.push_back(link.bytes_per_second);
  std::vector<FluidNetwork::FlowId> finished;
  for (auto _ : state) {
    FluidNetwork fluid(capacities);
    for (const Flow& flow : flows) fluid.add(flow.bytes, flow.shares, 0);
    for (TimePs now = fluid.next_completion(); now != kNever; now = fluid.next_completion()) {
      finished.clear();
      fluid.advance(now, finished);
    }
    const auto& work = fluid.work();
    state.counters["flows"] = static_cast<double>(flows.size());
    state.counters["solves"] = static_cast<double>(work.solves);
    state.counters["flows_per_solve"] = static_cast<double>(work.flows) / static_cast<double>(work.solves);
  }
}

const std::string kFatTree =
    "topology: fat_tree, levels: [{children: 16, parents: 1}, {children: 8, parents: 8}, {children: 8, parents: 8}]";

void torus512_permutations(benchmark::State& state) {
  const machine::Network network = network_of(512, "topology: torus, shape: [8, 8, 8]");
  run_all(state, network, permutations(network, 8));
}
BENCHMARK(torus512_permutations)->Unit(benchmark::kMillisecond);

void torus4096_permutations(benchmark::State& state) {
  const machine::Network network = network_of(4096, "topology: torus, shape: [16, 16, 16]");
  run_all(state, network, permutations(network, 4));
}
BENCHMARK(torus4096_permutations)->Unit(benchmark::kMillisecond)->Iterations(1);

void fat_tree1024_permutations(benchmark::State& state) {
  const machine::Network network = network_of(1024, kFatTree);
  run_all(state, network, permutations(network, 8));
}
BENCHMARK(fat_tree1024_permutations)->Unit(benchmark::kMillisecond)->Iterations(1);

void fat_tree1024_random_pairs(benchmark::State& state) {
  const machine::Network network = network_of(1024, kFatTree);
  run_all(state, network, random_pairs(network, static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(fat_tree1024_random_pairs)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
