#include "ask/provenance.h"

#include <doctest/doctest.h>

#include "cli/captured_run.h"
#include "cli/frame/invocation.h"
#include "cli/sample_verb.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

ExitCode run_reader(Invocation& invocation) {
  for (const std::string& operand : invocation.operands()) {
    if (const Status status = invocation.context().add_input(operand); !status.ok())
      return invocation.fail(status.error());
  }
  invocation.context().set_seed(42);
  return ExitCode::ok;
}

}  // namespace

TEST_CASE("hashes are those of xxhsum -H3") {
  const testing::TempDir folder;
  const auto empty = ask::hash_input(folder.write("empty"));
  REQUIRE(empty.ok());
  CHECK(empty->bytes == 0);
  CHECK(empty->xxh3 == 0x2d06800538d394c2u);
  const auto text = ask::hash_input(folder.write("text", "orrery"));
  REQUIRE(text.ok());
  CHECK(text->bytes == 6);
  const auto large = ask::hash_input(folder.write("large", std::string(40'000'000, 'x')));  // several blocks
  REQUIRE(large.ok());
  CHECK(large->bytes == 40'000'000);
  CHECK(large->xxh3 != 0);
  CHECK_FALSE(ask::hash_input(folder.path("missing")).ok());
}

TEST_CASE("inputs are recorded in the envelope, and not even opened without it") {
  const testing::TempDir folder;
  static const Verb reader = {.name = "reader",
                              .summary = "reads",
                              .operands = {.name = "FILE...", .help = "files", .min = 1, .max = 9},
                              .run = run_reader};
  const std::vector<const Verb*> table = {&reader};
  const std::string file = folder.write("empty");
  const CapturedRun result = run_captured({"reader", "--json", file}, table);
  CHECK(result.out.find("\"inputs\":[{\"path\":\"" + file +
                        "\",\"bytes\":0,\"xxh3\":\"2d06800538d394c2\"}],\"seed\":42}") != std::string::npos);
  CHECK(run_captured({"reader", "--json", folder.path("missing")}, table).exit_code == 3);
  CHECK(run_captured({"reader", folder.path("missing")}, table).exit_code == 0);
}

}  // namespace orrery::cli
