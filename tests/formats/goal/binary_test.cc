#include <doctest/doctest.h>

#include <string>

#include "binary_schedule.h"
#include "formats/goal/reader.h"
#include "formats/goal/writer.h"

using namespace orrery;
using testing::BinaryNode;

namespace {

constexpr std::uint32_t kAny = ~std::uint32_t{0};

std::string sample() {
  return testing::binary_schedule(
      {{{.type = 3, .size = 5000, .cpu = 1, .dependents = {2, 1}},
        {.type = 1, .peer = 1, .size = 64, .tag = 9},
        {.type = 3, .size = 7}},
       {{.type = 2, .peer = kAny, .size = 64, .tag = kAny, .nic = 1, .start_dependents = {1}},
        {.type = 3, .size = 8}}});
}

std::string error_of(const std::string& bytes) {
  const auto workload = goal::parse_workload(bytes, "x.bin");
  if (workload) return "";
  CHECK(workload.error().file == "x.bin");
  return workload.error().message;
}

template <typename T>
std::string with(std::size_t at, T value) {
  std::string bytes = sample(), field;
  testing::append(field, value);
  return bytes.replace(at, field.size(), field);
}

constexpr std::size_t kEntry0 = 8 + 6, kBlock0 = kEntry0 + 2 * 16, kNode0 = kBlock0 + 8 + 4 /* one root */;

}  // namespace

TEST_CASE("a binary schedule reads like its text") {
  const auto workload = goal::parse_workload(sample(), "x.bin");
  REQUIRE_MESSAGE(workload.ok(), workload.error().to_string());
  const auto text = goal::to_text(*workload);
  REQUIRE(text.ok());
  CHECK(*text ==
        "num_ranks 2\n"
        "\nrank 0 {\nl1: calc 5000 cpu 1\nl2: send 64b to 1 tag 9\nl3: calc 7\nl3 requires l1\nl2 requires l1\n}\n"
        "\nrank 1 {\nl1: recv 64b from -1 tag -1 nic 1\nl2: calc 8\nl2 irequires l1\n}\n");
  const auto again = goal::parse_workload(*text, "x.goal");
  REQUIRE(again.ok());
  CHECK(*goal::to_text(*again) == *text);
}

TEST_CASE("what a damaged binary schedule says is not believed") {
  CHECK(error_of(with<std::uint64_t>(0, 2342)) == "this schedule was used up by a simulation that ran in place");
  CHECK(error_of(with<std::uint32_t>(8, 0)) == "0 ranks cannot be in a file of 277 bytes");
  CHECK(error_of(with<std::uint32_t>(8, 4'000'000'000)) == "4,000,000,000 ranks cannot be in a file of 277 bytes");
  CHECK(error_of(with<std::uint64_t>(kEntry0, ~std::uint64_t{0})) ==
        "rank 0 lies from 18446744073709551615 to 175, which is not within the file");
  CHECK(error_of(with<std::uint64_t>(kEntry0 + 8, 287)) == "rank 0 lies from 38 to 287, which is not within the file");
  CHECK(error_of(with<std::uint32_t>(kBlock0, 4)) == "rank 0 has 4 nodes and 1 roots, which do not fit its 137 bytes");
  CHECK(error_of(with<std::uint32_t>(kBlock0 + 4, ~std::uint32_t{0})) ==
        "rank 0 has 3 nodes and 4294967295 roots, which do not fit its 137 bytes");
  CHECK(error_of(with<std::uint32_t>(kNode0, 1)) == "node 0 of rank 0 waits for 1 others, but 0 name it");
  CHECK(error_of(with<std::uint8_t>(kNode0 + 4, 4)) == "an operation of the unknown type 4");
  CHECK(error_of(with<std::uint64_t>(kNode0 + 9, 1ull << 60)) == "a calc of 1152921504606846976 ns");
  CHECK(error_of(with<std::uint32_t>(kNode0 + 39 + 5, 2)) == "rank 2 does not exist: there are 2");
  CHECK(error_of(with<std::uint32_t>(kNode0 + 39 + 5, kAny)) ==
        "rank 4294967295 does not exist: there are 2");  // of a send
  CHECK(error_of(with<std::uint32_t>(kNode0 + 23, 3)) == "rank 0 has 3 dependents but room for 2");
  CHECK(error_of(with<std::uint32_t>(kNode0 + 27, 1)) == "dependents 1 to 3 of 2");
  CHECK(error_of(with<std::uint32_t>(kNode0 + 3 * 39, 3)) == "node 3 of 3 cannot wait for node 0");
}

TEST_CASE("a binary schedule cut anywhere is an error") {
  const std::string whole = sample();
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE_MESSAGE(goal::parse_workload(whole.substr(0, size), "x").ok(), size);
}

TEST_CASE("ranks cannot share a block") {
  std::vector<std::vector<BinaryNode>> ranks(40);
  ranks[0].resize(20);
  std::string bytes = testing::binary_schedule(ranks);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) bytes.replace(kEntry0 + 16 * rank, 16, bytes, kEntry0, 16);
  CHECK(error_of(bytes) == "the blocks of ranks up to 2 overlap");
}
