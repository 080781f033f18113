#include "base/io/section_file.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/interner.h"
#include "support/temp_dir.h"

using namespace orrery;

namespace {

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
};

Result<SectionFile> parse(std::string_view bytes) { return SectionFile::from_bytes(bytes, "memory", "sample", 2); }

std::string sample() {
  SectionWriter writer("sample", 2);
  static const std::vector<std::uint32_t> numbers{1, 2, 3};
  static const std::vector<std::uint8_t> none;
  static const std::vector<Pair> pairs{{1, 2}, {3, 4}};
  writer.add("nums", numbers);
  writer.add("none", none);
  writer.add("pair", pairs);
  writer.add_value("one ", std::int64_t{-5});
  const std::vector<std::string> texts{"alpha", "", "gamma"};
  writer.add_strings("text", texts.size(), [&](std::size_t i) { return texts[i]; });
  return writer.to_bytes();
}

}  // namespace

TEST_CASE("sections come back as they were added") {
  const std::string bytes = sample();
  const auto file = parse(bytes);
  REQUIRE(file.ok());
  CHECK(file->version() == 2);
  CHECK(file->path() == "memory");
  const auto numbers = file->get<std::uint32_t>("nums");
  REQUIRE(numbers.ok());
  CHECK(std::vector<std::uint32_t>(numbers->begin(), numbers->end()) == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(reinterpret_cast<std::uintptr_t>(numbers->data()) % alignof(std::uint32_t) == 0);
  CHECK(file->get<std::uint8_t>("none")->empty());
  CHECK((*file->get<Pair>("pair"))[1].second == 4);
  CHECK(*file->get_value<std::int64_t>("one ") == -5);
  const auto texts = file->get_strings("text");
  REQUIRE(texts.ok());
  REQUIRE(texts->size() == 3);
  CHECK((*texts)[0] == "alpha");
  CHECK((*texts)[1].empty());
  CHECK((*texts)[2] == "gamma");
  CHECK(file->has("nums"));
  CHECK_FALSE(file->has("numz"));
}

TEST_CASE("the strings of an interner, and none at all") {
  Interner interner;
  interner.intern("ncclKernel");
  interner.intern("gemm");
  SectionWriter writer("sample", 1);
  writer.add_strings("name", interner.size(), [&](std::size_t i) { return interner.text(static_cast<StringId>(i)); });
  writer.add_strings("zero", 0, [](std::size_t) { return ""; });
  const std::string bytes = writer.to_bytes();
  const auto file = parse(bytes);
  REQUIRE(file.ok());
  REQUIRE(file->get_strings("name")->size() == 3);
  CHECK((*file->get_strings("name"))[2] == "gemm");
  CHECK(file->get_strings("zero")->size() == 0);
}

TEST_CASE("a file without sections is a file") {
  const std::string bytes = SectionWriter("sample", 1).to_bytes();
  CHECK(bytes.size() == 64);
  CHECK(parse(bytes).ok());
}

TEST_CASE("sections lie on 64-byte borders and the same content gives the same bytes") {
  const std::string bytes = sample();
  CHECK(sample() == bytes);
  for (std::size_t i = 0; i < 5; ++i) {
    std::uint64_t offset = 0;
    std::memcpy(&offset, bytes.data() + 64 + i * 32 + 8, sizeof offset);
    CHECK(offset % 64 == 0);
  }
}

TEST_CASE("files are written whole and read by mapping") {
  const orrery::testing::TempDir dir;
  SectionWriter writer("sample", 1);
  const std::vector<double> values{0.5, 1.5};
  writer.add("real", values);
  REQUIRE(writer.write(dir.path("a.sample")).ok());
  auto opened = SectionFile::open(dir.path("a.sample"), "sample", 1);
  REQUIRE(opened.ok());
  const auto span = *opened->get<double>("real");
  const SectionFile moved = std::move(*opened);
  CHECK(moved.get<double>("real")->data() == span.data());
  CHECK(span[1] == 1.5);
  CHECK(writer.write(dir.path("a.gz")).error().message == "is not written compressed");
  CHECK_FALSE(writer.write(dir.path("no/such/folder/a")).ok());
  CHECK_FALSE(SectionFile::open(dir.path("missing"), "sample", 1).ok());
}

TEST_CASE("the format of a file can be told from its bytes") {
  CHECK(SectionFile::detect(sample()) == "sample");
  CHECK(SectionFile::detect("").empty());
  CHECK(SectionFile::detect(std::string(100, 'x')).empty());
  CHECK(SectionFile::detect(SectionWriter("exactly8", 1).to_bytes()) == "exactly8");
  CHECK(SectionFile::from_bytes(SectionWriter("exactly8", 1).to_bytes(), "m", "exactly8", 1).ok());
}

TEST_CASE("errors say what is wrong, where and what to do") {
  const auto message = [](std::string_view bytes) {
    const auto file = parse(bytes);
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().file == "memory");
    CHECK(file.error().offset != Error::kNoOffset);
    CHECK_FALSE(file.error().hint.empty());
    return file.error().message;
  };
  const std::string good = sample();
  const auto with = [&](std::size_t at, std::string_view replacement) {
    return std::string(good).replace(at, replacement.size(), replacement);
  };
  CHECK(message("") == "is empty");
  CHECK(message("{}") == "is not an Orrery sample file");
  CHECK(message("\x1f\x8b\x08 gzip") == "is not an Orrery sample file");
  CHECK(parse("\x1f\x8b\x08 gzip").error().hint == "it is compressed: unpack it first");
  CHECK(message(good.substr(0, 8)) == "ends inside the header");
  CHECK(message(good.substr(0, 63)) == "ends inside the header");
  CHECK(message(with(8, "other")) == "holds 'othere', not 'sample'");
  CHECK(message(with(16, "\x03")) == "has version 3; this program reads versions up to 2");
  CHECK(message(with(20, "\x01")) == "has another byte order, or is damaged");
  CHECK(message(good.substr(0, good.size() - 1)).find("has ") == 0);
  CHECK(message(with(70, "\x55")) == "the header does not match its checksum");
  std::uint64_t offset = 0;
  std::memcpy(&offset, good.data() + 64 + 8, sizeof offset);
  const auto flipped = parse(with(offset + 1, "\x55"));
  CHECK(flipped.error().message == "section 'nums' does not match its checksum");
  CHECK(flipped.error().offset == offset);
  CHECK(message(with(offset + 13, "\x55")).find("the bytes before section") == 0);
}

TEST_CASE("one changed byte anywhere, or any cut, is noticed") {
  const std::string good = sample();
  for (std::size_t at = 0; at < good.size(); ++at) {
    CAPTURE(at);
    for (const int bit : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ bit);
      CHECK_FALSE(parse(bad).ok());
    }
    CHECK_FALSE(parse(std::string_view(good).substr(0, at)).ok());
  }
}

TEST_CASE("asking for what is not there is an error") {
  const std::string bytes = sample();
  const auto file = parse(bytes);
  REQUIRE(file.ok());
  CHECK(file->get<std::uint32_t>("numz").error().message == "has no section 'numz'");
  CHECK(file->get<std::uint64_t>("nums").error().message == "section 'nums' holds values of 4 bytes instead of 8");
  CHECK(file->get_value<std::uint32_t>("nums").error().message == "section 'nums' should hold exactly one value");
  CHECK(file->get_strings("none").error().message == "section 'none' is too short for a table of strings");
  CHECK_FALSE(file->get_strings("nums").ok());
}

TEST_CASE("a table of strings is checked before it is used") {
  const auto strings = [](const std::vector<std::uint64_t>& head, const std::string& text) {
    SectionWriter writer("sample", 1);
    const std::string content = std::string(reinterpret_cast<const char*>(head.data()), head.size() * 8) + text;
    writer.add("text", content);
    const std::string bytes = writer.to_bytes();
    const auto file = parse(bytes);
    REQUIRE(file.ok());
    const auto table = file->get_strings("text");
    return table.ok() ? std::string() : table.error().message;
  };
  CHECK(strings({2, 1, 3}, "abc").empty());
  CHECK(strings({2, 1}, "abc").find("is too short for its 2 strings") != std::string::npos);
  CHECK(strings({~std::uint64_t{0}, 1}, "abc").find("is too short") != std::string::npos);
  CHECK(strings({2, 3, 1}, "abc").find("a string ends before it begins") != std::string::npos);
  CHECK(strings({2, 1, 4}, "abc").find("a string ends before it begins or after") != std::string::npos);
  CHECK(strings({2, 1, 2}, "abc").find("has text that belongs to no string") != std::string::npos);
  CHECK(strings({0}, "a").find("has text that belongs to no string") != std::string::npos);
}

TEST_CASE("random bytes behind a sound beginning never crash") {
  CHECK(rc::check([] {
    std::string bytes = sample();
    const auto changes = *rc::gen::inRange(1, 20);
    for (int i = 0; i < changes; ++i)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
    const auto file = parse(bytes);
    if (file.ok()) RC_ASSERT(bytes == sample());
  }));
}
