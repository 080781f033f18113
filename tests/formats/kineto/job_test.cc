// Several files, one job.
#include <doctest/doctest.h>

#include <filesystem>

#include "reading.h"

namespace orrery::kineto::testing {
namespace {

std::string trace_at(const std::string& ts, const std::string& more = "", const std::string& name = "event") {
  return "{" + more + R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": "p", "ts": )" +
         ts + R"(, "dur": 1}]})";
}

std::string with_rank(int rank) { return R"("distributedInfo": {"rank": )" + std::to_string(rank) + "}, "; }

struct Job {
  std::optional<trace::Trace> trace = {};
  std::optional<Error> error = {};
  Diagnostics diagnostics = {};
};

Job read(const std::vector<std::string>& paths) {
  Job job;
  auto trace = read_job(paths, job.diagnostics);
  if (trace) job.trace.emplace(std::move(*trace));
  else job.error = trace.error();
  if (!job.trace) return job;
  for (const trace::RankTrace& rank : job.trace->ranks) {
    CHECK(find_fault(rank, job.trace->strings) == "");
    CHECK(rank.epoch_unix_ns == job.trace->epoch_unix_ns);
  }
  return job;
}

std::string ranks_of(const Job& job) {
  if (job.error) return job.error->message;
  std::string text;
  for (const trace::RankTrace& rank : job.trace->ranks) text += std::to_string(rank.rank) + " ";
  return text;
}

std::string starts_of(const Job& job) {
  std::string text;
  for (const trace::RankTrace& rank : job.trace->ranks) {
    for (const TimePs start : rank.start) text += decimal_us(absolute_ps(rank, start)) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("ranks say their number and come in its order") {
  const orrery::testing::TempDir folder;
  const Job job = read({folder.write("x.rank7.json", trace_at("1", with_rank(2))),
                        folder.write("b.json", trace_at("2", with_rank(0))),
                        folder.write("c.json.gz", gzip(trace_at("3", with_rank(1))))});
  CHECK(ranks_of(job) == "0 1 2 ");
  CHECK(job.diagnostics.empty());
  CHECK(starts_of(job) == "2 3 1 ");
}

TEST_CASE("files that do not say their rank are numbered by name") {
  const orrery::testing::TempDir folder;
  const Job named =
      read({folder.write("run.rank3.json", trace_at("1")), folder.write("run.rank12.json", trace_at("1"))});
  CHECK(ranks_of(named) == "3 12 ");
  CHECK(named.diagnostics.count(kRankGuessed) == 2);
  // A place among numbered files would be somebody else's number.
  Diagnostics diagnostics;
  const auto mixed = read_job({folder.path("run.rank3.json"), folder.path("a.json")}, diagnostics);
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.error().file == folder.path("a.json"));
  // One file alone is rank 0, whatever its name.
  const Job alone = read({folder.write("run_9.json", trace_at("1"))});
  CHECK(ranks_of(alone) == "0 ");
  CHECK(alone.diagnostics.empty());
}

TEST_CASE("files that tell no rank and share nothing are runs") {
  const orrery::testing::TempDir folder;
  const auto are_runs = [](const Job& job) {
    REQUIRE(job.trace.has_value());
    return std::all_of(job.trace->ranks.begin(), job.trace->ranks.end(),
                       [](const trace::RankTrace& rank) { return rank.source.is_run; });
  };
  // A process of TensorBoard's, a precision, a batch and a host: numbers, but no ranks.
  const Job runs = read({folder.write("node_438.1790857026.pt.trace.json", trace_at("1")),
                         folder.write("model_bf16.json", trace_at("1")), folder.write("batch4.json", trace_at("1")),
                         folder.write("tw003.json", trace_at("1"))});
  CHECK(ranks_of(runs) == "0 1 2 3 ");
  CHECK(are_runs(runs));
  CHECK(runs.diagnostics.empty());
  // The only rank of its world, or the same rank again and again.
  const std::string alone = R"("distributedInfo": {"rank": 0, "world_size": 1}, )";
  CHECK(are_runs(read({folder.write("a.json", trace_at("1", alone)), folder.write("b.json", trace_at("1", alone))})));
  CHECK(are_runs(read(
      {folder.write("a.json", trace_at("1", with_rank(3))), folder.write("b.json", trace_at("1", with_rank(3)))})));
  // Years apart is no obstacle: they have nothing to do with one another.
  const Job apart = read(
      {folder.write("a.json", trace_at("1700000000000000")), folder.write("b.json", trace_at("1900000000000000"))});
  CHECK(are_runs(apart));
  // Those that communicate are ranks in the order of their names.
  const Job placed = read({folder.write("a.json", trace_at("1", "", "c10d::allreduce_")),
                           folder.write("b.json", trace_at("1", "", "c10d::allreduce_"))});
  CHECK(ranks_of(placed) == "0 1 ");
  CHECK_FALSE(are_runs(placed));
  CHECK(placed.diagnostics.count(kRankGuessed) == 2);
  // But not two recordings of one host after each other.
  CHECK(are_runs(read({folder.write("h_1.5.pt.trace.json", trace_at("1", "", "c10d::allreduce_")),
                       folder.write("h_1.6.pt.trace.json", trace_at("90000000", "", "c10d::allreduce_"))})));
}

TEST_CASE("a trace of the profiler before Kineto has operators and kernels") {
  const orrery::testing::TempDir folder;
  const std::string text =
      R"([{"name": "aten::mm", "ph": "X", "ts": 10.5, "dur": 3.2, "tid": 1, "pid": "CPU functions", "args": {}},
    {"name": "aten::mm", "ph": "s", "ts": 10.5, "tid": 1, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
    {"name": "sgemm", "ph": "X", "ts": 12, "dur": 2, "tid": 0, "pid": "CUDA functions", "args": {}},
    {"name": "ProfilerStep#3", "ph": "X", "ts": 9, "dur": 9, "tid": 1, "pid": "CPU functions", "args": {}}])";
  const Job job = read({folder.write("legacy.json", text)});
  REQUIRE(job.trace.has_value());
  const trace::RankTrace& rank = job.trace->ranks.front();
  REQUIRE(rank.event_count() == 3);
  CHECK(rank.activity(0) == trace::Activity::cpu_operator);
  CHECK(rank.activity(1) == trace::Activity::kernel);
  CHECK(rank.activity(2) == trace::Activity::annotation);
  CHECK(job.diagnostics.count(kLegacyAutograd) == 1);
}

TEST_CASE("two files of the same rank are kept and named") {
  const orrery::testing::TempDir folder;
  const Job job = read({folder.write("a.json", trace_at("1", with_rank(1), "first")),
                        folder.write("b.json", trace_at("2", with_rank(1), "second")),
                        folder.write("c.json", trace_at("3", with_rank(0)))});
  CHECK(ranks_of(job) == "0 1 1 ");
  CHECK(job.trace->name(job.trace->ranks[1], 0) == "first");
  CHECK(job.diagnostics.count(kDuplicateRank) == 1);
  CHECK(job.diagnostics.sorted()[0].example == folder.path("b.json") + " and " + folder.path("a.json"));
}

TEST_CASE("different epochs and base times become one epoch, and no time changes") {
  const orrery::testing::TempDir folder;
  const Job job = read(
      {folder.write("a.json", trace_at("1700000005000000.125", with_rank(0))),
       folder.write("b.json", trace_at("7000000.5", R"("baseTimeNanoseconds": 1700000000000000000, )" + with_rank(1))),
       folder.write("c.json",
                    trace_at("-3000000.25", R"("baseTimeNanoseconds": 1700000100000000500, )" + with_rank(2)))});
  REQUIRE(job.trace.has_value());
  CHECK(job.trace->epoch_unix_ns == 1'700'000'005'000'000'000);
  CHECK(starts_of(job) == "1700000005000000.125 1700000007000000.5 1700000097000000.25 ");
}

TEST_CASE("texts are shared: the same text has one number in every rank") {
  const orrery::testing::TempDir folder;
  const Job job = read({folder.write("a.json", trace_at("1", with_rank(0), "shared")),
                        folder.write("b.json", trace_at("1", with_rank(1), "own")),
                        folder.write("c.json", trace_at("1", with_rank(2), "shared"))});
  REQUIRE(job.trace.has_value());
  CHECK(job.trace->ranks[0].name[0] == job.trace->ranks[2].name[0]);
  CHECK(job.trace->name(job.trace->ranks[1], 0) == "own");
  for (const trace::RankTrace& rank : job.trace->ranks)
    CHECK(trace::to_json(job.trace->strings, rank.lanes[0].process) == "\"p\"");
}

TEST_CASE("a rank without events does not decide the epoch") {
  const orrery::testing::TempDir folder;
  const std::string nothing = "{" + with_rank(0) + R"("traceEvents": []})";
  const Job job =
      read({folder.write("a.json", nothing), folder.write("b.json", trace_at("1700000005000000", with_rank(1))),
            folder.write("c.json", nothing)});
  REQUIRE(job.trace.has_value());
  CHECK(job.trace->ranks.size() == 3);
  CHECK(job.trace->epoch_unix_ns == 1'700'000'005'000'000'000);
  CHECK(starts_of(job) == "1700000005000000 ");
}

TEST_CASE("files that cannot be one job, or cannot be read, are named") {
  const orrery::testing::TempDir folder;
  const std::string good = folder.write("good.json", trace_at("1700000000000000", with_rank(0)));
  const Job apart = read({good, folder.write("years_later.json", trace_at("1900000000000000", with_rank(1)))});
  REQUIRE(apart.error.has_value());
  CHECK(apart.error->file == folder.path("years_later.json"));
  CHECK(apart.error->message == "its events are more than 26 days away from those of the other files");
  const Job broken = read({good, folder.write("broken.json", "{"), folder.path("missing.json")});
  REQUIRE(broken.error.has_value());
  CHECK(broken.error->file == folder.path("broken.json"));
}

TEST_CASE("no files make an empty job") { CHECK(read({}).trace->ranks.empty()); }

TEST_CASE("the order of threads does not matter") {
  const std::filesystem::path data = std::filesystem::path(ORRERY_SOURCE_DIR) / "data";
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank)
    files.push_back((data / ("ddp4.rank" + std::to_string(rank) + ".kineto.json.gz")).string());
  const auto text_with = [&](std::size_t threads) {
    const Threads count(threads);
    Job job = read(files);
    REQUIRE(job.trace.has_value());
    Reading reading;
    std::string text;
    reading.strings = std::move(job.trace->strings);
    for (trace::RankTrace& rank : job.trace->ranks) {
      reading.rank.emplace(std::move(rank));
      text += to_text(reading, Detail::all);
    }
    return text;
  };
  const std::string one = text_with(1);
  CHECK(first_difference(text_with(2), one) == "");
  CHECK(one.size() > 1'000'000);
}

}  // namespace orrery::kineto::testing
