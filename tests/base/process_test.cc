#include "base/team/process.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;
using namespace std::chrono_literals;

TEST_CASE("a program's output and exit code come back") {
  const orrery::testing::TempDir dir;
  const std::string output = dir.path("out");
  const auto outcome = run_process({"sh", "-c", "echo one; echo two >&2; exit 7"}, output, 60s);
  REQUIRE(outcome.ok());
  CHECK(outcome->exit_code == 7);
  CHECK_FALSE(outcome->timed_out);
  CHECK(orrery::testing::read_file(output) == "one\ntwo\n");
}

TEST_CASE("a program that takes too long is killed with its children") {
  const orrery::testing::TempDir dir;
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = run_process({"sh", "-c", "sleep 600 & sleep 600"}, dir.path("out"), 100ms);
  REQUIRE(outcome.ok());
  CHECK(outcome->timed_out);
  CHECK(std::chrono::steady_clock::now() - begin < 60s);
}

TEST_CASE("a program that is not there is an error, one that is ended by a signal says so") {
  const orrery::testing::TempDir dir;
  CHECK_FALSE(run_process({"/nonexistent/program"}, dir.path("out"), 1s).ok());
  const auto killed = run_process({"sh", "-c", "kill -TERM $$"}, dir.path("out"), 60s);
  REQUIRE(killed.ok());
  CHECK(killed->exit_code == 128 + 15);
}
