// Holds exported traces against SimGrid: its replay of them takes as long as the fluid model says, where both have the
// same model.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "formats/simgrid_ti/writer.h"
#include "machine/yaml/machine_yaml.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/pattern_source.h"
#include "support/run_on_machine.h"
#include "support/temp_dir.h"
#include "workload/resolve_roles.h"

using namespace orrery;

namespace {

/// Standard output and error of a command; nothing if it fails.
std::optional<std::string> output_of(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe)) text.append(block.data(), count);
  return pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

workload::Workload workload_of(std::string_view name, const motif::Settings& settings, std::uint32_t ranks) {
  auto pattern = motif::make_pattern(name, settings, ranks);
  REQUIRE_MESSAGE(pattern.ok(), pattern.error().to_string());
  auto source = motif::pattern_source(std::move(*pattern));
  REQUIRE(source.ok());
  auto whole = workload::collect(**source);
  REQUIRE(whole.ok());
  return workload::resolve_roles(*whole);
}

/// 64 hosts of 1 Gf in a torus of links of 1 GB/s without latency; messages wait for their receivers.
double fluid_seconds(const workload::Workload& workload) {
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: 64, name: d}\nnetwork: [{name: n, topology: torus, shape: "
      "[4, 4, 4], "
      "bandwidth_gb_per_s: 1}]\ncommunication: {rendezvous_threshold_bytes: 0}\n",
      "m");
  REQUIRE(machine.ok());
  const auto outcome = orrery::testing::run_on_machine(workload, *machine, "fluid", simulate::engine_options(*machine));
  REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
  return static_cast<double>(outcome->schedule.makespan_ps()) * 1e-12;
}

double replayed_seconds(const workload::Workload& workload) {
  const orrery::testing::TempDir folder;
  const std::string path = folder.path(), prefix = path + "/trace";
  const Status written = simgrid_ti::write_workload(workload, prefix);
  REQUIRE_MESSAGE(written.ok(), written.error().to_string());
  folder.write(
      "platform.xml",
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">"
      "<zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"h\" radical=\"0-63\" suffix=\"\" speed=\"1Gf\" "
      "bw=\"1GBps\" "
      "lat=\"0us\" topology=\"TORUS\" topo_parameters=\"4,4,4\" sharing_policy=\"SPLITDUPLEX\"/></zone></platform>\n");
  std::string hosts;
  for (int host = 0; host < 64; ++host) hosts += "h" + std::to_string(host) + "\n";
  folder.write("hosts", hosts);
  const auto output = output_of("cd " + path + " && smpirun -np " + std::to_string(workload.rank_count()) +
                                " -platform platform.xml -hostfile hosts -replay " + prefix +
                                ".txt --cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0 "
                                "--cfg=smpi/send-is-detached-thresh:0 '--log=root.fmt:%.12r%e%m%n'");
  REQUIRE(output.has_value());
  const std::size_t at = output->find(" Simulation time");
  REQUIRE_MESSAGE(at != std::string::npos, *output);
  const std::size_t line = output->rfind('\n', at) + 1;
  return std::stod(output->substr(line, at - line));
}

}  // namespace

TEST_CASE("SimGrid's replay of an exported motif takes as long as the fluid model says") {
  if (!output_of("command -v smpirun")) {
    MESSAGE("smpirun is not installed (Debian: libsimgrid-dev): nothing is compared");
    return;
  }
  const motif::Settings stencil = {{"nx", "2000"},      {"ny", "1000"},         {"nz", "500"},    {"doreduce", "0"},
                                   {"iterations", "3"}, {"computetime", "1e8"}, {"copytime", "0"}};
  const motif::Settings sweep = {{"nx", "20000"}, {"ny", "30000"}, {"nz", "4"}, {"computetime", "1e7"}};
  const std::vector<std::pair<std::string_view, motif::Settings>> cases = {
      {"halo3d", stencil},
      {"halo3d26", stencil},
      {"sweep3d", sweep},
      {"random", {{"messagesize", "20000000"}, {"iterations", "4"}}},
      {"incast", {{"messageSize", "50000000"}}},
      {"ring", {{"messagesize", "30000000"}}}};
  for (const auto& [name, settings] : cases) {
    CAPTURE(name);
    const workload::Workload workload = workload_of(name, settings, 64);
    const double ours = fluid_seconds(workload), theirs = replayed_seconds(workload);
    CHECK(ours > 0.1);
    CHECK(std::abs(ours - theirs) <= 2e-6 * theirs);
  }
}
