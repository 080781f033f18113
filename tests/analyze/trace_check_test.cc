// Can a trace be trusted? Every remark provoked once, and none for a clean trace.
#include "analyze/check/trace_check.h"

#include <doctest/doctest.h>

#include "support/kineto_lines.h"

using namespace orrery;
using orrery::testing::count_of;
using orrery::testing::kineto_json;
using orrery::testing::SmallTrace;
using orrery::testing::TempDir;

namespace {

constexpr const char* kClean = R"(
    1       0    100  user_annotation  ProfilerStep#1
    1       10   50   cpu_op           aten::mm
    1       20   10   cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  35   30   kernel           gemm                   correlation=1
    1       60   30   cuda_runtime     cudaStreamSynchronize  correlation=2
    gpu0/7  61   20   cuda_sync        "Stream Sync"          correlation=2
    1       100  100  user_annotation  ProfilerStep#2
)";

std::vector<std::string> codes(const Diagnostics& diagnostics) {
  std::vector<std::string> found;
  for (const Diagnostic& entry : diagnostics.sorted()) found.emplace_back(entry.kind->code);
  return found;
}

Diagnostics check(std::string_view lines) {
  const SmallTrace small(lines);
  return analyze::check_rank(small.trace(), small.rank()).remarks;
}

/// What is said of the ranks together.
Diagnostics check_together(const trace::Trace& job) {
  std::vector<analyze::RankCheck> checks;
  for (const trace::RankTrace& rank : job.ranks) {
    checks.push_back(analyze::check_rank(job, rank));
    checks.back().remarks = {};
  }
  Diagnostics diagnostics;
  analyze::check_job(job, checks, diagnostics);
  return diagnostics;
}

std::string example_of(const Diagnostics& diagnostics, std::string_view code) {
  for (const Diagnostic& entry : diagnostics.sorted()) {
    if (entry.kind->code == code) return entry.example;
  }
  return "";
}

using Codes = std::vector<std::string>;

}  // namespace

TEST_CASE("a clean trace gives no remarks") {
  CHECK(codes(check(kClean)) == Codes{});
  TempDir dir;
  Diagnostics diagnostics;
  const trace::Trace job = orrery::testing::read_ranks(
      dir, {kineto_json(kClean, R"("distributedInfo": {"rank": 0, "world_size": 1})")}, diagnostics);
  CHECK(codes(diagnostics) == Codes{});
  CHECK(codes(check_together(job)) == Codes{});
}

TEST_CASE("C501: no profiler steps") {
  CHECK(codes(check("1 0 100 cpu_op aten::mm\ngpu0/7 5 10 kernel gemm\ngpu0/7 5 1 cuda_sync \"Stream Sync\"")) ==
        Codes{"C501", "L201"});
}

TEST_CASE("C502: no device work") {
  CHECK(codes(check("1 0 100 user_annotation ProfilerStep#1\n1 0 50 cpu_op aten::mm")) == Codes{"C502"});
}

TEST_CASE("C503: launches without the work they launched") {
  const Diagnostics diagnostics = check(std::string(kClean) + R"(
      1  40  2  cuda_runtime  cudaLaunchKernel  correlation=8
      1  44  2  cuda_runtime  cudaGraphLaunch   correlation=9
      1  48  2  cuda_runtime  cudaMalloc        correlation=10
  )");
  CHECK(codes(diagnostics) == Codes{"C503"});
  CHECK(count_of(diagnostics, "C503") == 2);
  CHECK(example_of(diagnostics, "C503").ends_with(": cudaLaunchKernel"));
}

TEST_CASE("C504: device work that overlaps on one stream") {
  const Diagnostics diagnostics = check(std::string(kClean) + R"(
      1       22  2   cuda_runtime  cudaLaunchKernel  correlation=8
      gpu0/7  64  5   kernel        overlaps          correlation=8
      1       24  2   cuda_runtime  cudaLaunchKernel  correlation=9
      gpu0/9  50  15  kernel        elsewhere         correlation=9
      1       26  2   cuda_runtime  cudaLaunchKernel  correlation=10
      gpu0/7  69  5   kernel        touches           correlation=10
  )");
  CHECK(codes(diagnostics) == Codes{"C504"});
  CHECK(count_of(diagnostics, "C504") == 1);
  CHECK(example_of(diagnostics, "C504").ends_with(": overlaps"));
}

TEST_CASE("C505: host events that overlap without nesting") {
  const Diagnostics diagnostics = check(std::string(kClean) + "1 85 10 cpu_op crossing\n2 85 10 cpu_op elsewhere\n");
  CHECK(codes(diagnostics) == Codes{"C505"});
  CHECK(example_of(diagnostics, "C505").ends_with(": crossing"));
}

TEST_CASE("C506: device work that starts before its launch") {
  const Diagnostics diagnostics =
      check(std::string(kClean) +
            "1 92 3 cuda_runtime cudaLaunchKernel correlation=8\ngpu0/7 90 5 kernel early correlation=8\n");
  CHECK(codes(diagnostics) == Codes{"C506"});
  CHECK(example_of(diagnostics, "C506").ends_with(": early"));
}

TEST_CASE("C507: files of some ranks are missing") {
  const auto check_ranks = [](const std::vector<int>& ranks, int world) {
    TempDir dir;
    std::vector<std::string> files;
    for (const int rank : ranks)
      files.push_back(kineto_json(kClean, "\"distributedInfo\": {\"rank\": " + std::to_string(rank) +
                                              ", \"world_size\": " + std::to_string(world) + "}"));
    Diagnostics reading;
    return check_together(orrery::testing::read_ranks(dir, files, reading));
  };
  CHECK(codes(check_ranks({0, 1}, 2)) == Codes{});
  const Diagnostics diagnostics = check_ranks({0, 2}, 8);
  CHECK(codes(diagnostics) == Codes{"C507"});
  CHECK(count_of(diagnostics, "C507") == 6);
  CHECK(example_of(diagnostics, "C507") == "2 of 8 ranks are here; the first missing one is rank 1");
}

TEST_CASE("C508: ranks that recorded different steps") {
  TempDir dir;
  Diagnostics reading;
  const Diagnostics diagnostics = check_together(orrery::testing::read_ranks(
      dir, {kineto_json(kClean), kineto_json(kClean), kineto_json("1 0 100 user_annotation ProfilerStep#1")}, reading));
  CHECK(codes(diagnostics) == Codes{"C508"});
  CHECK(count_of(diagnostics, "C508") == 1);
  CHECK(example_of(diagnostics, "C508") == "rank 2 and rank 0");
}

TEST_CASE("C509: neither host nor device work") {
  CHECK(codes(check("1 0 - cpu_op instant")) == Codes{"C501", "C502", "C509"});
  CHECK(codes(check("")) == Codes{"C501", "C502", "C509"});
}

TEST_CASE("C510: a step that no graph can hold, and which is not empty for that") {
  // Every graph replays by construction, unless one stretch of it takes more than 26 days.
  const Diagnostics gap =
      check("1 0 10 Trace recording\n1 2000000000000 10 cpu_op aten::mm\n1 -2000000000000 10 cpu_op aten::mm\n");
  CHECK(codes(gap) == Codes{"C501", "C502", "C510"});
}

TEST_CASE("remarks of linking are passed on: launches and waits that were not recorded") {
  CHECK(codes(check(R"(
      1       0   100  user_annotation  ProfilerStep#1
      gpu0/7  35  30   kernel           gemm
  )")) == Codes{"L201", "L203"});
}
