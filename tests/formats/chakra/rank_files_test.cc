#include "formats/chakra/rank_files.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

namespace orrery::chakra {
namespace {

std::vector<std::size_t> ranks_of(const std::vector<RankFile>& files) {
  std::vector<std::size_t> ranks;
  for (const RankFile& file : files) ranks.push_back(file.rank);
  return ranks;
}

}  // namespace

TEST_CASE("the files of a prefix are found by rank, whatever lies beside them") {
  const testing::TempDir folder;
  for (const char* name : {"w.10.et", "w.2.et.gz", "w.0.et", "w.0.json", "w.1.et.zst", "w.groups.json", "w.x.et",
                           "w.03.et", "v.3.et", "w.4.et.part-1-0"})
    folder.write(name);
  const std::vector<RankFile> files = find_rank_files(folder.path("w"));
  CHECK(ranks_of(files) == std::vector<std::size_t>{0, 1, 2, 10});
  CHECK(files[0].path == folder.path("w.0.et"));
  CHECK(files[1].path == folder.path("w.1.et.zst"));
  CHECK(find_rank_files(folder.path("nothing")).empty());
}

TEST_CASE("gaps are named") {
  const std::vector<RankFile> files = {{0, "w.0.et"}, {3, "w.3.et"}, {4, "w.4.et"}};
  CHECK(check_complete(std::vector<RankFile>{{0, "w.0.et"}, {1, "w.1.et"}}, 0).ok());
  CHECK(check_complete(files, 0).error().message == "of 5 ranks these are missing: 1 and 2");
  CHECK(check_complete(files, 0).error().file == "w");
  CHECK(check_complete(files, 9).error().message == "of 9 ranks these are missing: 1, 2 and 5 to 8");
  CHECK(check_complete(files, 1).ok());
}

TEST_CASE("what the files say of how many they should be counts") {
  workload::Workload workload;
  workload.programs.emplace_back();
  workload.program_of_rank.assign(2, 0);
  CHECK(check_recorded_ranks(workload, "w").ok());
  workload.recorded_ranks = 2;
  CHECK(check_recorded_ranks(workload, "w").ok());
  workload.recorded_ranks = 4;
  CHECK(check_recorded_ranks(workload, "w").error().message == "of 4 ranks these are missing: 2 and 3");
}

TEST_CASE("files are numbered by their names if all have a number, and by place if none has") {
  CHECK(ranks_of(*number_files({"a.7.et", "a.3.et.gz"})) == std::vector<std::size_t>{3, 7});
  CHECK(ranks_of(*number_files({"a.et", "b.json"})) == std::vector<std::size_t>{0, 1});
  CHECK(ranks_of(*number_files({"x/a.0.et", "y/a.0.et"})) == std::vector<std::size_t>{0, 1});
  CHECK(number_files({"a.0.et", "b.et"}).error().file == "b.et");
}

TEST_CASE("many missing ranks are a short list") {
  std::vector<std::size_t> odd;
  for (std::size_t rank = 1; rank < 40; rank += 2) odd.push_back(rank);
  CHECK(list_ranks(odd) == "1, 3, 5, 7, 9, 11 and 14 more");
}

}  // namespace orrery::chakra
