// A recording through the library: the answers are those of the program, and nothing is read twice.
#include "orrery/recording.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "orrery/simulate.h"
#include "support/temp_dir.h"

namespace orrery::api::testing {
namespace {

const std::string kData = std::string(ORRERY_SOURCE_DIR) + "/data/";

Recording must_open(const std::vector<std::string>& named) {
  Result<Recording> recording = Recording::open(named);
  REQUIRE(recording.ok());
  return std::move(*recording);
}

}  // namespace

TEST_CASE("a recording is opened once and asked several times") {
  const orrery::testing::TempDir folder;
  const std::string file = folder.path() + "/trace.json.gz";
  std::filesystem::copy_file(kData + "gpt_small.kineto.json.gz", file);
  const Recording recording = must_open({file});
  std::filesystem::remove(file);
  CHECK(recording.ranks() == std::vector<std::int64_t>{0});
  CHECK(recording.event_count() > 1000);
  const Result<Answer> path = recording.path();
  REQUIRE(path.ok());
  CHECK(path->holds());
  CHECK(path->headline().find("bound") != std::string::npos);
  CHECK(path->text().starts_with(path->headline()));
  CHECK(path->text("verdict").has_value());
  CHECK(*path->number("window.span_us") > 0);
  CHECK_FALSE(path->number("verdict").has_value());
  CHECK_FALSE(path->number("no.such_us").has_value());
  CHECK(path->json().starts_with("{"));
}

TEST_CASE("tables have the names and units of --json") {
  const Recording recording = must_open({kData + "gpt_small.kineto.json.gz"});
  const Result<Answer> path = recording.path();
  REQUIRE(path.ok());
  const std::optional<Table> contributors = path->table("contributors");
  REQUIRE(contributors.has_value());
  REQUIRE(contributors->rows() > 0);
  const std::optional<std::size_t> name = contributors->find("name");
  REQUIRE(name.has_value());
  CHECK(contributors->text(*name, 0).has_value());
  CHECK_FALSE(contributors->number(*name, 0).has_value());
  CHECK_FALSE(path->table("nothing").has_value());
}

TEST_CASE("the run as it would be without its recorder, of a recording that is open") {
  const Recording recording = must_open({kData + "gpt_small.kineto.json.gz"});
  const Result<Answer> path = recording.path({.window = {.without_profiler = true}});
  REQUIRE(path.ok());
  CHECK(*path->number("unprofiled.length_us") < 0.5 * *path->number("unprofiled.recorded_us"));
  CHECK(*path->number("window.span_us") == *path->number("unprofiled.length_us"));
  // The recording itself stays as it is.
  CHECK(*recording.path()->number("window.span_us") == *path->number("unprofiled.recorded_us"));
}

TEST_CASE("edits are solved again, and one that cannot be understood is pointed at") {
  const Recording recording = must_open({kData + "gpt_small.kineto.json.gz"});
  const Result<Answer> faster = recording.what_if({"cpu * 0.5"});
  REQUIRE(faster.ok());
  CHECK(faster->holds());
  CHECK(*faster->number("after_us") < *faster->number("before_us"));
  const Result<Answer> nothing = recording.what_if({"kernel:no_such_kernel * 0.5"});
  REQUIRE(nothing.ok());
  CHECK_FALSE(nothing->holds());
  const Result<Answer> unclear = recording.what_if({"kernel ** 2"});
  REQUIRE_FALSE(unclear.ok());
  CHECK(unclear.error().message.find("number") != std::string::npos);
}

TEST_CASE("ranks and windows are chosen, and what is not there is an Error") {
  const Recording job = must_open({kData + "ddp4.rank0.kineto.json.gz", kData + "ddp4.rank1.kineto.json.gz",
                                   kData + "ddp4.rank2.kineto.json.gz", kData + "ddp4.rank3.kineto.json.gz"});
  CHECK(job.ranks().size() == 4);
  const Result<Answer> blame = job.blame();
  REQUIRE(blame.ok());
  CHECK(blame->headline().find("4 ranks") == 0);
  REQUIRE(blame->table("ranks").has_value());
  CHECK(blame->table("ranks")->rows() == 4);
  const Result<Answer> one = job.path({.window = {.rank = 2}});
  REQUIRE(one.ok());
  CHECK(one->number("rank") == 2.0);
  CHECK_FALSE(job.path({.window = {.rank = 7}}).ok());
  CHECK_FALSE(job.path({.window = {.instances = std::pair<std::size_t, std::size_t>{900, 901}}}).ok());
  CHECK_FALSE(Recording::open({}).ok());
  CHECK_FALSE(Recording::open({kData + "no_such_file"}).ok());
}

TEST_CASE("a workload is simulated on a machine, and a model that is not known is refused") {
  const SimulateOptions options{.workload = {kData + "workloads/training"},
                                .machine = kData + "machines/dgx_h100_pod.yaml"};
  const Result<Answer> run = simulate(options);
  REQUIRE_MESSAGE(run.ok(), run.error().to_string());
  CHECK(run->headline().find("16 ranks") != std::string::npos);
  SimulateOptions other = options;
  other.network_model = "no such model";
  CHECK_FALSE(simulate(other).ok());
  other = options;
  other.machine = "no_such_machine.yml";
  CHECK_FALSE(simulate(other).ok());
}

}  // namespace orrery::api::testing
