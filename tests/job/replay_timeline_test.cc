// A replay, written and read again.
#include "job/write/replay_timeline.h"

#include <doctest/doctest.h>

#include <set>
#include <tuple>

#include "formats/kineto/reader.h"
#include "simulate/replay.h"
#include "simulate/small_job.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

using namespace orrery::simulate::testing;

struct Shown {
  std::string lane;
  TimePs start, end;
  auto operator<=>(const Shown&) const = default;
};

std::multiset<Shown> shown_of(const workload::Workload& job, const std::string& file) {
  const testing::TempDir folder;
  const Result<simulate::Schedule> schedule = simulate::replay(job, {.rendezvous = false});
  REQUIRE(schedule);
  const std::string path = folder.path(file);
  REQUIRE(export_replay(job, *schedule, path));
  Diagnostics diagnostics;
  const Result<trace::Trace> trace = kineto::read_job({path}, diagnostics);
  REQUIRE(trace);
  std::multiset<Shown> shown;
  for (const trace::RankTrace& rank : trace->ranks) {
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      const trace::Lane& lane = rank.lanes[rank.lane[e]];
      const std::string name = std::string(trace->strings.text(lane.process_name)) + ", " +
                               std::string(trace->strings.text(lane.thread_name));
      const TimePs zero = kPsPerSecond - trace->epoch_unix_ns * kPsPerNs;
      shown.insert({name, rank.start[e] - zero, rank.end(e) - zero});
    }
  }
  return shown;
}

}  // namespace

TEST_CASE("replay timeline: recorded lanes, and further ones where activities overlap") {
  workload::Workload job = make_job(
      {{on_host(10), compute(30, {0}), compute(40, {0}), compute(5, {1}), nothing({0})}, {send(0, 8), compute(3)}});
  for (std::size_t i = 0; i < 5; ++i) job.programs[0].lanes.set(i, i == 0 || i == 4 ? 1 : 7);
  job.programs[0].lanes.complete(5);
  const std::multiset<Shown> expected = {{"rank 0, thread 1", 0, 10},
                                         {"rank 0, stream 7", 10, 40},
                                         {"rank 0, stream 7 (2)", 10, 50},
                                         {"rank 0, stream 7", 40, 45},
                                         {"rank 1, compute", 0, 3}};
  CHECK(shown_of(job, "replay.json") == expected);
  CHECK(shown_of(job, "replay.json.gz") == expected);
}

TEST_CASE("replay timeline: many at once do not take forever") {
  std::vector<Node> nodes(100'000, compute(5));
  const workload::Workload job = make_job({nodes});
  const Result<simulate::Schedule> schedule = simulate::replay(job);
  const testing::TempDir folder;
  CHECK(export_replay(job, *schedule, folder.path("wide.json.gz")));
}

TEST_CASE("replay timeline: a folder that is not there is an error") {
  const workload::Workload job = make_job({{compute(1)}});
  CHECK_FALSE(export_replay(job, *simulate::replay(job), "/nonexistent/replay.json"));
}

}  // namespace orrery::job
