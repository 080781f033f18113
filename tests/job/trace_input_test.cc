// Recorded time out of whatever was named: one rank of many without reading the others, and programs that are replayed.
#include "job/read/trace_input.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/temp_dir.h"

namespace orrery::job {
namespace {

std::string trace_of_rank(int rank) {
  return fmt::format(
      R"({{"distributedInfo": {{"backend": "nccl", "rank": {0}, "world_size": 2}}, "traceEvents": [
{{"ph": "X", "cat": "cpu_op", "name": "op{0}", "pid": 1, "tid": 1, "ts": 10, "dur": 5}}]}})",
      rank);
}

struct Told {
  std::vector<std::string> files;
  Diagnostics diagnostics;
  Reading reading{.diagnostics = diagnostics,
                  .on_input = [this](const std::string& path) { return files.push_back(path), Status(); }};
};

}  // namespace

TEST_CASE("where one rank is enough, the others are not read") {
  const testing::TempDir folder;
  folder.write("a.json", trace_of_rank(1));
  folder.write("b.json", trace_of_rank(0));
  Told told;
  const Result<Source> source = find_source({folder.path()}, {}, told.diagnostics);
  REQUIRE(source.ok());
  const Result<TraceInput> lowest = read_trace(*source, {.one_rank = true}, told.reading);
  REQUIRE(lowest.ok());
  REQUIRE(lowest->trace.ranks.size() == 1);
  CHECK(lowest->trace.ranks[0].rank == 0);
  CHECK(lowest->job_ranks == 2);
  CHECK(told.files == std::vector<std::string>{folder.path("b.json")});
  const Result<TraceInput> other = read_trace(*source, {.one_rank = true, .rank = 1}, told.reading);
  REQUIRE(other.ok());
  CHECK(other->trace.name(other->trace.ranks[0], 0) == "op1");
  const Result<TraceInput> none = read_trace(*source, {.one_rank = true, .rank = 7}, told.reading);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().hint == "ranks in these files: 0, 1");
}

TEST_CASE("a program is replayed into a trace, and its communication is told from other work") {
  const testing::TempDir folder;
  const std::string file = folder.write("job.0.json", R"({"workload_graph": [
{"Id": 1, "Name": "gemm", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 7, "is_cpu_op": 0},
{"Id": 2, "Name": "grads", "NodeType": 7, "ctrlDeps": [], "data_deps": [1], "runtime": 3, "is_cpu_op": 0, "comm_type": 0, "comm_size": 8}]})");
  Told told;
  const Result<Source> source = find_source({file}, {}, told.diagnostics);
  REQUIRE(source.ok());
  const Result<TraceInput> input = read_trace(*source, {}, told.reading);
  REQUIRE(input.ok());
  REQUIRE(input->trace.ranks.size() == 1);
  const trace::RankTrace& rank = input->trace.ranks[0];
  std::size_t marked = 0;
  for (trace::EventIndex event = 0; event < rank.event_count(); ++event) {
    const auto mark = rank.field(trace::Field::collective_text).find(event);
    if (!mark) continue;
    ++marked;
    CHECK(input->trace.name(rank, event) == "grads");
    CHECK(rank.duration[event] == 3 * kPsPerUs);
  }
  CHECK(marked == 1);
}

}  // namespace orrery::job
