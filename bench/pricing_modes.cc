// The ways to price communication, held against the one that is in the loop: how far off the step time is, and what it
// costs to know. Writes the tables of docs/NETWORK_MODELS.md, "Three ways to price".   Usage: pricing_modes [CASES]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "generate/pipeline_step.h"
#include "simulate/run.h"
#include "workload/workload.h"

namespace {

using namespace orrery;
using namespace orrery::simulate;

/// GB/s of a network that costs nothing but latency.
constexpr double kFree = 1e6;

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
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>((*this)() >> 11) * 0x1p-53;
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(((*this)() >> 32) * limit >> 32); }

 private:
  std::uint64_t state_;
};

/// 4 stages in 1F1B order, of random sizes.
generate::PipelineStep random_step(Random& random, std::uint32_t data_parallel, std::uint32_t tensor_parallel) {
  generate::PipelineStep step;
  step.tensor_parallel = tensor_parallel;
  step.data_parallel = data_parallel;
  step.pipeline_parallel = 4;
  step.microbatches = 4 + random.below(9);
  step.layers = 8;
  step.kernels_per_layer = 2;
  step.forward_ps = static_cast<TimePs>(random.between(1000, 3000)) * kPsPerUs;
  step.activation_bytes = static_cast<std::int64_t>(random.between(8, 96) * (1 << 20));
  step.gradient_bytes = static_cast<std::int64_t>(random.between(50, 400) * (1 << 20));
  return step;
}

machine::Machine machine_of(std::int64_t devices, machine::Dimension fabric) {
  machine::Machine machine;
  machine.name = "fabric";
  machine.devices.name = "device";
  machine.devices.count = devices;
  fabric.name = "fabric";
  fabric.size = devices;
  machine.network.push_back(std::move(fabric));
  machine.communication.collective_algorithm = machine::CollectiveAlgorithm::ring;
  return machine;
}

machine::Machine leaf_spine(std::int64_t devices, double gb_per_s) {
  machine::Dimension fabric;
  fabric.topology = machine::Topology::leaf_spine;
  fabric.leaf_spine = {.leaf_size = 4, .spine_count = 2, .oversubscription = 2};
  fabric.bandwidth_gb_per_s = gb_per_s;
  fabric.latency_ns = 500;
  machine::Machine machine = machine_of(devices, fabric);
  machine.routing = machine::Routing::ecmp;
  return machine;
}

machine::Machine one_switch(std::int64_t devices, double gb_per_s) {
  machine::Dimension fabric;
  fabric.topology = machine::Topology::switched;
  fabric.bandwidth_gb_per_s = gb_per_s;
  fabric.latency_ns = 500;
  return machine_of(devices, fabric);
}

struct Way {
  std::string name;
  PricingOptions options;
  double error_sum = 0, worst = 0, bias_sum = 0, cpu_ms = 0;
};

Way way(std::string name, PricingModel model, PricingMode mode, std::int64_t passes = 2) {
  Way made{.name = std::move(name), .options = {}};
  made.options.model = model;
  made.options.mode = mode;
  made.options.passes = passes;
  made.options.second_pass_share = 0;
  return made;
}

double run(Way& way, const workload::Workload& job, const machine::Machine& machine) {
  Diagnostics diagnostics;
  const std::clock_t begin = std::clock();
  const auto priced = simulate::run(job, machine, way.options, engine_options(machine), diagnostics);
  way.cpu_ms += 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!priced) {
    fmt::print(stderr, "{}\n", priced.error().to_string());
    std::exit(1);
  }
  return static_cast<double>(priced->report.makespan_ps);
}

/// `ways[0]` is what the others are held against.
template <typename MakeMachine>
void compare(std::vector<Way> ways, std::uint32_t tensor, std::uint32_t data, double gb_per_s, std::uint32_t cases,
             const MakeMachine& make) {
  double communication = 0;
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    Random random(seed + 1);
    const auto job = generate::pipeline_step(random_step(random, data, tensor));
    const machine::Machine machine = make(static_cast<std::int64_t>(job->rank_count()), gb_per_s);
    const double truth = run(ways[0], *job, machine);
    Way free = ways[0];
    communication += 1 - run(free, *job, make(static_cast<std::int64_t>(job->rank_count()), kFree)) / truth;
    for (std::size_t i = 1; i < ways.size(); ++i) {
      const double error = run(ways[i], *job, machine) / truth - 1;
      ways[i].error_sum += std::abs(error);
      ways[i].bias_sum += error;
      ways[i].worst = std::max(ways[i].worst, std::abs(error));
    }
  }
  const double n = cases;
  for (const Way& way : ways) {
    const bool truth = &way == &ways[0];
    fmt::print("| {:g} GB/s | {:.0f} % | {} | {} | {} | {} | {:.1f} ms |\n", gb_per_s, 100 * communication / n,
               way.name, truth ? "-" : fmt::format("{:.2f} %", 100 * way.error_sum / n),
               truth ? "-" : fmt::format("{:.1f} %", 100 * way.worst),
               truth ? "-" : fmt::format("{:+.2f} %", 100 * way.bias_sum / n), way.cpu_ms / n);
  }
}

void heading() {
  fmt::print(
      "| port | communication | priced by | mean error | largest | bias | CPU time |\n|---|---|---|---|---|---|---|\n");
}

}  // namespace

int main(int argc, char** argv) {
  const auto cases = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 50);
  using enum PricingModel;
  using enum PricingMode;
  heading();
  for (const double gb_per_s : {100.0, 50.0, 20.0}) {
    compare({way("fluid in-loop", fluid, in_loop), way("analytical", analytical, isolated),
             way("fluid isolated", fluid, isolated), way("fluid snapshot, one pass", fluid, snapshot, 1),
             way("fluid snapshot, two passes", fluid, snapshot, 2)},
            1, 8, gb_per_s, cases, leaf_spine);
  }
  fmt::print("\n");
  heading();
  for (const double gb_per_s : {50.0, 25.0}) {
    compare({way("astra in-loop", astra, in_loop), way("astra isolated", astra, isolated),
             way("astra snapshot, one pass", astra, snapshot, 1), way("astra snapshot, two passes", astra, snapshot, 2),
             way("fluid in-loop", fluid, in_loop)},
            1, 4, gb_per_s, std::max(1u, cases / 5), one_switch);
  }
  return 0;
}
