// The seam with files: what is priced in memory takes what ASTRA-sim's own inputs say, and the user's program can be
// asked.
#include "job/astra_sidecar.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "generate/pipeline_step.h"
#include "job/read/astra_input.h"
#include "job/read/reading.h"
#include "job/read/workload_input.h"
#include "job/shipped/shipped_catalog.h"
#include "job/write/workload_export.h"
#include "simulate/astra/simulation.h"
#include "simulate/run.h"
#include "simulate/small_job.h"
#include "support/temp_dir.h"
#include "workload/resolve_roles.h"

namespace orrery::job {
namespace {

using namespace orrery::simulate::testing;
using simulate::PricingMode;
using simulate::PricingModel;

machine::Machine switch_of(std::int64_t devices, std::int64_t nodes = 1) {
  machine::Machine machine;
  machine.name = "switch";
  machine.devices.count = devices * nodes;
  machine.devices.name = "NPU";
  machine::Dimension dimension;
  dimension.name = "inner";
  dimension.topology = machine::Topology::switched;
  dimension.size = devices;
  dimension.bandwidth_gb_per_s = 37.3;
  dimension.latency_ns = 412.5;
  machine.network.push_back(dimension);
  if (nodes == 1) return machine;
  dimension.name = "outer";
  dimension.topology = machine::Topology::ring;
  dimension.size = nodes;
  dimension.bandwidth_gb_per_s = 11.7;
  dimension.derate = 0.9;
  machine.network.push_back(dimension);
  return machine;
}

simulate::PricingOptions options_of(PricingMode mode) {
  simulate::PricingOptions options;
  options.model = PricingModel::astra;
  options.mode = mode;
  return options;
}

Result<simulate::Outcome> priced(const workload::Workload& job, const machine::Machine& machine,
                                 const simulate::PricingOptions& options, Diagnostics& diagnostics) {
  simulate::Pricing pricing = options;
  pricing.open_oracle = open_astra_sim;
  return simulate::run(job, machine, pricing, simulate::engine_options(machine), diagnostics);
}

std::uint64_t count(const Diagnostics& diagnostics, std::string_view code) {
  for (const Diagnostic& remark : diagnostics.sorted()) {
    if (remark.kind->code == code) return remark.count;
  }
  return 0;
}

struct Sidecar {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  SidecarUse use;

  Result<simulate::Outcome> run(const std::string& script, const workload::Workload& job) {
    const std::string program = dir.write("astra", "#!/bin/sh\n" + script);
    REQUIRE(::chmod(program.c_str(), 0755) == 0);
    const auto machine = read_machine(std::string(ORRERY_SOURCE_DIR) + "/data/machines/dgx_h100.yaml");
    REQUIRE(machine.ok());
    const auto options = simulate::engine_options(*machine);
    return simulate::run(job, *machine, sidecar_pricing({.binary = program}, use), options, diagnostics);
  }
};

workload::Workload one_all_reduce() { return make_job({{all_reduce(1 << 20)}, {all_reduce(1 << 20)}}); }

constexpr const char* kAnswers =
    "for r in 0 1 2 3 4 5 6 7; do echo \"[x] [workload] [info] sys[$r] finished, 5000 cycles, exposed communication 5 "
    "cycles.\"; done\n";

}  // namespace

TEST_CASE("the machine that is handed over in memory is the one in the files") {
  const orrery::testing::TempDir dir;
  machine::Machine machine = switch_of(4, 3);
  machine.communication.message_overhead_us = 0.017;
  machine.communication.collective_algorithm = machine::CollectiveAlgorithm::direct;
  const auto files = machine::to_astra(machine);
  const auto exported = machine::to_astra_system(machine);
  REQUIRE(files.ok());
  REQUIRE(exported.ok());
  Diagnostics diagnostics;
  const AstraInput input{dir.write("network.yml", files->network_yaml), dir.write("system.json", files->system_json),
                         dir.write("memory.json", files->memory_json)};
  const auto read = read_astra_system(input, diagnostics);
  REQUIRE(read.ok());
  CHECK(diagnostics.empty());
  REQUIRE(read->dimensions.size() == exported->system.dimensions.size());
  for (std::size_t d = 0; d < read->dimensions.size(); ++d) {
    CHECK(read->dimensions[d].topology == exported->system.dimensions[d].topology);
    CHECK(read->dimensions[d].npus == exported->system.dimensions[d].npus);
    CHECK(read->dimensions[d].bandwidth_gib_per_s == exported->system.dimensions[d].bandwidth_gib_per_s);
    CHECK(read->dimensions[d].latency_ns == exported->system.dimensions[d].latency_ns);
  }
  for (std::size_t kind = 0; kind < machine::kAstraCollectives; ++kind) {
    REQUIRE(read->implementations[kind].size() == 2);
    for (std::size_t d = 0; d < 2; ++d) {
      CHECK(read->implementations[kind][d].algorithm == exported->system.implementations[kind][d].algorithm);
      CHECK(read->implementations[kind][d].flat == exported->system.implementations[kind][d].flat);
    }
  }
  CHECK(read->endpoint_delay_ns == exported->system.endpoint_delay_ns);
  CHECK(read->local_memory_gb_per_s == exported->system.local_memory_gb_per_s);
  CHECK(read->splits == exported->system.splits);
  CHECK(read->active_chunks == exported->system.active_chunks);
  CHECK(read->policy == exported->system.policy);
  CHECK_FALSE(exported->raised_endpoint_delay);
}

TEST_CASE("in the loop, astra is what the exported files take in ASTRA-sim, to the nanosecond") {
  // Durations that are no whole microseconds: files have them rounded.
  const generate::PipelineStep step{.tensor_parallel = 2,
                                    .data_parallel = 2,
                                    .pipeline_parallel = 2,
                                    .microbatches = 3,
                                    .layers = 4,
                                    .kernels_per_layer = 4,
                                    .forward_ps = 123'456'789,
                                    .activation_bytes = 123'456,
                                    .gradient_bytes = 1 << 20};
  const auto job = generate::pipeline_step(step);
  REQUIRE_MESSAGE(job.ok(), job.error().to_string());
  for (const bool several : {false, true}) {
    const orrery::testing::TempDir dir;
    const machine::Machine machine = several ? switch_of(4, 2) : switch_of(8);
    Diagnostics diagnostics;
    const auto run = priced(*job, machine, options_of(PricingMode::in_loop), diagnostics);
    REQUIRE_MESSAGE(run.ok(), run.error().to_string());
    CHECK(count(diagnostics, "S109") == 1);

    const auto written = write_generated(workload::resolve_roles(*job), dir.path("et"), "job");
    REQUIRE(written.ok());
    const auto files = machine::to_astra(machine);
    const AstraInput input{dir.write("network.yml", files->network_yaml), dir.write("system.json", files->system_json)};
    const auto system = read_astra_system(input, diagnostics);
    REQUIRE(system.ok());
    const auto source = find_source({dir.path("et/job")}, {}, diagnostics);
    REQUIRE_MESSAGE(source.ok(), source.error().to_string());
    const auto read = read_workload(*source, {.micros_only = true}, {.diagnostics = diagnostics});
    REQUIRE_MESSAGE(read.ok(), read.error().to_string());
    using simulate::astra::Backend;
    const auto outcome = simulate::astra::simulate(read->workload, *system,
                                                   {.backend = several ? Backend::aware_multi_dim : Backend::aware});
    REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
    CHECK(run->schedule.makespan_ps() == outcome->schedule.makespan_ps());
    CHECK(std::equal(run->schedule.start_ps.begin(), run->schedule.start_ps.end(), outcome->schedule.start_ps.begin()));
    CHECK(std::equal(run->schedule.end_ps.begin(), run->schedule.end_ps.end(), outcome->schedule.end_ps.begin()));
    CHECK(run->schedule.ranks.size() == outcome->schedule.ranks.size());
    CHECK(run->schedule.collectives.size() == outcome->schedule.collectives.size());
  }
}

TEST_CASE("the user's program is asked for operations and for sets of them") {
  const orrery::testing::TempDir dir;
  // Rank r finishes after 1000 (r + 1) cycles times the number of different operations in the question.
  const std::string script =
      "#!/bin/sh\nn=1\nfor a in \"$@\"; do case $a in --comm-group-configuration=*) n=$(grep -o ':' \"${a#*=}\" | wc "
      "-l);; esac; done\n"
      "for r in 0 1 2 3; do echo \"[x] [workload] [info] sys[$r] finished, $((1000 * (r + 1) * n)) cycles, exposed\"; "
      "done\n";
  simulate::PricingOptions options = options_of(PricingMode::snapshot);
  options.passes = 1;
  options.astra_sim = machine::AstraSimProgram{dir.write("astra", script)};
  REQUIRE(::chmod(options.astra_sim->binary.c_str(), 0755) == 0);
  const Groups groups = {{"1", {0, 1}}, {"2", {1, 2}}};
  const auto job = make_job({{all_reduce(4096, {}, "1")},
                             {all_reduce(4096, {}, "1"), all_reduce(4096, {}, "2")},
                             {all_reduce(4096, {}, "2")},
                             {compute(0)}},
                            groups);
  Diagnostics diagnostics;
  const auto run = priced(job, switch_of(4), options, diagnostics);
  REQUIRE_MESSAGE(run.ok(), run.error().to_string());
  REQUIRE(run->manifest->operations.size() == 2);
  // Alone: rank 1 ends after 2000. Ports of a switch are alike, so the other is not asked for.
  CHECK(run->manifest->operations[0].isolated_ps == 2000 * kPsPerNs);
  CHECK(run->manifest->operations[1].isolated_ps == 2000 * kPsPerNs);
  CHECK(run->report.asked == 2);
  // Together: rank 0 is only in the first, rank 2 only in the second.
  CHECK(run->manifest->operations[0].price_ps == 2000 * kPsPerNs);
  CHECK(run->manifest->operations[1].price_ps == 6000 * kPsPerNs);
  CHECK(run->report.version.starts_with("astra "));
  CHECK(count(diagnostics, "S114") == 0);
}

TEST_CASE("a program that fails leaves what the links say, and each operation is counted") {
  const orrery::testing::TempDir dir;
  simulate::PricingOptions options = options_of(PricingMode::isolated);
  options.astra_sim = machine::AstraSimProgram{dir.write("astra", "#!/bin/sh\nexit 3\n")};
  REQUIRE(::chmod(options.astra_sim->binary.c_str(), 0755) == 0);
  Diagnostics diagnostics;
  const auto run =
      priced(make_uniform_job(4, {all_reduce(4096), all_reduce(8192)}), switch_of(4), options, diagnostics);
  REQUIRE_MESSAGE(run.ok(), run.error().to_string());
  CHECK(run->report.fallbacks == 2);
  CHECK(count(diagnostics, "S114") == 2);
  CHECK(run->report.makespan_ps > 0);
  options.mode = PricingMode::in_loop;
  CHECK_FALSE(priced(make_uniform_job(4, {all_reduce(4096)}), switch_of(4), options, diagnostics).ok());
}

TEST_CASE("what ASTRA-sim answers is what the operation takes") {
  Sidecar sidecar;
  const auto outcome = sidecar.run(kAnswers, one_all_reduce());
  REQUIRE(outcome.ok());
  CHECK(sidecar.use.answered);
  CHECK(sidecar.use.runs == 1);
  CHECK(outcome->schedule.makespan_ps() == 5000 * kPsPerNs);
  CHECK(count(sidecar.diagnostics, "S104") == 0);
}

TEST_CASE("a program that ends badly after its answer is believed, and told of") {
  Sidecar sidecar;
  const auto outcome = sidecar.run(std::string(kAnswers) + "exit 134\n", one_all_reduce());
  REQUIRE(outcome.ok());
  CHECK(sidecar.use.answered);
  CHECK(outcome->schedule.makespan_ps() == 5000 * kPsPerNs);
  CHECK(count(sidecar.diagnostics, "S108") == 1);
}

TEST_CASE("a program that answers nothing leaves what the operation takes alone, and that is said") {
  Sidecar sidecar;
  const auto outcome = sidecar.run("exit 134\n", one_all_reduce());
  REQUIRE(outcome.ok());
  CHECK_FALSE(sidecar.use.answered);
  CHECK(count(sidecar.diagnostics, "S104") >= 1);
  CHECK(outcome->schedule.makespan_ps() > 0);
}

TEST_CASE("nothing to ask is no silence") {
  Sidecar sidecar;
  const auto outcome = sidecar.run("exit 134\n", make_job({{compute(10)}, {compute(20)}}));
  REQUIRE(outcome.ok());
  CHECK(sidecar.use.answered);
  CHECK(sidecar.use.runs == 0);
}

}  // namespace orrery::job
