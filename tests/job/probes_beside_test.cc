#include "job/read/trace_input.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;

namespace {

trace::Trace job_of(const std::vector<std::string>& paths, const std::string& format = "mpitrace") {
  trace::Trace job;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    trace::RankTrace& rank = job.ranks.emplace_back();
    rank.rank = static_cast<std::int64_t>(i);
    rank.source.path = paths[i];
    rank.source.format = format;
  }
  return job;
}

}  // namespace

TEST_CASE("measurements of clocks are found beside the traces of their run only") {
  const testing::TempDir folder;
  const std::string probes = folder.write("run.probes.jsonl", "{}\n");
  const std::vector<std::string> run = {folder.path("run.0.mpitrace"), folder.path("run.1.mpitrace.gz")};
  CHECK(job::probes_beside(job_of(run)) == probes);
  CHECK_FALSE(job::probes_beside(job_of(run, "kineto")));
  CHECK_FALSE(job::probes_beside(job_of({run[0], folder.path("other.1.mpitrace")})));  // of two runs
  CHECK_FALSE(job::probes_beside(job_of({folder.path("other.0.mpitrace")})));          // which left none
  CHECK_FALSE(job::probes_beside(job_of({folder.path("renamed.mpitrace")})));
}
