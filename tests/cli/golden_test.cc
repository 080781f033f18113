// Sessions with the program, held to the letter: tests/golden/*.console and the console blocks of the README.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/shell.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Sanitizers reserve terabytes of addresses: a limit on them would end the program before it begins.
std::string without_address_limits(std::string command) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::string_view kLimit = "ulimit -v ";
  for (std::size_t at = 0; (at = command.find(kLimit)) != std::string::npos;)
    command.erase(at, command.find(';', at) + 1 - at);
#endif
  return command;
}

/// The thread sanitizer keeps its tables in a file, and is ended by a limit on files before the program begins.
bool can_run([[maybe_unused]] const std::vector<std::string>& session) {
#if defined(__SANITIZE_THREAD__)
  return std::none_of(session.begin(), session.end(),
                      [](const std::string& line) { return line.find("ulimit -f ") != std::string::npos; });
#else
  return true;
#endif
}

// From the root of the repository, with a folder of the session's own as $T, which is also how its name is shown.
std::string run(const std::string& command, const testing::TempDir& scratch) {
  const std::filesystem::path folder = std::filesystem::path(ORRERY_BINARY).parent_path();
  std::string output = shell(fmt::format("cd '{}' && PATH='{}':$PATH T='{}' && export PATH T && {}", ORRERY_SOURCE_DIR,
                                         folder.string(), scratch.path(), without_address_limits(command)))
                           .output;
  for (std::size_t at = 0; (at = output.find(scratch.path(), at)) != std::string::npos;)
    output.replace(at, scratch.path().size(), "$T");
  return output;
}

bool is_command(const std::string& line) { return line.starts_with("$ "); }

// The session as it should read: each command followed by what it prints now.
std::vector<std::string> replay(const std::vector<std::string>& session) {
  const testing::TempDir scratch("/tmp");  // wherever it runs: columns are as wide as the name
  std::vector<std::string> lines;
  for (const std::string& line : session) {
    if (line.starts_with("# ")) lines.push_back(line);
    if (!is_command(line)) continue;
    lines.push_back(line);
    std::istringstream output(run(line.substr(2), scratch));
    for (std::string printed; std::getline(output, printed);) lines.push_back(printed);
  }
  return lines;
}

void compare(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  const std::size_t common = std::min(expected.size(), actual.size());
  for (std::size_t i = 0; i < common; ++i) {
    INFO("line " << i + 1 << " of the session");
    REQUIRE(actual[i] == expected[i]);
  }
  CHECK(actual.size() == expected.size());
}

}  // namespace

TEST_CASE("golden sessions") {
  std::size_t sessions = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ORRERY_SOURCE_DIR) / "tests/golden")) {
    if (entry.path().extension() != ".console") continue;
    ++sessions;
    CAPTURE(entry.path().filename().string());
    const std::vector<std::string> expected = read_lines(entry.path());
    if (!can_run(expected)) continue;
    const std::vector<std::string> actual = replay(expected);
    if (std::getenv("ORRERY_UPDATE_GOLDEN") != nullptr) {
      std::ofstream file(entry.path());
      for (const std::string& line : actual) file << line << "\n";
      continue;
    }
    compare(expected, actual);
  }
  CHECK(sessions >= 2);
}

TEST_CASE("the README shows what the program prints") {
  const std::filesystem::path path = std::filesystem::path(ORRERY_SOURCE_DIR) / "README.md";
  const std::vector<std::string> lines = read_lines(path);
  std::vector<std::string> updated;
  std::size_t blocks = 0;
  for (auto at = lines.begin(); at != lines.end();) {
    const auto begin = std::find(at, lines.end(), "```console");
    updated.insert(updated.end(), at, begin == lines.end() ? begin : begin + 1);
    if (begin == lines.end()) break;
    const auto end = std::find(begin, lines.end(), "```");
    ++blocks;
    // Diagnostics go to stderr, which a README need not show.
    const std::vector<std::string> expected(begin + 1, end);
    std::vector<std::string> session;
    for (const std::string& line : expected) session.push_back(is_command(line) ? line + " 2>/dev/null" : line);
    std::vector<std::string> actual = replay(session);
    for (std::string& line : actual) {
      if (is_command(line)) line.resize(line.size() - std::string(" 2>/dev/null").size());
    }
    updated.insert(updated.end(), actual.begin(), actual.end());
    if (std::getenv("ORRERY_UPDATE_GOLDEN") == nullptr) compare(expected, actual);
    at = end;
  }
  CHECK(blocks >= 2);
  if (std::getenv("ORRERY_UPDATE_GOLDEN") == nullptr) return;
  std::ofstream file(path);
  for (const std::string& line : updated) file << line << "\n";
}

}  // namespace orrery::cli
