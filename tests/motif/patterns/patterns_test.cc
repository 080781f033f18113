// Every built-in motif, on several numbers of ranks: ranks of a class do the same, every message is received, and nobody waits for ever.
#include "motif/patterns/catalog.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "machine/machine_yaml.h"
#include "motif/patterns/pattern_source.h"
#include "simulate/native.h"
#include "simulate/phase_sums.h"
#include "support/temp_dir.h"
#include "workload/matching.h"
#include "workload/resolve_roles.h"

using namespace orrery;
using namespace orrery::motif;

namespace {

/// Few rounds, and what a motif cannot do without.
Settings small_settings(const PatternInfo& info, const std::string& graph) {
  Settings settings;
  for (const Parameter& parameter : info.parameters) {
    if (parameter.name == "iterations" || parameter.name == "stopIterations") settings.emplace_back(parameter.name, "3");
    if (parameter.name == "hotSpots") settings.emplace_back(parameter.name, "1");
    if (parameter.name == "hotSpotsRatio") settings.emplace_back(parameter.name, "1");
    if (parameter.name == "graphfile") settings.emplace_back(parameter.name, graph);
    if (parameter.name == "nz" && info.name == "sweep3d") settings.emplace_back(parameter.name, "4");
  }
  return settings;
}

/// Everybody with the next two, around the ends.
std::string write_graph(const orrery::testing::TempDir& folder, std::uint32_t ranks) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n% a ring\n" + std::to_string(ranks) + " " + std::to_string(ranks) +
                     " " + std::to_string(2 * ranks) + "\n";
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    for (const std::uint32_t step : {1u, 2u}) text += std::to_string(rank + 1) + " " + std::to_string((rank + step) % ranks + 1) + "\n";
  return folder.write("graph.mtx", text);
}

machine::Machine small_machine(std::uint32_t ranks, bool rendezvous) {
  const auto machine = machine::parse_machine("format: orrery.machine/1\nname: m\ndevices: {count: " + std::to_string(ranks) +
                                                  ", name: d}\nnetwork: [{name: n, topology: switch, size: " + std::to_string(ranks) +
                                                  ", bandwidth_gb_per_s: 1, latency_ns: 100}]\ncommunication: {collective_algorithm: mpi" +
                                                  (rendezvous ? ", rendezvous_threshold_bytes: 0" : "") + "}\n",
                                              "test");
  REQUIRE_MESSAGE(machine.ok(), machine.error().to_string());
  return *machine;
}

/// As the script of another rank of its class would be.
struct Seen {
  std::vector<Script::Step> steps;
  std::vector<std::vector<Script::StepId>> after;
  std::vector<std::vector<std::int64_t>> parts;
  bool operator==(const Seen&) const = default;
};

Seen seen_by(const Pattern& pattern, std::uint32_t rank, std::uint64_t round) {
  Script script;
  script.phase("");
  pattern.append(script, rank, round);
  Seen seen;
  for (Script::Step step : script.steps()) {
    const bool message = step.kind == workload::ActivityKind::send || step.kind == workload::ActivityKind::recv;
    if (message && pattern.relative) step.peer = (step.peer + pattern.ranks - rank) % pattern.ranks;
    seen.after.push_back(script.after(step));
    seen.steps.push_back(step);
  }
  seen.parts = script.parts();
  return seen;
}

template <typename Check>
void for_each_pattern(const Check& check) {
  const orrery::testing::TempDir folder;
  for (const PatternInfo& info : pattern_catalog()) {
    std::size_t made = 0;
    for (const std::uint32_t ranks : {2u, 4u, 6u, 16u, 27u, 32u}) {
      const auto pattern = make_pattern(info.name, small_settings(info, write_graph(folder, ranks)), ranks);
      if (!pattern) continue;  // a power of two, exactly two, ...
      ++made;
      CAPTURE(info.name);
      CAPTURE(ranks);
      check(*pattern);
    }
    CAPTURE(info.name);
    CHECK(made >= 1);
  }
}

}  // namespace

TEST_CASE("there are all the motifs of the table, each with a sentence") {
  CHECK(pattern_catalog().size() >= 30);
  for (const PatternInfo& info : pattern_catalog()) {
    CHECK(!info.sentence.empty());
    CHECK(find_pattern(info.name) == &info);
  }
  CHECK(find_pattern("Halo3D")->name == "halo3d");
  CHECK(find_pattern("NAS-LU")->name == "naslu");
}

TEST_CASE("ranks of a class do the same") {
  for_each_pattern([](const Pattern& pattern) {
    std::map<std::uint64_t, std::uint32_t> first;
    for (std::uint32_t rank = 0; rank < pattern.ranks; ++rank) {
      const auto [known, fresh] = first.emplace(pattern.class_of(rank), rank);
      for (std::uint64_t round = 0; round < std::min<std::uint64_t>(2, pattern.rounds); ++round) {
        if (!fresh) CHECK(seen_by(pattern, rank, round) == seen_by(pattern, known->second, round));
        if (pattern.rounds_alike) CHECK(seen_by(pattern, rank, round) == seen_by(pattern, rank, 0));
      }
    }
  });
}

TEST_CASE("every message is received, and every collective has all its members") {
  for_each_pattern([](const Pattern& pattern) {
    auto source = pattern_source(pattern);
    REQUIRE_MESSAGE(source.ok(), source.error().to_string());
    const auto whole = workload::collect(**source);
    REQUIRE_MESSAGE(whole.ok(), whole.error().to_string());
    const auto matching = workload::Matching::of(*whole);
    CHECK_MESSAGE(matching.ok(), matching.error().to_string());
  });
}

TEST_CASE("motifs run, with every message eager or every one waiting for its receiver, and the same window by window as all at once") {
  for_each_pattern([](const Pattern& pattern) {
    for (const bool rendezvous : {false, true}) {
      const machine::Machine machine = small_machine(pattern.ranks, rendezvous);
      auto source = pattern_source(pattern);
      REQUIRE(source.ok());
      simulate::PhasedSchedule sums;
      const auto streamed = simulate::simulate_on_machine(**source, machine, "fluid", simulate::engine_options(machine), sums);
      REQUIRE_MESSAGE(streamed.ok(), streamed.error().to_string());
      const auto whole = workload::collect(**source);
      const auto kept = simulate::simulate_on_machine(*whole, machine, "fluid", simulate::engine_options(machine));
      REQUIRE_MESSAGE(kept.ok(), kept.error().to_string());
      TimePs last = 0, phases = 0;
      for (const simulate::RankUse& rank : streamed->schedule.ranks) last = std::max(last, rank.finish_ps);
      CHECK(last == kept->schedule.makespan_ps());
      TimePs finishes = 0;
      for (const simulate::RankUse& rank : streamed->schedule.ranks) finishes += rank.finish_ps;
      for (const auto& [name, sum] : sums.phases().sums()) phases += sum.all_ps;
      CHECK(phases == finishes);
    }
  });
}

TEST_CASE("65,536 ranks of a stencil have as many programs as there are kinds of places") {
  const auto pattern = make_pattern("halo3d", {{"iterations", "1000"}}, 65536);
  REQUIRE(pattern.ok());
  const auto source = pattern_source(*pattern);
  REQUIRE(source.ok());
  CHECK((*source)->program_count() == 27);
  CHECK((*source)->job().rank_count() == 65536);
}

TEST_CASE("what cannot be is told, with what may be meant") {
  const auto error = [](std::string_view name, const Settings& settings, std::uint32_t ranks) {
    const auto pattern = make_pattern(name, settings, ranks);
    REQUIRE_FALSE(pattern.ok());
    return pattern.error().to_string();
  };
  CHECK(error("hallo3d", {}, 8) == "there is no motif 'hallo3d' (did you mean 'halo3d'?)");
  CHECK(error("halo3d", {{"nxx", "3"}}, 8) == "halo3d: there is no parameter 'nxx' (did you mean 'nx'?)");
  CHECK(error("halo3d", {{"nx", "-3"}}, 8).find("halo3d: nx=-3: a whole number from 0 on is wanted") == 0);
  CHECK(error("halo3d", {{"pex", "3"}, {"pey", "2"}, {"pez", "2"}}, 8).find("a grid of 3 x 2 x 2 does not have 8 ranks") !=
        std::string::npos);
  CHECK(error("halo3d", {{"iterations", "0"}}, 8) == "halo3d: 0 iterations are nothing to run");
  CHECK(error("lqcd", {}, 7).find("a lattice of 8 x 8 x 8 x 8 cannot be cut into 7 parts") != std::string::npos);
  CHECK(error("cmtcr", {}, 12).find("a power of two ranks, not 12") != std::string::npos);
  CHECK(error("msgrate", {}, 3) == "msgrate: it is between 2 ranks, not 3");
  CHECK(error("incast", {{"incasttarget", "4"}}, 4) == "incast: incasttarget=4: there are 4 ranks");
  CHECK(error("sweep3d", {{"kba", "3"}}, 4) == "sweep3d: kba=3 does not divide nz=50");
  CHECK(error("unstructured", {{"graphfile", "/nowhere.mtx"}}, 4).find("/nowhere.mtx") != std::string::npos);
}
