#include "job/read/convert_target.h"

#include <doctest/doctest.h>

#include "job/read/registry.h"

namespace orrery::job {
namespace {

Source source_of(std::string_view format, std::vector<std::string> files) {
  Source source;
  source.format = format_called(format);
  source.files = std::move(files);
  return source;
}

}  // namespace

TEST_CASE("what to write is told by the ending of names") {
  CHECK(format_ending("a/b.et.gz") == ".et.gz");
  CHECK(format_ending("a.et/b") == "");
  CHECK(target_format_of_name("x.graphml") == TargetFormat::graphml);
  CHECK_FALSE(target_format_of_name("x.json").has_value());
}

TEST_CASE("every name of a format leads back to it") {
  for (const std::string_view name : {"et", "feeder", "json", "jsonl", "dot", "graphml", "timeline", "goal"}) {
    const auto format = target_format_called(name);
    REQUIRE(format);
    CHECK(to_string(*format) == name);
    CHECK(kTargetFormats.find(name) != std::string_view::npos);
  }
  CHECK_FALSE(target_format_called("perfetto"));
}

TEST_CASE("the format is what was wanted, else what the name says, else what the source is made for") {
  const Source one = source_of("chakra", {"a.0.et"});
  CHECK(choose_target(one, "x.dot", std::nullopt, false)->format == TargetFormat::dot);
  CHECK(choose_target(one, "x.dot", TargetFormat::graphml, false)->format == TargetFormat::graphml);
  CHECK(choose_target(one, "x.json", std::nullopt, false)->format == TargetFormat::feeder);
  CHECK(choose_target(one, "x.json", std::nullopt, true)->format == TargetFormat::json);  // Chakra's jsonizer
  CHECK(choose_target(one, "x", std::nullopt, false)->format == TargetFormat::et);
  CHECK(choose_target(source_of("xspace", {"a.xplane.pb"}), "x", std::nullopt, false)->format ==
        TargetFormat::timeline);
}

TEST_CASE("several ranks are a file each behind a common name; what holds all of them is one") {
  const Source two = source_of("chakra", {"a.0.et", "a.1.et"});
  const auto ranks = choose_target(two, "out/job.et.gz", std::nullopt, false);
  REQUIRE(ranks);
  CHECK(ranks->file_per_rank);
  CHECK(ranks->file(3) == "out/job.3.et.gz");
  CHECK(choose_target(two, "out/job", std::nullopt, false)->file(0) == "out/job.0.et");
  const auto goal = choose_target(two, "job.goal", std::nullopt, false);
  REQUIRE(goal);
  CHECK(goal->file(1) == "job.goal");
}

TEST_CASE("what does not go together is the asker's fault, and the sentence names no flag") {
  const auto log = choose_target(source_of("log", {"run.log"}), "x.et", std::nullopt, false);
  REQUIRE_FALSE(log);
  CHECK(log.error().kind == Error::Kind::misuse);
  CHECK(log.error().message == "of a log there is only a timeline");
  const auto piped = choose_target(source_of("chakra", {"a.0.et", "a.1.et"}), "-", std::nullopt, false);
  REQUIRE_FALSE(piped);
  CHECK(piped.error().kind == Error::Kind::misuse);
  CHECK(piped.error().hint.find("--") == std::string::npos);
  CHECK_FALSE(choose_target(source_of("chakra", {"a.0.et"}), "-", std::nullopt, false)->file_per_rank);
}

}  // namespace orrery::job
