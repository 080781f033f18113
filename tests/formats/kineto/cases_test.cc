// Every file of cases/ is a test: a sentence about what it shows, a trace, and what the reader makes of it.
//
//     Begin and end events become one event with a duration.
//     === input
//     [{"ph": "B", ...
//     === output
//     1 + 2 B - "outer" 0/0 entry 0
//
// To add one, write the first two parts and run ORRERY_UPDATE_CASES=1 test_formats_kineto; then read what was put below
// "=== output".
// "=== input salvage" reads with ReadOptions::salvage.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "reading.h"

namespace orrery::kineto::testing {
namespace {

struct Case {
  std::string head;  // up to and with the line "=== input"
  std::string input;
  std::string output;
  bool salvage = false;
};

Case parse_case(const std::string& text) {
  const std::size_t input = text.find("\n=== input");
  REQUIRE(input != std::string::npos);
  const std::size_t input_text = text.find('\n', input + 1) + 1;
  const std::size_t output = text.find("\n=== output\n", input_text - 1);
  Case result;
  result.head = text.substr(0, input_text);
  result.salvage = result.head.find("=== input salvage") != std::string::npos;
  result.input = text.substr(input_text, output == std::string::npos ? std::string::npos : output - input_text);
  if (output != std::string::npos) result.output = text.substr(output + 12);
  else if (result.input.ends_with('\n')) result.input.pop_back();
  return result;
}

}  // namespace

TEST_CASE("each case reads as it says") {
  const bool update = std::getenv("ORRERY_UPDATE_CASES") != nullptr;
  const std::filesystem::path folder = std::filesystem::path(ORRERY_SOURCE_DIR) / "tests/formats/kineto/cases";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 20);
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.filename().string());
    const Case expected = parse_case(orrery::testing::read_file(file.string()));
    const std::string output = to_text(read_text(expected.input, {.salvage = expected.salvage}));
    if (update) std::ofstream(file, std::ios::binary) << expected.head << expected.input << "\n=== output\n" << output;
    else CHECK(output == expected.output);
  }
}

}  // namespace orrery::kineto::testing
