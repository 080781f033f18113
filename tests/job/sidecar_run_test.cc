// A whole simulation with a stand-in for ASTRA-sim.
#include "job/sidecar_run.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "job/shipped_machines.h"
#include "simulate/engine/options.h"
#include "simulate/small_job.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

struct Sidecar {
  testing::TempDir dir;
  Diagnostics diagnostics;

  Result<SidecarOutcome> run(const std::string& script, const workload::Workload& job) {
    const std::string program = dir.write("astra", "#!/bin/sh\n" + script);
    REQUIRE(::chmod(program.c_str(), 0755) == 0);
    const auto machine = read_machine(std::string(ORRERY_SOURCE_DIR) + "/data/machines/dgx_h100.yaml");
    REQUIRE(machine.ok());
    const auto options = simulate::engine_options(*machine);
    return simulate_with_sidecar(job, *machine, {.binary = program}, options, diagnostics);
  }
  [[nodiscard]] std::uint64_t count(std::string_view code) const {
    for (const Diagnostic& remark : diagnostics.sorted()) {
      if (remark.kind->code == code) return remark.count;
    }
    return 0;
  }
};

workload::Workload one_all_reduce() {
  using namespace orrery::simulate::testing;
  return make_job({{all_reduce(1 << 20)}, {all_reduce(1 << 20)}});
}

constexpr const char* kAnswers =
    "for r in 0 1 2 3 4 5 6 7; do echo \"[x] [workload] [info] sys[$r] finished, 5000 cycles, exposed communication 5 cycles.\"; done\n";

}  // namespace

TEST_CASE("what ASTRA-sim answers is what the operation takes") {
  Sidecar sidecar;
  const auto outcome = sidecar.run(kAnswers, one_all_reduce());
  REQUIRE(outcome.ok());
  CHECK(outcome->answered);
  CHECK(outcome->runs == 1);
  CHECK(outcome->run.schedule.makespan_ps() == 5000 * kPsPerNs);
  CHECK(sidecar.count("S104") == 0);
}

TEST_CASE("a program that ends badly after its answer is believed, and told of") {
  Sidecar sidecar;
  const auto outcome = sidecar.run(std::string(kAnswers) + "exit 134\n", one_all_reduce());
  REQUIRE(outcome.ok());
  CHECK(outcome->answered);
  CHECK(outcome->run.schedule.makespan_ps() == 5000 * kPsPerNs);
  CHECK(sidecar.count("S108") == 1);
}

TEST_CASE("a program that answers nothing leaves what the operation takes alone, and that is said") {
  Sidecar sidecar;
  const auto outcome = sidecar.run("exit 134\n", one_all_reduce());
  REQUIRE(outcome.ok());
  CHECK_FALSE(outcome->answered);
  CHECK(sidecar.count("S104") >= 1);
  CHECK(outcome->run.schedule.makespan_ps() > 0);
}

TEST_CASE("nothing to ask is no silence") {
  using namespace orrery::simulate::testing;
  Sidecar sidecar;
  const auto outcome = sidecar.run("exit 134\n", make_job({{compute(10)}, {compute(20)}}));
  REQUIRE(outcome.ok());
  CHECK(outcome->answered);
  CHECK(outcome->runs == 0);
}

}  // namespace orrery::job
