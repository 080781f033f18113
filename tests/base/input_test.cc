#include "base/io/input.h"
#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "base/limits.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "support/temp_dir.h"

namespace orrery {
namespace {

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3);
  REQUIRE_FALSE(ZSTD_isError(size));
  packed.resize(size);
  return packed;
}

// Everything the inflater delivers, read in blocks of `block` bytes, or the error.
Result<std::string> inflate(std::string_view packed, std::size_t block = 1000) {
  auto inflater = make_inflater(detect_compression(packed), packed, "packed");
  std::string text;
  std::vector<char> buffer(block);
  for (;;) {
    const auto got = inflater->read(buffer);
    if (!got) return got.error();
    text.append(buffer.data(), *got);
    if (*got < block) return text;
  }
}

std::string sample_text(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "{\"name\":\"event " + std::to_string(text.size() * 7919 % 10007) + "\"},\n";
  text.resize(bytes);
  return text;
}

constexpr std::size_t kLimit = 1 << 26;

}  // namespace

TEST_CASE(
    "files read as zeros past their end, mapped or small enough to be read at once, also at multiples of the page "
    "size") {
  const testing::TempDir folder;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, page - 64, page - 1, page, page + 1, 3 * page,
                                 std::size_t{16'384}, std::size_t{16'385}, 25 * page}) {
    CAPTURE(size);
    const std::string content(size, 'x');
    auto file = MappedFile::open(folder.write("file", content));
    REQUIRE(file.ok());
    CHECK((file->bytes() == content));
    const char* end = file->bytes().data() + size;
    CHECK(std::string_view(end, MappedFile::kPaddingBytes) == std::string(MappedFile::kPaddingBytes, '\0'));
    file->release(0, size);
    CHECK((file->bytes() == content));  // read again
  }
}

TEST_CASE("mapped files move") {
  const testing::TempDir folder;
  auto first = MappedFile::open(folder.write("a", "first"));
  auto second = MappedFile::open(folder.write("b", "second"));
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  *first = std::move(*second);
  CHECK(first->bytes() == "second");
  const MappedFile third = std::move(*first);
  CHECK(third.bytes() == "second");
}

TEST_CASE("what is not a file is an error that says so") {
  const testing::TempDir folder;
  CHECK(MappedFile::open(folder.path()).error().message == "is a directory, not a file");
  CHECK(MappedFile::open(folder.path("missing")).error().message == "cannot open: No such file or directory");
  CHECK(MappedFile::open("/dev/null").error().message == "is a device, not a file");
  // Nobody writes to it: waiting for that would be for ever.
  REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  CHECK(MappedFile::open(folder.path("pipe")).error().message == "is a pipe, not a file");
}

TEST_CASE("compression is detected by content") {
  CHECK(detect_compression(gzip("x")) == Compression::gzip);
  CHECK(detect_compression(zstd("x")) == Compression::zstd);
  CHECK(detect_compression("{\"traceEvents\"") == Compression::none);
  CHECK(detect_compression("") == Compression::none);
  CHECK(detect_compression("\x1f") == Compression::none);
}

TEST_CASE("what was packed comes back, whatever the block size") {
  for (const std::size_t size : {0u, 1u, 999u, 1000u, 1001u, 300'000u}) {
    const std::string text = sample_text(size);
    for (const std::size_t block : {1u, 1000u, 65536u}) {
      if (block == 1 && size > 2000) continue;
      CAPTURE(size);
      CAPTURE(block);
      for (const std::string& packed : {gzip(text), zstd(text)}) {
        const auto read = inflate(packed, block);
        REQUIRE(read.ok());
        CHECK((*read == text));
      }
    }
  }
}

TEST_CASE("what inflates out of all proportion is refused as soon as that is seen") {
  const std::string zeros(std::size_t{4} << 20, '\0');
  const std::string frame = zstd(zeros);
  std::string bomb;
  while (bomb.size() < 36'000'000) bomb += frame;  // a terabyte, if anybody were to look at all of it
  auto inflater = make_inflater(Compression::zstd, bomb, "bomb.zst");
  std::vector<char> buffer(1u << 20);
  std::uint64_t got = 0;
  Result<std::size_t> read = inflater->read(buffer);
  for (; read.ok() && *read == buffer.size(); read = inflater->read(buffer)) got += *read;
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message == "it inflates to more than 250 times its size, which no recording does");
  CHECK(got >= std::uint64_t{64} << 20);
  CHECK(got < std::uint64_t{200} << 20);
  // Small ones may: a short list of equal things is nothing unusual.
  CHECK(inflate(zstd(zeros), 1u << 20)->size() == zeros.size());
}

TEST_CASE("members and frames may be concatenated, and gzip padded with zeros") {
  CHECK(*inflate(gzip("one ") + gzip("") + gzip("two")) == "one two");
  CHECK(*inflate(zstd("one ") + zstd("") + zstd("two")) == "one two");
  CHECK(*inflate(gzip("one") + std::string(512, '\0')) == "one");
  CHECK(*inflate(gzip("one") + std::string(3, '\0') + gzip("two")) == "onetwo");
}

TEST_CASE("truncated at any byte: an error with a position, never a crash or a silent end") {
  const std::string text = sample_text(5000);
  for (const std::string& packed : {gzip(text), zstd(text), gzip("one") + gzip(text), zstd("one") + zstd(text)}) {
    for (std::size_t size = 5; size < packed.size(); ++size) {
      CAPTURE(size);
      const std::string_view cut = std::string_view(packed).substr(0, size);
      const auto read = inflate(cut);
      // Cut exactly between two members nothing is missing.
      if (read.ok()) {
        CHECK(*read == "one");
        continue;
      }
      CHECK(read.error().offset <= size);
      CHECK(read.error().file == "packed");
    }
  }
}

TEST_CASE("damage at any byte never crashes, and never adds text") {
  const std::string text = sample_text(3000);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    for (std::size_t at = 4; at < packed.size(); ++at) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      const auto read = inflate(damaged);
      if (read.ok()) CHECK(read->size() < 20 * text.size());
    }
  }
}

TEST_CASE("whole files: plain, compressed, empty, too large") {
  const testing::TempDir folder;
  const std::string text = sample_text(200'000);
  CHECK(*read_whole_file(folder.write("empty"), kLimit) == "");
  CHECK((*read_whole_file(folder.write("plain", text), kLimit) == text));
  CHECK((*read_whole_file(folder.write("packed.json", gzip(text)), kLimit) == text));  // the name does not matter
  CHECK((*read_whole_file(folder.write("zst", zstd(text)), kLimit) == text));
  CHECK_FALSE(read_whole_file(folder.path("plain"), 1000).ok());
  CHECK_FALSE(read_whole_file(folder.path("packed.json"), 1000).ok());
  CHECK_FALSE(read_whole_file(folder.path("missing"), kLimit).ok());
  CHECK_FALSE(read_whole_file(folder.write("cut.gz", gzip(text).substr(0, 500)), kLimit).ok());
}

TEST_CASE("a content is the same bytes, mapped or inflated, with zeros behind them, and knows where it came from") {
  const testing::TempDir folder;
  const std::string text = sample_text(5'000'000);
  for (const std::string& path :
       {folder.write("plain", text), folder.write("gz", gzip(text)), folder.write("zst", zstd(text))}) {
    CAPTURE(path);
    std::uint64_t taken = 0;
    auto opened = FileContent::open(path, [&](std::uint64_t bytes) { taken += bytes; });
    REQUIRE(opened.ok());
    const FileContent content = std::move(*opened);
    CHECK((content.bytes() == text));
    CHECK(content.path() == path);
    CHECK(taken == (content.is_compressed() ? content.file_bytes() : 0));
    CHECK(std::string_view(content.bytes().data() + text.size(), MappedFile::kPaddingBytes) ==
          std::string(MappedFile::kPaddingBytes, '\0'));
    content.populate();
    content.release(content.bytes());
    CHECK((content.bytes() == text));
    CHECK((*read_first_bytes(path, 1000) == text.substr(0, 1000)));
  }
  CHECK((*read_first_bytes(folder.write("cut.gz", gzip(text).substr(0, 3000)), 1000) == text.substr(0, 1000)));
  CHECK_FALSE(FileContent::open(folder.path("cut.gz")).ok());
  CHECK_FALSE(read_first_bytes(folder.path("missing"), 10).ok());
}

TEST_CASE("delivered() tells what came before the damage") {
  const std::string text = sample_text(100'000);
  const std::string packed = gzip(text);
  auto inflater = make_inflater(Compression::gzip, std::string_view(packed).substr(0, packed.size() / 2), "half");
  std::vector<char> buffer(text.size() + 1);
  CHECK_FALSE(inflater->read(buffer).ok());
  const std::size_t got = inflater->delivered();
  CHECK(got > 1000);
  CHECK((std::string_view(buffer.data(), got) == std::string_view(text).substr(0, got)));
}

}  // namespace orrery
