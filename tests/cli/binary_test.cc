// The program as the shell sees it.
#include <doctest/doctest.h>

#include "ask/provenance.h"
#include "cli/shell.h"

namespace orrery::cli {
namespace {

/// What the program says of itself.
std::string expected_version() {
  return "orrery " + std::string(ask::version()) + (ask::has_otf2() ? "\nwith OTF2\n" : "\nwithout OTF2\n");
}

ShellResult orrery(const std::string& arguments) { return shell(std::string(ORRERY_BINARY) + " " + arguments); }

}  // namespace

TEST_CASE("the binary answers") {
  CHECK(orrery("--version").output == expected_version());
  CHECK(orrery("--help").exit_code == 0);
  CHECK(orrery("--help 2>/dev/null | head -1 >/dev/null").exit_code == 0);
}

TEST_CASE("the binary's exit codes") {
  CHECK(orrery("2>/dev/null").exit_code == 2);
  CHECK(orrery("nonsense 2>/dev/null").exit_code == 2);
  CHECK(orrery("--version >/dev/full 2>/dev/null").exit_code == 3);
}

TEST_CASE("stderr says what stdout does not") {
  CHECK(orrery("nonsense 2>/dev/null").output == "");
  CHECK(orrery("nonsense 2>&1 >/dev/null").output.starts_with("orrery: error: there is no verb 'nonsense'\n"));
}

TEST_CASE("an empty environment is enough") {
  CHECK(shell("env -i " + std::string(ORRERY_BINARY) + " --version").exit_code == 0);
}

}  // namespace orrery::cli
