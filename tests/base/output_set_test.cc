// Files that appear together or not at all, and never in place of an input.
#include "base/io/output_set.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "base/io/output_file.h"
#include "support/temp_dir.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::TempDir;

std::size_t count_files(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("files of a set appear when it is published") {
  const TempDir folder;
  OutputSet set;
  REQUIRE(write_whole_file(folder.path("a"), "one").ok());
  REQUIRE(write_whole_file(folder.path("b.gz"), "two").ok());
  CHECK_FALSE(fs::exists(folder.path("a")));
  CHECK(read_file(OutputSet::place_of(folder.path("a"))) == "one");
  REQUIRE(set.publish().ok());
  CHECK(read_file(folder.path("a")) == "one");
  CHECK(OutputSet::place_of(folder.path("a")) == folder.path("a"));
  CHECK(count_files(folder.path()) == 2);
}

TEST_CASE("a set that is not published leaves old files, and no folders or files of its own") {
  const TempDir folder;
  folder.write("a", "old");
  {
    OutputSet set;
    REQUIRE(OutputSet::make_folder(folder.path("x/y/")).ok());
    REQUIRE(write_whole_file(folder.path("x/y/b"), "new").ok());
    REQUIRE(write_whole_file(folder.path("a"), "new").ok());
  }
  CHECK(read_file(folder.path("a")) == "old");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("if one file cannot be put in its place the others are as they were") {
  const TempDir folder;
  folder.write("a", "old");
  OutputSet set;
  REQUIRE(write_whole_file(folder.path("a"), "new").ok());
  REQUIRE(write_whole_file(folder.path("b"), "new").ok());
  REQUIRE(write_whole_file(folder.path("c"), "new").ok());
  fs::create_directories(folder.path("c/in_the_way"));
  CHECK_FALSE(set.publish().ok());
  CHECK(read_file(folder.path("a")) == "old");
  CHECK_FALSE(fs::exists(folder.path("b")));
}

TEST_CASE("a protected file is not written, whatever leads to it") {
  const TempDir folder;
  const std::string input = folder.write("input", "mine");
  fs::create_symlink("input", folder.path("link"));
  fs::create_hard_link(input, folder.path("hard"));
  fs::create_directories(folder.path("sub"));
  fs::create_directory_symlink("..", folder.path("sub/up"));
  OutputSet set;
  set.protect(input);
  for (const char* name : {"input", "link", "hard", "sub/up/input", "sub/../input"}) {
    CAPTURE(name);
    const Status written = write_whole_file(folder.path(name), "new");
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().kind == Error::Kind::misuse);
  }
  CHECK(write_whole_file(folder.path("other"), "new").ok());
  REQUIRE(set.publish().ok());
  CHECK(read_file(input) == "mine");
}

TEST_CASE("a file that is protected after its namesake was written is kept all the same") {
  const TempDir folder;
  const std::string input = folder.write("input", "mine");
  OutputSet set;
  REQUIRE(write_whole_file(input, "new").ok());
  set.protect(input);
  CHECK_FALSE(set.publish().ok());
  CHECK(read_file(input) == "mine");
}

TEST_CASE("two outputs of one name are refused") {
  const TempDir folder;
  OutputSet outer;
  REQUIRE(write_whole_file(folder.path("a"), "one").ok());
  const Status again = write_whole_file(folder.path("./a"), "two");
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().kind == Error::Kind::misuse);
  REQUIRE(outer.publish().ok());
  CHECK(read_file(folder.path("a")) == "one");
}

TEST_CASE("an inner set publishes into the outer one, unless its files are wanted at once") {
  const TempDir folder;
  OutputSet outer;
  {
    OutputSet inner;
    REQUIRE(write_whole_file(folder.path("a"), "one").ok());
    REQUIRE(inner.publish().ok());
  }
  CHECK_FALSE(fs::exists(folder.path("a")));
  {
    OutputSet scratch(OutputSet::Publishing::at_once);
    REQUIRE(write_whole_file(folder.path("b"), "two").ok());
    REQUIRE(scratch.publish().ok());
    CHECK(read_file(folder.path("b")) == "two");
  }
  REQUIRE(outer.publish().ok());
  CHECK(read_file(folder.path("a")) == "one");
  CHECK(count_files(folder.path()) == 2);
}

}  // namespace orrery
