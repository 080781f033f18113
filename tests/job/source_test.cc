// What a folder, a prefix or a list of files stands for.
#include "job/read/source.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

namespace orrery::job {
namespace {

constexpr const char* kTrace = R"({"traceEvents": []})";
constexpr const char* kHost = R"({"schema": "1.1.1", "nodes": []})";
constexpr const char* kProgram = R"({"workload_graph": []})";

}  // namespace

TEST_CASE("a folder is its traces with their host traces; the rest is passed over with a note") {
  const testing::TempDir folder;
  for (const char* name : {"rank0.kineto.json", "rank1.kineto.json"}) folder.write(name, kTrace);
  for (const char* name : {"rank0.et.json", "rank1.et.json"}) folder.write(name, kHost);
  folder.write("groups.json", R"({"1": [0, 1]})");
  folder.write("settings.json", R"({"learning_rate": 1})");
  Diagnostics diagnostics;
  const Result<Source> source = find_source({folder.path()}, {}, diagnostics);
  REQUIRE(source.ok());
  CHECK(source->format->name == "kineto");
  REQUIRE(source->pairs.size() == 2);
  CHECK(source->pairs[1].device == folder.path("rank1.kineto.json"));
  CHECK(source->pairs[1].host == folder.path("rank1.et.json"));
  CHECK(source->all_files().size() == 4);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.sorted()[0].count == 2);
}

TEST_CASE("a file that was named and does not belong is an error") {
  const testing::TempDir folder;
  const std::string trace = folder.write("a.json", kTrace), program = folder.write("b.json", kProgram);
  Diagnostics diagnostics;
  const Result<Source> source = find_source({trace, program}, {}, diagnostics);
  REQUIRE_FALSE(source.ok());
  CHECK(source.error().file == program);
}

TEST_CASE("a prefix stands for the files of its ranks, all of them") {
  const testing::TempDir folder;
  for (const char* name : {"w.0.json", "w.1.json", "w.3.json"}) folder.write(name, kProgram);
  Diagnostics diagnostics;
  const Result<Source> gap = find_source({folder.path("w")}, {}, diagnostics);
  REQUIRE_FALSE(gap.ok());
  CHECK(gap.error().remedy == Remedy::all_ranks);
  const Result<Source> some = find_source({folder.path("w")}, {.may_miss_ranks = true}, diagnostics);
  REQUIRE(some.ok());
  CHECK(some->files.size() == 3);
  Source one = *some;
  REQUIRE(keep_rank(3, one).ok());
  CHECK(one.files == std::vector<std::string>{folder.path("w.3.json")});
  CHECK_FALSE(keep_rank(2, one).ok());
}

TEST_CASE("an empty file in a folder is no file to pass over: it was to be a rank") {
  const testing::TempDir folder;
  folder.write("rank0.json", kTrace);
  folder.write("rank1.json", "");
  Diagnostics diagnostics;
  const Result<Source> source = find_source({folder.path()}, {}, diagnostics);
  REQUIRE_FALSE(source.ok());
  CHECK(source.error().file == folder.path("rank1.json"));
}

}  // namespace orrery::job
