#include "formats/mpitrace/clock_map.h"

#include <doctest/doctest.h>

#include "formats/mpitrace/file_builder.h"
#include "formats/mpitrace/reader.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

std::string recording() {
  FileBuilder file(0, 2);
  for (int i = 0; i < 10; ++i) file.call("MPI_Barrier", 1000, 500);
  return file.file();
}

trace::RankTrace read(const std::string& path) {
  Diagnostics diagnostics;
  Result<trace::Trace> job = mpitrace::read_job({path}, diagnostics, {});
  REQUIRE(job.ok());
  return std::move(job->ranks[0]);
}

}  // namespace

TEST_CASE("an aligned recording has the times of its map, and undo gives back its bytes") {
  const TempDir folder;
  const std::string original = folder.write("run.0.mpitrace", recording());
  const trace::RankTrace before = read(original);
  const std::int64_t epoch = before.epoch_unix_ns - 7;  // another rank may have set the job's epoch
  const std::vector<trace::ClockKnot> knots = {{0, 1'000'000, 10}, {5'000'000, 6'500'000, 20}};
  const mpitrace::ClockMap map{*trace::Clock::from_knots(knots), epoch, "aligned from probes"};
  const std::string aligned = folder.path("aligned.mpitrace");
  REQUIRE(mpitrace::write_aligned(original, aligned, map).ok());
  const trace::RankTrace after = read(aligned);
  REQUIRE(after.event_count() == before.event_count());
  for (trace::EventIndex e = 0; e < after.event_count(); ++e) {
    CHECK(after.start[e] + 7000 == map.clock.map(before.start[e] + 7000));
    CHECK(after.end(e) + 7000 == map.clock.map(before.end(e) + 7000));
  }
  // Twice is one map after the other; undo takes off the last.
  const std::string twice = folder.path("twice.mpitrace"), once = folder.path("once.mpitrace"),
                    restored = folder.path("restored.mpitrace");
  REQUIRE(mpitrace::write_aligned(aligned, twice, {trace::Clock::offset(-250'000), epoch, ""}).ok());
  CHECK(read(twice).start[3] == after.start[3] - 250'000);
  REQUIRE(mpitrace::undo(twice, once).ok());
  CHECK(read_file(once) == read_file(aligned));
  REQUIRE(mpitrace::undo(once, restored).ok());
  CHECK(read_file(restored) == read_file(original));
  CHECK_FALSE(mpitrace::undo(restored, folder.path("nothing")).ok());
}

TEST_CASE("a recording that is cut is not aligned: its end could not be told from the map") {
  const TempDir folder;
  const std::string whole = recording();
  const std::string cut = folder.write("cut.mpitrace", whole.substr(0, whole.size() - 3));
  const Status written = mpitrace::write_aligned(cut, folder.path("aligned.mpitrace"), {});
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().message.find("ends in the middle of a block") != std::string::npos);
}
