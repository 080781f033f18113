// Every built-in motif, on several numbers of ranks: ranks of a class do the same, every message is received, and
// nobody waits for ever.
#include "motif/patterns/catalog.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/interrupt.h"
#include "machine/yaml/machine_yaml.h"
#include "motif/patterns/grid.h"
#include "motif/patterns/pattern_source.h"
#include "simulate/summed_schedule.h"
#include "support/run_on_machine.h"
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
    if (parameter.name == "iterations" || parameter.name == "stopIterations")
      settings.emplace_back(parameter.name, "3");
    if (parameter.name == "hotSpots") settings.emplace_back(parameter.name, "1");
    if (parameter.name == "hotSpotsRatio") settings.emplace_back(parameter.name, "1");
    if (parameter.name == "graphfile") settings.emplace_back(parameter.name, graph);
    if (parameter.name == "nz" && info.name == "sweep3d") settings.emplace_back(parameter.name, "4");
  }
  return settings;
}

/// Everybody with the next two, around the ends.
std::string write_graph(const orrery::testing::TempDir& folder, std::uint32_t ranks) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n% a ring\n" + std::to_string(ranks) + " " +
                     std::to_string(ranks) + " " + std::to_string(2 * ranks) + "\n";
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    for (const std::uint32_t step : {1u, 2u})
      text += std::to_string(rank + 1) + " " + std::to_string((rank + step) % ranks + 1) + "\n";
  return folder.write("graph.mtx", text);
}

machine::Machine small_machine(std::uint32_t ranks, bool rendezvous) {
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: " + std::to_string(ranks) +
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

/// What all ranks send in all rounds.
struct Sent {
  std::uint64_t messages = 0;
  std::int64_t bytes = 0;
  bool operator==(const Sent&) const = default;
};

Sent sent_by_all(const Pattern& pattern) {
  Sent sent;
  for (std::uint32_t rank = 0; rank < pattern.ranks; ++rank) {
    for (std::uint64_t round = 0; round < pattern.rounds; ++round) {
      for (const Script::Step& step : seen_by(pattern, rank, round).steps) {
        if (step.kind != workload::ActivityKind::send) continue;
        ++sent.messages;
        sent.bytes += step.bytes;
      }
    }
  }
  return sent;
}

Pattern made(std::string_view name, const Settings& settings, std::uint32_t ranks) {
  auto pattern = make_pattern(name, settings, ranks);
  REQUIRE_MESSAGE(pattern.ok(), pattern.error().to_string());
  return *pattern;
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

TEST_CASE("every MPI motif of Ember that reads no trace is there by its name") {
  for (const std::string_view name :
       {"3DAMR",     "CommDouble", "NtoM",      "TrafficGen", "Allgather",    "Allgatherv", "AllPingPong",
        "Allreduce", "Alltoall",   "Alltoallv", "Barrier",    "Bcast",        "BiPingPong", "CMT1D",
        "CMT2D",     "CMT3D",      "CMTCR",     "Comm",       "DetailedRing", "FFT3D",      "Fini",
        "Halo2D",    "Halo2DNBR",  "Halo3D",    "Halo3D26",   "Halo3DSV",     "HotSpots",   "Incast",
        "Init",      "LQCD",       "MsgRate",   "NASLU",      "Null",         "PingPong",   "Random",
        "Reduce",    "Ring",       "Scatter",   "Scatterv",   "Sendrecv",     "Stop",       "Sweep2D",
        "Sweep3D",   "Test",       "Testany",   "TriCount",   "Unstructured", "Waitany",    "DetailedStream"}) {
    CAPTURE(name);
    CHECK(find_pattern(name) != nullptr);
  }
}

TEST_CASE("many send to a few: each of the others once to each, in every round") {
  CHECK(sent_by_all(made("ntom", {{"targetRankList", "0,5-6"}, {"iterations", "4"}, {"messageSize", "100"}}, 9)) ==
        Sent{6 * 3 * 4, 6 * 3 * 4 * 100});
}

TEST_CASE("values that are exchanged a few at a time are the same values") {
  const Settings fields = {{"fields_per_cell", "6"}, {"iterations", "1"}};
  Settings by_two = fields;
  by_two.emplace_back("field_chunk", "2");
  const Sent at_once = sent_by_all(made("halo3d", fields, 27)), in_turn = sent_by_all(made("halo3dsv", by_two, 27));
  CHECK(in_turn.bytes == at_once.bytes);
  CHECK(in_turn.messages == 3 * at_once.messages);
  CHECK(sent_by_all(made("halo2dnbr", {}, 12)) == sent_by_all(made("halo2d", {}, 12)));
}

TEST_CASE("distances grow by three, and with them what is sent") {
  // On a line of 30 each has a partner 9 further where there is one, then one 27 further; then nobody has.
  const Pattern pattern = made("commdouble", {{"pex", "30"}, {"pey", "1"}, {"pez", "1"}, {"items_per_node", "64"}}, 30);
  CHECK(pattern.rounds == 3);
  const std::int64_t first = (64 + 1124) * 3, second = (first + 1124) * 3;
  CHECK(sent_by_all(pattern) == Sent{2 * 21 + 2 * 3, 2 * 21 * first + 2 * 3 * second});
}

TEST_CASE("triangles: every pair of parts is a task, and edges come from who has them") {
  // One client has all edges, and fetches none: three tasks are handed out, one more is asked for, and the end is told.
  CHECK(sent_by_all(made("tricount", {}, 2)) == Sent{2 * (6 + 1) + 1, 8 * (2 * (6 + 1) + 1)});
  const orrery::testing::TempDir folder;
  const std::string vertices = folder.write("vertices.txt", "12\n0 0\n1 4\n2 7\n3 9\n4 12\n5 12\n");
  for (const Settings& settings : {Settings{}, Settings{{"vertices_filename", vertices}}}) {
    for (const std::uint32_t ranks : {3u, 5u, 9u}) {
      const Pattern pattern = made("tricount", settings, ranks);
      const Sent sent = sent_by_all(pattern);
      CHECK(sent.messages > 2 * pattern.rounds);
      auto source = pattern_source(pattern);
      REQUIRE(source.ok());
      const auto whole = workload::collect(**source);
      REQUIRE(whole.ok());
      CHECK(workload::Matching::of(*whole).ok());
    }
  }
}

TEST_CASE("traffic at random: every rank sends in every round, to anybody or to a hot spot") {
  const Pattern pattern = made(
      "trafficgen", {{"pattern", "random"}, {"stopIterations", "20"}, {"hotSpots", "2"}, {"hotSpotsRatio", "3"}}, 10);
  CHECK(sent_by_all(pattern).messages == 200);
  const machine::Machine machine = small_machine(10, true);
  auto source = pattern_source(pattern);
  REQUIRE(source.ok());
  simulate::PhasedSchedule sums;
  CHECK(orrery::testing::run_on_machine(**source, machine, "fluid", simulate::engine_options(machine), &sums).ok());
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

TEST_CASE(
    "motifs run, with every message eager or every one waiting for its receiver, and the same window by window as all "
    "at once") {
  for_each_pattern([](const Pattern& pattern) {
    for (const bool rendezvous : {false, true}) {
      const machine::Machine machine = small_machine(pattern.ranks, rendezvous);
      auto source = pattern_source(pattern);
      REQUIRE(source.ok());
      simulate::PhasedSchedule sums;
      const auto streamed =
          orrery::testing::run_on_machine(**source, machine, "fluid", simulate::engine_options(machine), &sums);
      REQUIRE_MESSAGE(streamed.ok(), streamed.error().to_string());
      const auto whole = workload::collect(**source);
      const auto kept = orrery::testing::run_on_machine(*whole, machine, "fluid", simulate::engine_options(machine));
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
  CHECK(error("halo3d", {{"pex", "3"}, {"pey", "2"}, {"pez", "2"}}, 8)
            .find("a grid of 3 x 2 x 2 does not have 8 ranks") != std::string::npos);
  // A side that is given is kept, whatever the others become.
  CHECK(error("halo3d", {{"pex", "1000000000000"}}, 8)
            .find("a grid of 1000000000000 x any x any does not have 8 ranks") != std::string::npos);
  CHECK(error("halo3d", {{"iterations", "0"}}, 8) == "halo3d: 0 iterations are nothing to run");
  CHECK(error("lqcd", {}, 7).find("a lattice of 8 x 8 x 8 x 8 cannot be cut into 7 parts") != std::string::npos);
  CHECK(error("cmtcr", {}, 12).find("a power of two ranks, not 12") != std::string::npos);
  CHECK(error("msgrate", {}, 3) == "msgrate: it is between 2 ranks, not 3");
  CHECK(error("incast", {{"incasttarget", "4"}}, 4) == "incast: incasttarget=4: there are 4 ranks");
  CHECK(error("sweep3d", {{"kba", "3"}}, 4) == "sweep3d: kba=3 does not divide nz=50");
  CHECK(error("ntom", {{"targetRankList", "0-9"}}, 4) == "ntom: '0-9' are no ranks: there are 4");
  CHECK(error("ntom", {{"targetRankList", "all"}}, 4) == "ntom: targetRankList=all: some of the 4 ranks, and not all");
  CHECK(error("halo3dsv", {{"fields_per_cell", "5"}, {"field_chunk", "2"}}, 8) ==
        "halo3dsv: field_chunk=2 does not divide fields_per_cell=5");
  CHECK(error("comm", {}, 10) == "comm: it takes a multiple of 4 ranks, at least 8, not 10");
  CHECK(error("trafficgen", {}, 3) == "trafficgen: plusOne is between 2 ranks, not 3 (pattern=random)");
  CHECK(error("unstructured", {{"graphfile", "/nowhere.mtx"}}, 4).find("/nowhere.mtx") != std::string::npos);
}

TEST_CASE("sides of a grid that are given are kept, and the others are as near to a cube as they can be") {
  const auto extents = [](std::uint32_t ranks, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return make_grid(ranks, x, y, z)->extents;
  };
  CHECK(extents(24, 0, 0, 0) == std::array{4u, 3u, 2u});
  CHECK(extents(24, 2, 0, 0) == std::array{2u, 4u, 3u});
  CHECK(extents(24, 0, 0, 6) == std::array{2u, 2u, 6u});
  CHECK(extents(24, 1, 2, 12) == std::array{1u, 2u, 12u});
  CHECK(make_grid(7, 0, 0)->extents == std::array{7u, 1u});
  CHECK_FALSE(make_grid(24, 5, 0, 0).ok());
  CHECK_FALSE(make_grid(24, 2, 2, 2).ok());
}

TEST_CASE("sizes that no number holds are the largest there is") {
  CHECK(product({3, 5, 8}) == 120);
  CHECK(product({1'000'000'000'000, 1'000'000'000'000}) == std::numeric_limits<std::int64_t>::max());
  CHECK(product({1'000'000'000'000, 1'000'000'000'000, 0}) == 0);
  const auto message = [](std::string_view name, const Settings& settings) {
    return sent_by_all(made(name, settings, 2)).bytes;
  };
  CHECK(message("sendrecv", {{"messageSize", "9007199254740992"}}) > 0);
}

TEST_CASE("a round that goes on and on, and more rounds than anybody looks at, are refused") {
  const auto error = [](std::string_view name, const Settings& settings, std::uint32_t ranks) {
    auto source = pattern_source(made(name, settings, ranks));
    REQUIRE_FALSE(source.ok());
    return source.error().message;
  };
  const std::string too_long = "rank 0 has more than 1,048,576 steps in one round";
  CHECK(error("msgrate", {{"numMsgs", "1000000000000"}}, 2) == too_long);
  CHECK(error("sweep2d", {{"ny", "1000000000000"}}, 4) == too_long);
  CHECK(error("sweep3d", {{"nz", "1000000000000"}, {"kba", "1"}}, 4) == too_long);
  CHECK(error("cmt1d", {{"iterations", "50000000"}}, 4) ==
        "more than 100,000,000 rounds of the ranks that are not all alike");
}

TEST_CASE("ranks that do nothing in a million rounds can be interrupted") {
  const machine::Machine machine = small_machine(4, false);
  auto source = pattern_source(made("pingpong", {{"iterations", "1000000000"}}, 4));
  REQUIRE(source.ok());
  std::thread asker([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    request_stop();
  });
  simulate::PhasedSchedule sums;
  CHECK_THROWS_AS(static_cast<void>(orrery::testing::run_on_machine(**source, machine, "fluid",
                                                                    simulate::engine_options(machine), &sums)),
                  Stopped);
  asker.join();
  allow_work();
}
