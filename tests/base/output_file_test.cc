#include "base/io/output_file.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "support/temp_dir.h"

namespace orrery {
namespace {

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

// Makes writes beyond `bytes` fail, as on a full disk, for as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

std::string noise(std::size_t bytes) {  // does not compress
  std::string text(bytes, '\0');
  std::uint64_t state = 1;
  for (char& c : text) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> 56);
  }
  return text;
}

}  // namespace

TEST_CASE("the file appears with commit, complete, and nothing else is left") {
  const testing::TempDir folder;
  const std::string path = folder.path("out.txt");
  auto file = OutputFile::create(path);
  REQUIRE(file.ok());
  file->write("one ");
  file->write("two");
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(file->commit().ok());
  CHECK(testing::read_file(path) == "one two");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("without commit the old file stays, and no other appears") {
  const testing::TempDir folder;
  const std::string path = folder.write("out.txt", "old");
  {
    auto file = OutputFile::create(path);
    REQUIRE(file.ok());
    file->write(std::string(1'000'000, 'x'));
    OutputFile moved = std::move(*file);
    moved.write("more");
  }
  CHECK(testing::read_file(path) == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a failed write is an error of commit, and the old file stays") {
  const testing::TempDir folder;
  for (const char* name : {"out.bin", "out.bin.gz", "out.bin.zst"}) {
    CAPTURE(name);
    const std::string path = folder.write(name, "old");
    Status status;
    {
      const FileSizeLimit limit(100'000);
      status = write_whole_file(path, noise(3'000'000));
    }
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().file == path);
    CHECK(testing::read_file(path) == "old");
  }
  CHECK(files_in(folder.path()) == 3);
}

TEST_CASE("a place that does not exist, and a folder in the way") {
  const testing::TempDir folder;
  CHECK_FALSE(OutputFile::create(folder.path("missing/out.txt")).ok());
  folder.write("taken/file");
  CHECK_FALSE(write_whole_file(folder.path("taken"), "x").ok());
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("what is written to .gz or .zst is read again") {
  const testing::TempDir folder;
  CHECK(rc::check([&](const std::vector<std::string>& pieces, bool gzip) {
    const std::string path = folder.path(gzip ? "out.json.gz" : "out.json.zst");
    auto file = OutputFile::create(path);
    RC_ASSERT(file.ok());
    std::string whole;
    for (const std::string& piece : pieces) {
      file->write(piece);
      whole += piece;
    }
    RC_ASSERT(file->commit().ok());
    RC_ASSERT(detect_compression(testing::read_file(path)) == (gzip ? Compression::gzip : Compression::zstd));
    const auto read = read_whole_file(path, 1 << 20);
    RC_ASSERT(read.ok());
    RC_ASSERT(*read == whole);
  }));
}

TEST_CASE("large output, compressed or not, and the same bytes every time") {
  const testing::TempDir folder;
  const std::string content = noise(1'000'000) + std::string(5'000'000, 'a');
  REQUIRE(write_whole_file(folder.path("a.gz"), content).ok());
  REQUIRE(write_whole_file(folder.path("b.gz"), content).ok());
  REQUIRE(write_whole_file(folder.path("plain"), content).ok());
  CHECK(testing::read_file(folder.path("a.gz")) == testing::read_file(folder.path("b.gz")));
  CHECK(testing::read_file(folder.path("plain")) == content);
  const auto read = read_whole_file(folder.path("a.gz"), 10'000'000);
  REQUIRE(read.ok());
  CHECK((*read == content));
}

TEST_CASE("a device is written to, never replaced, and a link stays a link") {
  REQUIRE(write_whole_file("/dev/null", "gone").ok());
  CHECK(std::filesystem::is_character_file("/dev/null"));
  const testing::TempDir folder;
  REQUIRE(write_whole_file(folder.path("target"), "old").ok());
  std::filesystem::create_symlink("target", folder.path("link"));
  REQUIRE(write_whole_file(folder.path("link"), "new").ok());
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(testing::read_file(folder.path("target")) == "new");
}

}  // namespace orrery
