// Several files, one job.
#include <doctest/doctest.h>

#include <filesystem>

#include "reading.h"

namespace orrery::kineto::testing {
namespace {

std::string trace_at(const std::string& ts, const std::string& more = "", const std::string& name = "event") {
  return "{" + more + R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": "p", "ts": )" + ts +
         R"(, "dur": 1}]})";
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
  const Job job = read({folder.write("x.rank7.json", trace_at("1", with_rank(2))), folder.write("b.json", trace_at("2", with_rank(0))),
                        folder.write("c.json.gz", gzip(trace_at("3", with_rank(1))))});
  CHECK(ranks_of(job) == "0 1 2 ");
  CHECK(job.diagnostics.empty());
  CHECK(starts_of(job) == "2 3 1 ");
}

TEST_CASE("files that do not say their rank are numbered by name, else by place") {
  const orrery::testing::TempDir folder;
  const Job named = read({folder.write("run.rank3.json", trace_at("1")), folder.write("run.rank12.json", trace_at("1"))});
  CHECK(ranks_of(named) == "3 12 ");
  CHECK(named.diagnostics.count(kRankGuessed) == 2);
  const Job placed = read({folder.write("a.json", trace_at("1")), folder.write("b.json", trace_at("1"))});
  CHECK(ranks_of(placed) == "0 1 ");
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

TEST_CASE("the rank in a name") {
  CHECK(rank_from_name("ddp.rank12.json.gz") == 12);
  CHECK(rank_from_name("/tmp/rank7/trace_3.json") == 3);
  CHECK(rank_from_name("rank_5.pt.trace.json") == 5);
  CHECK(rank_from_name("rank-5.json") == 5);
  CHECK(rank_from_name("rank.5.json") == 5);
  CHECK(rank_from_name("rank007.json") == 7);
  CHECK(rank_from_name("frank_trace.rank3.json") == 3);
  CHECK(rank_from_name("nranks8.rank2.json") == 2);
  CHECK(rank_from_name("rank_x_4.json") == 4);
  CHECK(rank_from_name("trace.json") == std::nullopt);
  CHECK(rank_from_name("rank.json") == std::nullopt);
  CHECK(rank_from_name("rank99999999999999999999.json") == std::nullopt);
  CHECK(rank_from_name("") == std::nullopt);
  CHECK(rank_from_name("/") == std::nullopt);
}

TEST_CASE("two files of the same rank are kept and named") {
  const orrery::testing::TempDir folder;
  const Job job =
      read({folder.write("a.json", trace_at("1", with_rank(1), "first")), folder.write("b.json", trace_at("2", with_rank(1), "second")),
            folder.write("c.json", trace_at("3", with_rank(0)))});
  CHECK(ranks_of(job) == "0 1 1 ");
  CHECK(job.trace->name(job.trace->ranks[1], 0) == "first");
  CHECK(job.diagnostics.count(kDuplicateRank) == 1);
  CHECK(job.diagnostics.sorted()[0].example == folder.path("b.json") + " and " + folder.path("a.json"));
}

TEST_CASE("different epochs and base times become one epoch, and no time changes") {
  const orrery::testing::TempDir folder;
  const Job job = read({folder.write("a.json", trace_at("1700000005000000.125", with_rank(0))),
                        folder.write("b.json", trace_at("7000000.5", R"("baseTimeNanoseconds": 1700000000000000000, )" + with_rank(1))),
                        folder.write("c.json", trace_at("-3000000.25", R"("baseTimeNanoseconds": 1700000100000000500, )" + with_rank(2)))});
  REQUIRE(job.trace.has_value());
  CHECK(job.trace->epoch_unix_ns == 1'700'000'005'000'000'000);
  CHECK(starts_of(job) == "1700000005000000.125 1700000007000000.5 1700000097000000.25 ");
}

TEST_CASE("texts are shared: the same text has one number in every rank") {
  const orrery::testing::TempDir folder;
  const Job job =
      read({folder.write("a.json", trace_at("1", with_rank(0), "shared")), folder.write("b.json", trace_at("1", with_rank(1), "own")),
            folder.write("c.json", trace_at("1", with_rank(2), "shared"))});
  REQUIRE(job.trace.has_value());
  CHECK(job.trace->ranks[0].name[0] == job.trace->ranks[2].name[0]);
  CHECK(job.trace->name(job.trace->ranks[1], 0) == "own");
  for (const trace::RankTrace& rank : job.trace->ranks) CHECK(trace::to_json(job.trace->strings, rank.lanes[0].process) == "\"p\"");
}

TEST_CASE("a rank without events does not decide the epoch") {
  const orrery::testing::TempDir folder;
  const std::string nothing = "{" + with_rank(0) + R"("traceEvents": []})";
  const Job job = read({folder.write("a.json", nothing), folder.write("b.json", trace_at("1700000005000000", with_rank(1))),
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
  for (int rank = 0; rank < 4; ++rank) files.push_back((data / ("ddp4.rank" + std::to_string(rank) + ".kineto.json.gz")).string());
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
