#include "job/shipped/shipped_catalog.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery::job;

TEST_CASE("a file is itself, whatever it is called; a path is never a name") {
  const orrery::testing::TempDir dir;
  const std::string file = dir.write("dgx_h100");
  CHECK(machine_path(file) == file);
  CHECK(machine_path("./dgx_h100") == "./dgx_h100");
  CHECK(machine_path("no_such_machine") == "no_such_machine");
}
