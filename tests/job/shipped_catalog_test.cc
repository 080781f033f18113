#include "job/shipped/shipped_catalog.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;

TEST_CASE("a device is a file that describes one, or a name of the catalog") {
  const std::string data = std::string(ORRERY_SOURCE_DIR) + "/data";
  const auto catalog = llm::read_catalog(data);
  REQUIRE(catalog);
  CHECK(job::read_device(*catalog, "h200")->name == "H200");
  CHECK(job::read_device(*catalog, data + "/devices/mi210.yaml")->name == "MI210");
  const testing::TempDir folder;
  const std::string own = folder.write("mine.yaml", "format: orrery.device/1\nname: \"mine\"\n");
  CHECK(job::read_device(*catalog, own).error().to_string().find("mine.yaml: line 1: the device has no 'generation'") !=
        std::string::npos);
  CHECK(job::read_device(*catalog, "./h200").error().to_string().find("./h200") !=
        std::string::npos);  // a path is never a name
  CHECK_FALSE(job::read_device(*catalog, "abacus"));
}

TEST_CASE("what does not come with the program is not found") { CHECK(job::shipped_folder("no such kind").empty()); }
