#include "base/limits.h"

#include <doctest/doctest.h>

#include <string>

#include "base/io/file_content.h"
#include "support/temp_dir.h"

namespace orrery {
namespace {

TEST_CASE("bounds grow with the input") {
  CHECK(most_inflated_bytes(0) == std::uint64_t{64} << 20);
  CHECK(most_inflated_bytes(1000) == (std::uint64_t{64} << 20) + 250'000);
  CHECK(most_in(80, 8) == 10);
  CHECK(most_in(7, 8) == 0);
}

TEST_CASE("a file that is read whole may be as large as is allowed, and no larger") {
  const orrery::testing::TempDir folder;
  const std::string path = folder.write("text", "12345");
  CHECK(read_whole_file(path, 5).ok());
  CHECK_FALSE(read_whole_file(path, 4).ok());
}

}  // namespace
}  // namespace orrery
