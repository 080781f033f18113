// What a job does again is executed once: whatever it is, and whatever is asked of the run, nothing shows but the time
// it takes.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/yaml/machine_yaml.h"
#include "motif/patterns/call_pattern.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/pattern_source.h"
#include "simulate/summed_schedule.h"
#include "support/run_on_machine.h"

using namespace orrery;
using namespace orrery::motif;
using workload::Collective;

namespace {

machine::Machine torus(std::uint32_t rows, std::uint32_t columns, bool rendezvous,
                       const std::string& routing = "shortest") {
  const auto machine = machine::parse_machine("format: orrery.machine/1\nname: m\nrouting: " + routing +
                                                  "\ndevices: {count: " + std::to_string(rows * columns) +
                                                  ", name: d}\nnetwork: [{name: n, topology: torus, shape: [" +
                                                  std::to_string(rows) + ", " + std::to_string(columns) +
                                                  "], bandwidth_gb_per_s: 1.7, latency_ns: 130}]\ncommunication: "
                                                  "{collective_algorithm: mpi, message_overhead_us: 0.3" +
                                                  (rendezvous ? ", rendezvous_threshold_bytes: 500" : "") + "}\n",
                                              "test");
  REQUIRE_MESSAGE(machine.ok(), machine.error().to_string());
  return *machine;
}

/// Counts the windows that are made.
class Counted : public workload::WorkloadSource {
 public:
  explicit Counted(workload::WorkloadSource& of) : of_(of) {}
  [[nodiscard]] const workload::Workload& job() const override { return of_.job(); }
  [[nodiscard]] std::uint32_t program_count() const override { return of_.program_count(); }
  [[nodiscard]] const workload::ProgramStructure& structure(std::uint32_t program) const override {
    return of_.structure(program);
  }
  Result<std::optional<workload::Window>> next_window(std::uint32_t program) override {
    return ++made, of_.next_window(program);
  }
  void restart() override { of_.restart(); }
  [[nodiscard]] std::uint64_t next_content(std::uint32_t program) const override { return of_.next_content(program); }
  [[nodiscard]] std::uint64_t next_alike(std::uint32_t program) const override { return of_.next_alike(program); }
  void pass_windows(std::uint32_t program, std::uint64_t count) override {
    passed += count, of_.pass_windows(program, count);
  }

  std::uint64_t made = 0, passed = 0;

 private:
  workload::WorkloadSource& of_;
};

/// All that a run that is added up tells.
struct Told {
  simulate::Schedule schedule;
  std::uint64_t activities = 0;
  std::map<StringId, simulate::PhaseSum> phases;
  std::map<simulate::CollectiveKind, simulate::CollectiveSum> collectives;
};

bool is_same(const Told& a, const Told& b) {
  const auto phase = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.all_ps == y.second.all_ps && x.second.longest_ps == y.second.longest_ps &&
           x.second.activities == y.second.activities;
  };
  const auto collective = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.calls == y.second.calls && x.second.waited_ps == y.second.waited_ps &&
           x.second.moved_ps == y.second.moved_ps &&
           x.second.slowest_bus_bytes_per_second == y.second.slowest_bus_bytes_per_second;
  };
  return a.schedule == b.schedule && a.activities == b.activities &&
         std::equal(a.phases.begin(), a.phases.end(), b.phases.begin(), b.phases.end(), phase) &&
         std::equal(a.collectives.begin(), a.collectives.end(), b.collectives.begin(), b.collectives.end(), collective);
}

struct How {
  const char* model = "fluid";
  bool use_steady_state = true;
  bool use_symmetry = true;
  bool keep_link_series = false;
};

Told run(workload::WorkloadSource& source, const machine::Machine& machine, const How& how) {
  simulate::EngineOptions options = simulate::engine_options(machine);
  options.use_steady_state = how.use_steady_state;
  options.use_symmetry = how.use_symmetry;
  options.keep_link_series = how.keep_link_series;
  simulate::PhasedSchedule sums;
  auto outcome = orrery::testing::run_on_machine(source, machine, how.model, options, &sums);
  REQUIRE_MESSAGE(outcome.ok(), outcome.error().to_string());
  return {std::move(outcome->schedule), sums.activities(), sums.phases().sums(), sums.collectives().rows()};
}

std::int64_t draw(std::int64_t from, std::int64_t to) { return *rc::gen::inRange<std::int64_t>(from, to); }

MpiCall drawn_call(bool is_square) {
  MpiCall call;
  call.phase = static_cast<std::uint32_t>(draw(0, 4));
  call.compute_ps = draw(0, 3) == 0 ? 0 : draw(0, 5'000'000);
  call.bytes = draw(0, 4) == 0 ? draw(0, 20) : draw(0, 3'000);
  call.group = static_cast<MpiCall::Group>(draw(0, 3));
  switch (draw(0, 4)) {
    case 0: return call;
    case 1:
      call.kind = MpiCall::Kind::collective;
      call.collective = std::vector{Collective::all_reduce, Collective::broadcast, Collective::all_gather,
                                    Collective::barrier}[static_cast<std::size_t>(draw(0, 4))];
      return call;
    default:
      call.kind = MpiCall::Kind::exchange;
      call.peer = is_square && draw(0, 3) == 0 ? MpiCall::Peer::transposed : MpiCall::Peer::shift;
      call.offset = draw(1, 4);
      return call;
  }
}

/// A few blocks of calls, some of which end with a call of all ranks, in an order in which they come again.
CallLists drawn_lists(std::uint32_t rows, std::uint32_t columns, bool ends_in_sync) {
  std::vector<std::vector<MpiCall>> blocks(static_cast<std::size_t>(draw(1, 4)));
  for (std::vector<MpiCall>& block : blocks) {
    for (std::int64_t i = 0, calls = draw(1, 6); i < calls; ++i) block.push_back(drawn_call(rows == columns));
    if (!ends_in_sync && draw(0, 2) == 0) continue;
    MpiCall all;
    all.kind = MpiCall::Kind::collective;
    all.bytes = draw(0, 100);
    all.compute_ps = draw(0, 1'000'000);
    block.push_back(all);
  }
  CallLists lists;
  lists.rows = rows;
  lists.columns = columns;
  lists.phases = {"a", "b", "c", "d"};
  lists.class_of = [](std::uint32_t) { return 0; };
  lists.by_class.resize(1);
  for (std::int64_t i = 0, count = draw(5, 25); i < count; ++i) {
    const auto& block = blocks[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(blocks.size())))];
    lists.by_class[0].insert(lists.by_class[0].end(), block.begin(), block.end());
  }
  return lists;
}

}  // namespace

TEST_CASE("what comes again and is passed over tells the same as if it had been executed") {
  std::uint64_t passed = 0;
  CHECK(rc::check([&] {
    const auto rows = static_cast<std::uint32_t>(draw(1, 5)), columns = static_cast<std::uint32_t>(draw(2, 5));
    const machine::Machine machine = torus(rows, columns, draw(0, 2) == 0);
    const bool ends_in_sync = draw(0, 2) == 0;
    const auto pattern = call_pattern(drawn_lists(rows, columns, ends_in_sync));
    RC_ASSERT(pattern.ok());
    const auto source = pattern_source(*pattern);
    RC_ASSERT(source.ok());
    How how{
        .model = draw(0, 3) == 0 ? "isolated" : "fluid", .use_steady_state = false, .use_symmetry = draw(0, 2) == 0};
    how.keep_link_series = draw(0, 4) == 0;
    const Told executed = run(**source, machine, how);
    how.use_steady_state = true;
    Counted counted(**source);
    RC_ASSERT(is_same(run(counted, machine, how), executed));
    passed += counted.passed;
    // And as it was kept, with every activity.
    const auto whole = workload::collect(**source);
    const auto kept = orrery::testing::run_on_machine(*whole, machine, how.model, simulate::engine_options(machine));
    const auto equal = [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
    RC_ASSERT(equal(kept->schedule.ranks, executed.schedule.ranks));
    RC_ASSERT(equal(kept->schedule.link_busy_ps, executed.schedule.link_busy_ps));
    RC_ASSERT(equal(kept->schedule.link_bytes, executed.schedule.link_bytes));
  }));
  CHECK(passed > 0);
}

TEST_CASE("built-in motifs of many rounds tell the same, whether or not they are quiescent after each") {
  std::set<std::string_view> faster;
  for (const PatternInfo& info : pattern_catalog()) {
    if (info.name == "unstructured") continue;  // wants a file
    Settings settings;
    for (const Parameter& parameter : info.parameters)
      if (parameter.name == "iterations" || parameter.name == "stopIterations")
        settings.emplace_back(parameter.name, "9");
    CAPTURE(info.name);
    const auto pattern = make_pattern(info.name, settings, 16);
    if (!pattern) continue;
    const auto source = pattern_source(*pattern);
    REQUIRE(source.ok());
    const machine::Machine machine = torus(4, 4, false);
    const Told executed = run(**source, machine, {.use_steady_state = false});
    Counted counted(**source);
    CHECK(is_same(run(counted, machine, {}), executed));
    if (counted.passed > 0) faster.insert(info.name);
  }
  CHECK(faster.contains("allreduce"));
  CHECK(faster.contains("barrier"));
  CHECK(!faster.contains("random"));  // no two rounds are alike
}

TEST_CASE("motifs one after the other, on some of the nodes, come again each by itself") {
  MotifJob job;
  job.nodes = {5, 1, 9, 12, 3, 7};  // the others do nothing
  for (const char* const name : {"allreduce", "barrier", "allreduce"})
    job.patterns.push_back(*make_pattern(name, {{"iterations", "9"}, {"compute", "700"}}, 6));
  const auto source = pattern_source({job}, 16);
  REQUIRE(source.ok());
  for (const char* const model : {"fluid", "isolated"}) {
    const machine::Machine machine = torus(4, 4, false);
    const Told executed = run(**source, machine, {.model = model, .use_steady_state = false});
    Counted counted(**source);
    CHECK(is_same(run(counted, machine, {.model = model}), executed));
    CHECK(counted.passed > 6 * 3 * 3);  // of each of the six ranks, in each motif
  }
}

TEST_CASE("a million rounds take as long to simulate as a few") {
  const auto pattern = make_pattern("allreduce", {{"iterations", "1000000"}, {"compute", "1000"}}, 16);
  const auto source = pattern_source(*pattern);
  REQUIRE(source.ok());
  Counted counted(**source);
  const machine::Machine machine = torus(4, 4, false);
  const Told all = run(counted, machine, {});
  CHECK(counted.made < 10);
  CHECK(all.activities == 32'000'000);
  const auto ten = pattern_source(*make_pattern("allreduce", {{"iterations", "10"}, {"compute", "1000"}}, 16));
  const Told few = run(**ten, machine, {.use_steady_state = false});
  CHECK(all.schedule.makespan_ps() == few.schedule.makespan_ps() * 100'000);
  CHECK(all.schedule.link_bytes[0] == few.schedule.link_bytes[0] * 100'000);
}

TEST_CASE("ten thousand million rounds are passed over at once") {
  const machine::Machine machine = torus(4, 4, false);
  const auto told = [&](const char* iterations, bool use_steady_state) {
    const auto source =
        pattern_source(*make_pattern("allreduce", {{"iterations", iterations}, {"compute", "1000"}}, 16));
    return run(**source, machine, {.use_steady_state = use_steady_state});
  };
  const Told all = told("10000000000", true), few = told("10", false);
  CHECK(all.activities == 320'000'000'000);
  CHECK(all.schedule.makespan_ps() == few.schedule.makespan_ps() * 1'000'000'000);
}

TEST_CASE("what has more rounds than can be counted, or does not come to rest, is refused") {
  CHECK(make_pattern("allreduce", {{"iterations", "1000000000001"}}, 4).error().message ==
        "allreduce: 1000000000001 rounds; up to 1000000000000 can be run");
  const auto source = pattern_source(*make_pattern("pingpong", {{"iterations", "1000000000000"}}, 4));
  REQUIRE(source.ok());
  const machine::Machine machine = torus(2, 2, false);
  simulate::PhasedSchedule sums;
  const auto outcome =
      orrery::testing::run_on_machine(**source, machine, "fluid", simulate::engine_options(machine), &sums);
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().message.find("nothing comes again in it that could be passed over") != std::string::npos);
}

TEST_CASE("rounds beyond 26 days are too long, however few are executed") {
  const auto pattern = make_pattern("allreduce", {{"iterations", "1000000000"}, {"compute", "100000000000"}}, 4);
  const auto source = pattern_source(*pattern);
  REQUIRE(source.ok());
  const machine::Machine machine = torus(2, 2, false);
  simulate::PhasedSchedule sums;
  const auto outcome =
      orrery::testing::run_on_machine(**source, machine, "fluid", simulate::engine_options(machine), &sums);
  REQUIRE(!outcome.ok());
  CHECK(outcome.error().message == "the simulation takes longer than 26 days");
}

TEST_CASE("where ways depend on who asks, or on what is under way, every round is executed") {
  const auto source = pattern_source(*make_pattern("barrier", {{"iterations", "20"}}, 16));
  REQUIRE(source.ok());
  for (const std::string routing : {"shortest", "ecmp", "adaptive"}) {
    CAPTURE(routing);
    Counted counted(**source);
    run(counted, torus(4, 4, false, routing), {});
    CHECK((counted.passed > 0) == (routing == "shortest"));
  }
}

TEST_CASE("windows of the same content are the same but for their ids") {
  CHECK(rc::check([] {
    const auto source = pattern_source(*call_pattern(drawn_lists(3, 3, true)));
    RC_ASSERT(source.ok());
    workload::WorkloadSource& made = **source;
    for (std::uint32_t program = 0; program < made.program_count(); ++program) {
      std::map<std::uint64_t, workload::Window> first;
      for (std::uint64_t content = made.next_content(program);; content = made.next_content(program)) {
        const auto window = made.next_window(program);
        RC_ASSERT(window.ok());
        if (!*window) break;
        if (content == 0) continue;
        const auto [known, fresh] = first.emplace(content, **window);
        if (fresh) continue;
        const workload::Program &a = *known->second.program, &b = *(*window)->program;
        RC_ASSERT(a.size() == b.size());
        RC_ASSERT(a.dependencies.edge_count() == b.dependencies.edge_count());
        for (std::uint32_t i = 0; i < a.size(); ++i) {
          RC_ASSERT(a.kinds[i] == b.kinds[i] && a.names[i] == b.names[i] && a.bytes[i] == b.bytes[i] &&
                    a.flags[i] == b.flags[i]);
          RC_ASSERT(a.peers[i] == b.peers[i] && a.tags[i] == b.tags[i] && a.duration_ps(i) == b.duration_ps(i));
          RC_ASSERT(a.collectives[i] == b.collectives[i] && a.group_names[i] == b.group_names[i] &&
                    a.peer_roles[i] == b.peer_roles[i]);
        }
        for (graph::Slot slot = 0; slot < a.dependencies.edge_count(); ++slot) {
          RC_ASSERT(a.dependencies.source(slot) == b.dependencies.source(slot));
          RC_ASSERT(a.dependencies.target(slot) == b.dependencies.target(slot));
        }
      }
    }
  }));
}
