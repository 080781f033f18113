#include "base/io/shrinking_input.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "base/interrupt.h"
#include "base/io/input.h"
#include "support/temp_dir.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

// What a child process that maps `path`, cuts it and reads on leaves behind: its exit code, or -1 when a signal ended
// it.
int code_after_cutting(const std::string& path, const std::string& told, const std::string& aside) {
  const pid_t child = ::fork();
  if (child == 0) {
    const EndsWhenInputShrinks guard([&](const Error& error) {
      std::ofstream(told) << error.to_string();
      return 3;
    });
    const RemovedWhenInterrupted leftover(aside);
    std::ofstream(aside) << "half";
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) ::_exit(99);
    fs::resize_file(path, 5000);
    const std::string_view bytes = file->bytes();
    const long sum = std::accumulate(bytes.begin(), bytes.end(), 0L);
    ::_exit(sum == 0 ? 98 : 97);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a file that is cut short while it is read ends the run with a sentence, and what was written aside goes") {
  const testing::TempDir dir;
  const std::string path = dir.path("growing.json");
  std::ofstream(path) << std::string(100'000, 'x');
  CHECK(code_after_cutting(path, dir.path("told"), dir.path("out.part")) == 3);
  std::string told;
  std::getline(std::ifstream(dir.path("told")), told);
  CHECK(told.find("growing.json: byte 8192: the file became shorter while it was being read") != std::string::npos);
  CHECK(told.find("still writing") != std::string::npos);
  CHECK_FALSE(fs::exists(dir.path("out.part")));
}

TEST_CASE("a file that keeps its length is read as before") {
  const testing::TempDir dir;
  const std::string path = dir.path("whole.json");
  std::ofstream(path) << std::string(5000, 'x');
  CHECK(code_after_cutting(path, dir.path("told"), dir.path("out.part")) == 97);
  CHECK_FALSE(fs::exists(dir.path("told")));
}

}  // namespace
}  // namespace orrery
