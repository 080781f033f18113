#include "job/write/trace_export.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "formats/kineto/reader.h"
#include "formats/xspace/reader.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

/// Two ranks with the same process and thread numbers: a launch on the host, a kernel on the device, an idle lane.
trace::Trace make_job() {
  trace::Trace job;
  job.epoch_unix_ns = 5'000'000'000;
  for (std::int64_t r = 0; r < 2; ++r) {
    trace::RankTrace& rank = job.ranks.emplace_back();
    rank.rank = r;
    rank.epoch_unix_ns = job.epoch_unix_ns;
    rank.source.format = "xspace";
    rank.categories = {{job.strings.intern("cuda_runtime"), Activity::runtime_call},
                       {job.strings.intern("kernel"), Activity::kernel}};
    rank.lanes = {{{1, 0}, {9, 0}, job.strings.intern("/host:CPU"), job.strings.intern("python3")},
                  {{2, 0}, {7, 0}, job.strings.intern("/device:GPU:0"), job.strings.intern("Stream #7")},
                  {{2, 0}, {8, 0}, job.strings.intern("/device:GPU:0"), job.strings.intern("Stream #8")}};
    for (EventIndex e = 0; e < 2; ++e) {
      rank.append_event({.start = 1'000'001 + e * 2'000'000 + r,
                         .duration = 500'003,
                         .name = job.strings.intern(e == 0 ? "cuLaunchKernel" : "gemm"),
                         .lane = e,
                         .category = static_cast<std::uint16_t>(e)},
                        {.ordinal = e});
      rank.field(Field::correlation).push(e, 40);
    }
  }
  return job;
}

trace::Trace read_back(const std::string& path) {
  Diagnostics diagnostics;
  Result<trace::Trace> job = kineto::read_job({path}, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

TEST_CASE("a job in one file: every lane with its name, no numbers shared, times to the picosecond") {
  const testing::TempDir dir;
  const trace::Trace job = make_job();
  REQUIRE(export_trace(job, dir.path("job.json")).ok());
  const trace::Trace all = read_back(dir.path("job.json"));
  const trace::RankTrace& merged = all.ranks.front();
  REQUIRE(merged.lanes.size() == 6);
  std::set<std::pair<trace::LaneKey, trace::LaneKey>> keys;
  std::map<std::string, int> processes;
  for (const trace::Lane& lane : merged.lanes) {
    keys.emplace(lane.process, lane.thread);
    ++processes[std::string(all.strings.text(lane.process_name))];
  }
  CHECK(keys.size() == 6);
  CHECK(processes == std::map<std::string, int>{{"node 0 /host:CPU", 1},
                                                {"node 0 /device:GPU:0", 2},
                                                {"node 1 /host:CPU", 1},
                                                {"node 1 /device:GPU:0", 2}});
  REQUIRE(merged.event_count() == 4);
  for (EventIndex e = 0; e < 4; ++e) {
    const trace::RankTrace& rank = job.ranks[e / 2];
    CHECK(merged.start[e] + (merged.epoch_unix_ns - rank.epoch_unix_ns) * kPsPerNs == rank.start[e % 2]);
    CHECK(merged.duration[e] == 500'003);
    CHECK(all.name(merged, e) == job.name(rank, e % 2));
  }
}

TEST_CASE("arrows lead from launches to their work, each pair with a number of its own") {
  const testing::TempDir dir;
  REQUIRE(export_trace(make_job(), dir.path("job.json.gz")).ok());
  const trace::Trace all = read_back(dir.path("job.json.gz"));
  const trace::Flows& flows = all.ranks.front().flows;
  REQUIRE(flows.size() == 4);
  CHECK(flows.id[0] == flows.id[1]);
  CHECK(flows.id[2] == flows.id[3]);
  CHECK(flows.id[0] != flows.id[2]);
  CHECK(flows.phase[0] == 's');
  CHECK(flows.phase[1] == 'f');
  CHECK(flows.lane[0] != flows.lane[1]);
}

TEST_CASE("a recorded job can be shown") {
  const testing::TempDir dir;
  Diagnostics diagnostics;
  const std::string folder = ORRERY_SOURCE_DIR "/data/jax_cpu4/";
  const Result<trace::Trace> job =
      xspace::read_job({folder + "node0.xplane.pb.gz", folder + "node1.xplane.pb.gz"}, diagnostics);
  REQUIRE(job.ok());
  REQUIRE(export_trace(*job, dir.path("job.json")).ok());
  const trace::Trace all = read_back(dir.path("job.json"));
  CHECK(all.ranks.front().event_count() == job->ranks[0].event_count() + job->ranks[1].event_count());
  CHECK(all.ranks.front().field(Field::collective_text).event.size() == 10);
}

}  // namespace
}  // namespace orrery::job
