// Raw memory timelines: a list of [time, action, bytes, category].
#include "formats/memory_timeline/reader.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;
using memory_timeline::looks_like_timeline;
using memory_timeline::read_timeline;

TEST_CASE("memory timeline: told by its two brackets") {
  CHECK(looks_like_timeline("[[1, 0, 2, 3]]"));
  CHECK(looks_like_timeline(" [\n [1"));
  CHECK_FALSE(looks_like_timeline("[{\"ph\": \"X\"}]"));
  CHECK_FALSE(looks_like_timeline("[]"));
  CHECK_FALSE(looks_like_timeline(""));
}

TEST_CASE("memory timeline: changes in the order of the file") {
  const testing::TempDir folder;
  const auto changes = read_timeline(folder.write("t.json", "[[-1, 0, 4096, 0],\n [100, \"free\", -512, 7]]\n"));
  REQUIRE(changes.ok());
  REQUIRE(changes->size() == 2);
  CHECK((*changes)[0].time_ns == -1);
  CHECK((*changes)[1].bytes == -512);
  CHECK((*changes)[1].category == 7);
}

TEST_CASE("memory timeline: bytes at moments become changes") {
  const testing::TempDir folder;
  const auto changes = read_timeline(
      folder.write("t.json", "[[100, 101], [[0, 4096, 0, 0, 0, 0, 0, 0, 7], [0, 4096, 0, 0, 512, 0, 0, 0, 0]]]"));
  REQUIRE(changes.ok());
  REQUIRE(changes->size() == 4);
  CHECK((*changes)[0].time_ns == 100'000);
  CHECK((*changes)[0].bytes == 4096);
  CHECK((*changes)[2].category == 3);
  CHECK((*changes)[2].time_ns == 101'000);
  CHECK((*changes)[3].bytes == -7);
  for (const char* text : {"[[100], [[0, 1, 2]]]", "[[100, 101], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]",
                           "[[\"soon\"], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]"})
    CHECK_FALSE(read_timeline(folder.write("bad.json", text)).ok());
}

TEST_CASE("memory timeline: what is no change is named with its place") {
  const testing::TempDir folder;
  for (const char* text : {"[[1, 0, 2, 3], [1, 0, 2]]", "[[1, 0, 2, 3], [1, 0, 2, 8]]",
                           "[[1, 0, 2, 3], [1.5, 0, 2, 3]]", "[[1, 0, 2, 3], 7]"}) {
    const auto changes = read_timeline(folder.write("bad.json", text));
    REQUIRE_FALSE(changes.ok());
    CHECK(changes.error().offset == 15);
  }
  CHECK_FALSE(read_timeline(folder.write("cut.json", "[[1, 0, 2, 3], [1, 0")).ok());
  CHECK_FALSE(read_timeline(folder.write("empty.json", "[]")).ok());
  CHECK_FALSE(read_timeline(folder.path("missing")).ok());
}
