#include "base/team/checkpoint.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/temp_dir.h"

namespace orrery {
namespace {

CheckpointKey sample_key() {
  return {.version = "1.2.3",
          .command = "orrery whatif a.json 'cpu * 1' --sweep 1,2,3",
          .inputs = {{"a.json", 10, 77}},
          .points = 3};
}

std::string bytes_of_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// A checkpoint of two points.
std::string sample_file(const std::string& path) {
  auto checkpoint = Checkpoint::open(path, sample_key());
  REQUIRE(checkpoint);
  CHECK(checkpoint->points().empty());
  REQUIRE(checkpoint->append(2, "third"));
  REQUIRE(checkpoint->append(0, ""));
  return bytes_of_file(path);
}

std::string refusal(const std::string& path, const CheckpointKey& key) {
  const auto opened = Checkpoint::open(path, key);
  if (opened) return "";
  CHECK(opened.error().kind == Error::Kind::misuse);
  CHECK(opened.error().file == path);
  return opened.error().message;
}

}  // namespace

TEST_CASE("a checkpoint gives back what was appended, and goes on") {
  const testing::TempDir folder;
  const std::string path = folder.path("points");
  sample_file(path);
  {
    auto again = Checkpoint::open(path, sample_key());
    REQUIRE(again);
    CHECK(again->points() == std::map<std::uint64_t, std::string>{{0, ""}, {2, "third"}});
    REQUIRE(again->append(1, "second"));
  }
  const auto last = Checkpoint::open(path, sample_key());
  REQUIRE(last);
  CHECK(last->points().size() == 3);
  CHECK(last->points().at(1) == "second");
}

TEST_CASE("wherever a checkpoint was cut, the whole records before the cut are kept") {
  const testing::TempDir folder;
  const std::string path = folder.path("points");
  const std::string whole = sample_file(path);
  const std::size_t second = 3 * 8, first = 3 * 8 + 5;  // number, size and checksum around the bytes of a point
  const std::size_t header = whole.size() - first - second;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    auto opened = Checkpoint::open(path, sample_key());
    REQUIRE_MESSAGE(opened, size);
    const std::size_t kept = size < header + first ? 0 : size < whole.size() ? 1 : 2;
    REQUIRE(opened->points().size() == kept);
    // What follows is appended behind the last whole record, not behind the cut one.
    REQUIRE(opened->append(1, "new"));
    const auto content = parse_checkpoint(bytes_of_file(path), path);
    REQUIRE(content);
    REQUIRE(content->points.size() == kept + 1);
    REQUIRE(content->points.at(1) == "new");
  }
}

TEST_CASE("a checkpoint of something else is refused, and left as it is") {
  const testing::TempDir folder;
  const std::string path = folder.path("points");
  const std::string before = sample_file(path);
  CheckpointKey other = sample_key();
  other.version = "1.2.4";
  CHECK(refusal(path, other).find("written by version 1.2.3, and this is 1.2.4") != std::string::npos);
  other = sample_key();
  other.command = "orrery whatif a.json 'op * 1' --sweep 1,2,3";
  CHECK(refusal(path, other).find("'op * 1'") != std::string::npos);
  other = sample_key();
  other.inputs[0].xxh3 = 78;
  CHECK(refusal(path, other).find("a.json has changed") != std::string::npos);
  other = sample_key();
  other.inputs.push_back({"b.json", 1, 1});
  CHECK(refusal(path, other).find("1 input file") != std::string::npos);
  other = sample_key();
  other.points = 4;
  CHECK(refusal(path, other).find("3 points") != std::string::npos);
  CHECK(bytes_of_file(path) == before);
}

TEST_CASE("what is no checkpoint, or a damaged one, is refused and left as it is") {
  const testing::TempDir folder;
  const std::string path = folder.path("points");
  const std::string whole = sample_file(path);
  std::string newer = whole;
  newer[8] = 2;
  std::string bad_header = whole;
  bad_header[40] ^= 1;
  std::string bad_record = whole;
  bad_record[whole.size() - 3 * 8 - 9] ^= 1;  // the first of two
  struct Case {
    std::string bytes, message;
  };
  for (const Case& damaged : {Case{"{\"traceEvents\": []}", "no checkpoint"}, Case{newer, "layout 2"},
                              Case{bad_header, "header"}, Case{bad_record, "record of this checkpoint is damaged"}}) {
    write_file(path, damaged.bytes);
    CHECK(refusal(path, sample_key()).find(damaged.message) != std::string::npos);
    CHECK(bytes_of_file(path) == damaged.bytes);
  }
}

TEST_CASE("two runs do not write one checkpoint") {
  const testing::TempDir folder;
  const std::string path = folder.path("points");
  const auto first = Checkpoint::open(path, sample_key());
  REQUIRE(first);
  CHECK(refusal(path, sample_key()).find("another run") != std::string::npos);
}

}  // namespace orrery
