// A whole job of 1,024 ranks with 200 collectives each on a machine: calibration, the job re-simulated, and on a faster
// network. Collectives of tensor parallel groups run beside those of data parallel groups, two of which are always in
// flight and share their links.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>
#include <vector>

#include "analyze/small_job.h"
#include "analyze/whatif/job_machine.h"
#include "machine/yaml/machine_yaml.h"

namespace {

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::SmallJob;

constexpr std::uint32_t kRanks = 1024, kInNode = 8;
constexpr TimePs kUs = 1'000'000;

causal::CausalGraph make_job(int collectives) {
  SmallJob job(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    std::vector<SmallJob::Moment> in_flight;
    for (int i = 0; i < collectives / 2; ++i) {
      const std::string tensor = "tp" + std::to_string(r / kInNode), data = "dp" + std::to_string(r % kInNode);
      job.work(r, "gemm", (100 + (r * 7 + static_cast<std::uint32_t>(i) * 13) % 11) * kUs);
      const std::int64_t small = 4'000'000 * (1 + i % 3), large = 16'000'000 * (1 + i % 4);
      job.communicate(r, tensor + "." + std::to_string(i),
                      {.group = tensor, .transfer = 10 * kUs + small / 200, .bytes = small});
      if (in_flight.size() == 2) {
        job.need(r, in_flight.front());
        in_flight.erase(in_flight.begin());
      }
      in_flight.push_back(job.ask(r, data + "." + std::to_string(i),
                                  {.group = data, .transfer = 30 * kUs + large * 20, .bytes = large}));
    }
    for (const SmallJob::Moment end : in_flight) job.need(r, end);
  }
  return job.make();
}

void simulate_whole_job(benchmark::State& state) {
  const causal::CausalGraph job = make_job(static_cast<int>(state.range(0)));
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: 1024, name: d}\nnetwork:\n"
      "  - {name: node, topology: switch, size: 8, bandwidth_gb_per_s: 450, latency_ns: 300}\n"
      "  - {name: fabric, topology: switch, size: 128, bandwidth_gb_per_s: 50, latency_ns: 2000}\n",
      "job_machine_bench");
  NetworkEdit twice;
  twice.factor = 2;
  for (auto _ : state) {
    const auto on = JobOnMachine::make(job, *machine);
    const auto edited = on->simulate({&twice, 1}, graph::Edits(job.graph));
    benchmark::DoNotOptimize(edited->edits);
  }
  state.counters["operations"] = static_cast<double>(job.operations.size());
  state.counters["participations"] = static_cast<double>(job.parts.size());
}

}  // namespace

BENCHMARK(simulate_whole_job)->Arg(20)->Arg(200)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
