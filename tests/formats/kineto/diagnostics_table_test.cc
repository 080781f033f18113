// docs/DIAGNOSTICS.md lists every code there is in the sources, with its severity and its words, and no other.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>

#include "support/temp_dir.h"

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> rows_of_sources() {
  std::map<std::string, std::string> rows;
  const std::regex declaration(
      R"re(DiagnosticKind \w+\{\s*"([A-Z]\d+)",\s*Severity::(\w+),\s*"([^"]*)",\s*"([^"]*)"\})re");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(ORRERY_SOURCE_DIR) / "src")) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    // Long texts stand in several literals.
    const std::string text =
        std::regex_replace(orrery::testing::read_file(entry.path().string()), std::regex("\"\\s*\n\\s*\""), "");
    for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end; ++match) {
      const std::string code = (*match)[1];
      CAPTURE(code);
      CHECK_FALSE(rows.contains(code));  // each code means one thing
      rows[code] =
          "| " + code + " | " + (*match)[2].str() + " | " + (*match)[3].str() + " | " + (*match)[4].str() + " |";
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("docs/DIAGNOSTICS.md has a row for every diagnostic, in the words of the program") {
  const std::map<std::string, std::string> rows = rows_of_sources();
  REQUIRE(rows.size() >= 20);
  const std::string page = orrery::testing::read_file(std::string(ORRERY_SOURCE_DIR) + "/docs/DIAGNOSTICS.md");
  for (const auto& [code, row] : rows) {
    INFO("docs/DIAGNOSTICS.md lacks this line: ", row);
    CHECK(page.find(row + "\n") != std::string::npos);
  }
  const std::regex row(R"(\n\| ([A-Z]\d+) \|)");
  for (std::sregex_iterator match(page.begin(), page.end(), row), end; match != end; ++match) {
    INFO("no longer in the sources: ", (*match)[1].str());
    CHECK(rows.contains((*match)[1]));
  }
}
