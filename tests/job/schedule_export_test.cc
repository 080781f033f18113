// A simulated run, written and read again: every time to the picosecond, and the critical path of every rank explained
// by what it did.
#include "job/write/schedule_export.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "analyze/path/causal_path.h"
#include "causal/rank_graph.h"
#include "formats/kineto/reader.h"
#include "graph/longest_path.h"
#include "simulate/engine/engine.h"
#include "simulate/random_job.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

using namespace orrery::simulate::testing;
using causal::EdgeKind;
using simulate::Schedule;

Schedule run(const workload::Workload& job, std::uint32_t compute_slots = 1) {
  FixedNetwork network(70'000, 1'000);
  simulate::EngineOptions options;
  options.compute_slots = compute_slots;
  Result<Schedule> schedule = simulate::execute(job, network, options);
  if (!schedule) throw std::runtime_error(schedule.error().message);
  return std::move(*schedule);
}

trace::Trace read(const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  Result<trace::Trace> job = kineto::read_job(paths, diagnostics);
  if (!job) throw std::runtime_error(job.error().to_string());
  for (const Diagnostic& entry : diagnostics.sorted()) throw std::runtime_error(std::string(entry.kind->code));
  return std::move(*job);
}

// Start and end of every event that is an activity, since the start of the simulation.
std::vector<std::pair<TimePs, TimePs>> times_of(const trace::Trace& trace, const trace::RankTrace& rank) {
  std::vector<std::pair<TimePs, TimePs>> times;
  const TimePs zero = kPsPerSecond - trace.epoch_unix_ns * kPsPerNs;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const trace::Activity activity = rank.activity(e);
    if (is_device_work(activity) || activity == trace::Activity::cpu_operator)
      times.emplace_back(rank.start[e] - zero, rank.end(e) - zero);
  }
  std::sort(times.begin(), times.end());
  return times;
}

std::vector<std::pair<TimePs, TimePs>> times_of(const workload::Workload& job, const Schedule& schedule,
                                                std::size_t rank) {
  const auto first = job.first_activities();
  std::vector<std::pair<TimePs, TimePs>> times;
  for (std::uint64_t i = first[rank]; i < first[rank + 1]; ++i)
    times.emplace_back(schedule.start_ps[i], schedule.end_ps[i]);
  std::sort(times.begin(), times.end());
  return times;
}

struct RankPath {
  causal::CausalGraph step;
  analyze::PathSums path;
};

RankPath path_of(const trace::Trace& job, const trace::RankTrace& rank) {
  Diagnostics diagnostics;
  Result<causal::CausalGraph> step = causal::make_causal_graph(job, rank, {}, diagnostics);
  if (!step) throw std::runtime_error(step.error().to_string());
  for (const Diagnostic& entry : diagnostics.sorted()) throw std::runtime_error(std::string(entry.kind->code));
  analyze::PathSums path = analyze::take_path(*step, graph::solve(step->graph, step->end), 100, false).sums;
  return {std::move(*step), std::move(path)};
}

TimePs worked(const analyze::PathSums& path) {
  return path.on_path(EdgeKind::kernel) + path.on_path(EdgeKind::communication) + path.on_path(EdgeKind::memory_copy) +
         path.on_path(EdgeKind::cpu_operator);
}

std::vector<std::string> rank_files(const std::string& folder, std::size_t ranks) {
  std::vector<std::string> paths;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    paths.push_back(folder + "/rank_" + std::to_string(rank) + ".json.gz");
  return paths;
}

}  // namespace

TEST_CASE("the critical path of a simulated rank is what the rank did") {
  // Host 5 us, then kernel 0 (20 us) -> all-reduce (100.07 us) beside kernel 2 (40 us) -> kernel 3 (10 us) -> host 8
  // us.
  const std::vector<Node> nodes = {on_host(5'000'000),       compute(20'000'000, {0}),    all_reduce(100'000, {1}),
                                   compute(40'000'000, {1}), compute(10'000'000, {2, 3}), on_host(8'000'000, {4})};
  const workload::Workload job = make_job({nodes, nodes});
  const Schedule schedule = run(job);
  REQUIRE(schedule.makespan_ps() == 143'070'000);
  const orrery::testing::TempDir dir;
  const Status written = export_schedule(job, schedule, {}, dir.path("out/"));
  REQUIRE_MESSAGE(written.ok(), written.error().to_string());
  const trace::Trace trace = read(rank_files(dir.path("out"), 2));
  REQUIRE(trace.ranks.size() == 2);
  for (const trace::RankTrace& rank : trace.ranks) {
    CHECK(times_of(trace, rank) == times_of(job, schedule, static_cast<std::size_t>(rank.rank)));
    const RankPath found = path_of(trace, rank);
    CHECK(found.step.label == "ProfilerStep#0");
    CHECK(found.step.span == 143'070'001);  // everything comes after a host compute: no call before time 0
    CHECK(found.path.length() == found.step.span);
    CHECK(found.path.on_path(EdgeKind::communication) == 100'070'000);
    CHECK(found.path.on_path(EdgeKind::kernel) == 30'000'000);
    CHECK(found.path.unexplained() == 0);
    CHECK(found.path.length() - worked(found.path) <=
          9);  // four launches, two picoseconds apart, and one to notice the end
  }
}

TEST_CASE("every rank of any run is explained from its first activity to its last") {
  CHECK(rc::check([] {
    std::vector<std::vector<Node>> ranks = random_ranks();
    for (std::vector<Node>& nodes : ranks) {
      for (Node& node : nodes) node.duration *= 1'000;
    }
    const workload::Workload job = make_job(ranks);
    const Schedule schedule = run(job, static_cast<std::uint32_t>(draw(1, 4)));
    const orrery::testing::TempDir dir;
    RC_ASSERT(export_schedule(job, schedule, {}, dir.path()).ok());
    const trace::Trace trace = read(rank_files(dir.path(), job.rank_count()));
    for (const trace::RankTrace& rank : trace.ranks) {
      const auto number = static_cast<std::size_t>(rank.rank);
      RC_ASSERT(times_of(trace, rank) == times_of(job, schedule, number));
      if (schedule.ranks[number].finish_ps == 0) continue;
      const RankPath found = path_of(trace, rank);
      RC_ASSERT(found.path.length() == found.step.span);
      RC_ASSERT(found.path.unexplained() == 0);
      const auto calls = static_cast<TimePs>(3 * job.program(number).size() + 1);
      RC_ASSERT(found.step.span - schedule.ranks[number].finish_ps <= calls);
      // If no stream ever goes on at once, a gap between queued work counts as usual, and an earlier dependency plus
      // that gap explains a start as well as the true one.
      const TimePs gaps = found.path.on_path(EdgeKind::stream_wait) + found.path.on_path(EdgeKind::kernel_gap);
      // Without one, work of another stream that ended up to 20 us before may still stand for a cause that the trace
      // does not tell.
      RC_ASSERT(found.step.ranks.front().typical_kernel_gap > 0 ||
                gaps <= 20 * kPsPerUs * static_cast<TimePs>(job.program(number).size()));
      RC_ASSERT(found.step.span - worked(found.path) - gaps <= 2 * calls);
    }
  }));
}

TEST_CASE("one file has the timeline of all ranks, for viewing") {
  const workload::Workload job = make_job(
      {{compute(1'500'001), send(1, 40, {0})}, {recv(0, 40), all_reduce(8, {0}, "pair")}, {all_reduce(8, {}, "pair")}},
      {{"pair", {1, 2}}});
  const Schedule schedule = run(job);
  const orrery::testing::TempDir dir;
  REQUIRE(export_schedule(job, schedule, {}, dir.path("all.json")).ok());
  const std::string text = orrery::testing::read_file(dir.path("all.json"));
  CHECK(text.find(R"("name":"comm pair")") != std::string::npos);
  CHECK(text.find(R"("from rank":0,"to rank":1)") != std::string::npos);
  CHECK(text.find("\"bus bandwidth (GB/s)\":") != std::string::npos);
  CHECK(text.find("cudaLaunchKernel") == std::string::npos);
  const trace::Trace trace = read({dir.path("all.json")});
  REQUIRE(trace.ranks.size() == 1);
  CHECK(trace.ranks[0].event_count() == 5);
  CHECK(trace.ranks[0].flows.size() == 2);
  CHECK(trace.ranks[0].flows.id[0] == trace.ranks[0].flows.id[1]);
  CHECK(trace.ranks[0].start[1] - trace.ranks[0].start[0] == 1'500'001);
}

TEST_CASE("what cannot be written is an error") {
  const workload::Workload job = make_job({{compute(1)}});
  const Schedule schedule = run(job);
  CHECK_FALSE(export_schedule(job, schedule, {}, "/nowhere/at/all.json").ok());
  CHECK_FALSE(export_schedule(job, schedule, {}, "/proc/nowhere/").ok());
  const Status other = export_schedule(make_job({{compute(1), compute(2)}}), schedule, {}, "/nowhere/at/all.json");
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().message == "the schedule has 1 activities and 0 collectives, the workload 2 and 0");
}

}  // namespace orrery::job
