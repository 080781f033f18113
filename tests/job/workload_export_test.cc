// Every built-in motif, written for other simulators and read again, is the same job: it takes as long, to the
// picosecond where the format has those.
#include "job/write/workload_export.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "job/read/reading.h"
#include "job/read/workload_input.h"
#include "job/shipped/bfs_motif.h"
#include "machine/yaml/machine_yaml.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/pattern_source.h"
#include "support/run_on_machine.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

using orrery::testing::TempDir;

/// What a motif cannot do without, and few rounds.
motif::Settings settings_of(const motif::PatternInfo& info, const TempDir& folder, std::uint32_t ranks) {
  motif::Settings settings;
  const auto has = [&](std::string_view name) {
    return std::any_of(info.parameters.begin(), info.parameters.end(),
                       [&](const auto& parameter) { return parameter.name == name; });
  };
  if (has("iterations")) settings.emplace_back("iterations", "2");
  if (has("stopIterations")) settings.emplace_back("stopIterations", "20");
  if (has("graphfile"))
    settings.emplace_back(
        "graphfile", folder.write("graph.mtx", "%%MatrixMarket matrix coordinate pattern general\n" +
                                                   std::to_string(ranks) + " " + std::to_string(ranks) + " 3\n1 2\n2 " +
                                                   std::to_string(ranks) + "\n" + std::to_string(ranks) + " 1\n"));
  if (has("exec_model")) {
    std::string exec, msg;
    for (int site = 1; site <= 62; ++site) {
      for (int next = 1; next <= 62; ++next)
        exec += fmt::format("{} {} 1 CONSTANT {}.123456\n", site, next, site + next);
      msg += fmt::format("{} 1 CONSTANT {}\n", site, 8 * site);
    }
    settings.emplace_back("exec_model", folder.write("exec.model", exec));
    settings.emplace_back("msg_model", folder.write("msg.model", msg));
    settings.emplace_back("roots", "2");
  }
  return settings;
}

/// The most ranks of a few numbers that the motif can run on.
std::optional<motif::Pattern> largest_pattern(const motif::PatternInfo& info, const TempDir& folder) {
  for (const std::uint32_t ranks : {16u, 2u}) {
    auto pattern = motif::make_pattern(info.name, settings_of(info, folder, ranks), ranks, motif_catalog());
    if (pattern) return std::move(*pattern);
  }
  return std::nullopt;
}

TimePs makespan(const workload::Workload& workload, std::string_view model) {
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: 16, name: d}\nnetwork: [{name: n, topology: torus, shape: "
      "[4, 4], "
      "bandwidth_gb_per_s: 1, latency_ns: 100}]\ncommunication: {collective_algorithm: mpi, "
      "rendezvous_threshold_bytes: 4096}\n",
      "m");
  REQUIRE(machine.ok());
  simulate::Pricing pricing = orrery::testing::pricing_named(model);
  pricing.placement = simulate::loggops::Placement::as_given;
  Diagnostics ignored;
  const auto outcome = simulate::run(workload, *machine, pricing, simulate::engine_options(*machine), ignored);
  REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
  return outcome->schedule.makespan_ps();
}

workload::Workload read_again(const std::string& file) {
  Diagnostics diagnostics;
  const auto source = find_source({file}, {}, diagnostics);
  REQUIRE_MESSAGE(source.ok(), source.error().to_string());
  auto input = read_workload(*source, {}, {diagnostics});
  REQUIRE_MESSAGE(input.ok(), input.error().to_string());
  return std::move(input->workload);
}

bool has_groups(const workload::Workload& workload) {
  return std::any_of(workload.programs.begin(), workload.programs.end(), [](const workload::Program& program) {
    const auto& groups = program.group_names.values();
    return std::any_of(groups.begin(), groups.end(), [](StringId group) { return group != 0; });
  });
}

}  // namespace

TEST_CASE("every built-in motif takes as long when it was written and read again") {
  for (const motif::PatternInfo& info : motif_catalog()) {
    const TempDir folder;
    CAPTURE(info.name);
    auto pattern = largest_pattern(info, folder);
    REQUIRE(pattern.has_value());
    const auto source = motif::pattern_source(std::move(*pattern));
    REQUIRE(source.ok());
    const auto whole = workload::collect(**source);
    REQUIRE(whole.ok());
    const std::string prefix = folder.path() + "/motif";

    const auto chakra = export_workload(**source, "chakra", prefix);
    REQUIRE_MESSAGE(chakra.ok(), chakra.error().to_string());
    CHECK(makespan(read_again(prefix), "fluid") == makespan(*whole, "fluid"));

    const auto goal =
        export_workload(**source, "goal", prefix, simulate::loggops::options_of(machine::CollectiveAlgorithm::mpi));
    REQUIRE_MESSAGE(goal.ok(), goal.error().to_string());
    // A way through the job changes from rank to rank, each of which is off by less than a nanosecond, GOAL's unit.
    CHECK(std::abs(makespan(read_again(prefix + ".goal"), "loggops") - makespan(*whole, "loggops")) <
          static_cast<TimePs>(whole->rank_count()) * kPsPerNs);

    const auto ti = export_workload(**source, "ti", prefix);
    CHECK(ti.ok() == !has_groups(*whole));  // SimGrid's traces have no collectives of a part of the ranks
    if (ti) CHECK(makespan(read_again(prefix + ".txt"), "fluid") == makespan(*whole, "fluid"));
  }
}

TEST_CASE("tags of collectives in GOAL are above all others") {
  const TempDir folder;
  auto pattern = motif::make_pattern("halo3d", {{"iterations", "1"}}, 8);
  REQUIRE(pattern.ok());
  const auto source = motif::pattern_source(std::move(*pattern));
  REQUIRE(source.ok());
  REQUIRE(export_workload(**source, "goal", folder.path() + "/halo").ok());
  const workload::Workload halo = read_again(folder.path() + "/halo.goal");
  std::int64_t highest = 0;
  for (const workload::Program& program : halo.programs)
    for (std::size_t i = 0; i < program.size(); ++i) highest = std::max(highest, program.tags[i]);
  CHECK(highest > 0);
  CHECK(highest < 100);
}

}  // namespace orrery::job
