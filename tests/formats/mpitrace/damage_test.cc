// Files that were cut or changed on their way: what stands before the damage is read, and nothing goes unnoticed.
#include <doctest/doctest.h>

#include "formats/mpitrace/diagnostics.h"
#include "formats/mpitrace/file_builder.h"
#include "formats/mpitrace/file_walk.h"
#include "formats/mpitrace/reader.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

std::string shipped_bytes() { return read_file(std::string(ORRERY_SOURCE_DIR) + "/data/mpi/halo9/run.4.mpitrace"); }

/// Several blocks, small enough to try every byte.
std::string small_file() {
  FileBuilder file(0, 2);
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 4; ++i) file.call(block == 1 ? "MPI_Barrier" : "MPI_Wait", 10, 5);
    if (block < 2) file.end_block(5000 + 100 * static_cast<std::uint64_t>(block));
  }
  return file.file();
}

Result<trace::RankTrace> parse(const std::string& bytes, Diagnostics& diagnostics, bool salvage = false) {
  Interner strings;
  return mpitrace::parse_rank(bytes, "damaged", strings, diagnostics, {.salvage = salvage});
}

}  // namespace

TEST_CASE("a file that is cut anywhere behind its head is read up to the cut, and says so") {
  for (const std::string& whole : {small_file(), shipped_bytes()}) {
    const std::size_t head = mpitrace::read_file_head(whole, "whole")->bytes;
    std::size_t before = 0;
    for (std::size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 37) {
      Diagnostics diagnostics;
      const Result<trace::RankTrace> rank = parse(whole.substr(0, size), diagnostics);
      CAPTURE(size);
      REQUIRE(rank.ok() == (size >= head));
      if (!rank) continue;
      CHECK(rank->event_count() >= before);
      before = rank->event_count();
      CHECK(diagnostics.count(mpitrace::kNotFinished) + diagnostics.count(mpitrace::kCut) >= 1);
    }
    Diagnostics none;
    CHECK(parse(whole, none)->event_count() >= before);
    CHECK(none.empty());
  }
}

TEST_CASE("the block that a killed program had not finished is read up to its last record") {
  const std::string whole = small_file();
  std::vector<std::size_t> blocks;
  for (std::size_t at = mpitrace::read_file_head(whole, "whole")->bytes; at < whole.size();) {
    blocks.push_back(at);
    std::uint32_t payload_bytes = 0;
    std::memcpy(&payload_bytes, whole.data() + at + 4, 4);
    at += tracer::kBlockHeadBytes + payload_bytes;
  }
  REQUIRE(blocks.size() == 3);
  Diagnostics none;
  const std::size_t all = parse(whole, none)->event_count();
  const auto open = [&](std::size_t block, std::size_t size) {
    std::string bytes = whole.substr(0, size);
    std::uint64_t base_ns = 0;
    std::memcpy(&base_ns, bytes.data() + block + 8, 8);
    const std::uint32_t check = tracer::block_check(tracer::kOpenBlock, base_ns);
    std::memcpy(bytes.data() + block, &check, 4);
    std::memcpy(bytes.data() + block + 4, &tracer::kOpenBlock, 4);
    std::memset(bytes.data() + block + 16, 0, 8);
    return bytes;
  };
  for (const std::size_t zeros : {0, 1, 7, 5000}) {
    CAPTURE(zeros);
    Diagnostics diagnostics;
    CHECK(parse(open(blocks[2], whole.size()) + std::string(zeros, '\0'), diagnostics)->event_count() == all);
    CHECK(diagnostics.count(mpitrace::kCut) == 1);
    // Killed between two blocks, or before the first.
    Diagnostics between;
    CHECK(parse(whole.substr(0, blocks[2]) + std::string(zeros, '\0'), between)->event_count() == all - 4);
    CHECK(between.count(mpitrace::kNotFinished) == 1);
    Diagnostics before;
    CHECK(parse(whole.substr(0, blocks[0]) + std::string(zeros, '\0'), before)->event_count() == 0);
  }
  // Of a record that was being written only what comes before its kind is there.
  std::string bytes = open(blocks[2], whole.size());
  Diagnostics diagnostics;
  for (std::size_t at = blocks[2] + tracer::kBlockHeadBytes; at < bytes.size(); ++at) {
    std::string cut = bytes;
    cut[at] = '\0';
    const auto rank = parse(cut.substr(0, at + 1) + std::string(100, '\0'), diagnostics, true);
    REQUIRE(rank.ok());
    CHECK(rank->event_count() <= all);
  }
}

TEST_CASE("a bit that flips anywhere is noticed, and what stands before it can be salvaged") {
  const std::string whole = small_file();
  const std::size_t head = mpitrace::read_file_head(whole, "whole")->bytes;
  Diagnostics none;
  const std::size_t all = parse(whole, none)->event_count();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      CAPTURE(at);
      Diagnostics diagnostics;
      const Result<trace::RankTrace> rank = parse(flipped, diagnostics);
      REQUIRE_FALSE(rank.ok());
      CHECK(rank.error().file == "damaged");
      if (at < head) continue;
      CHECK(rank.error().remedy == Remedy::salvage);
      const Result<trace::RankTrace> salvaged = parse(flipped, diagnostics, true);
      REQUIRE(salvaged.ok());
      CHECK(salvaged->event_count() < all);
      CHECK(diagnostics.count(mpitrace::kSalvaged) == 1);
    }
  }
}

TEST_CASE("records that make no sense are damage, however good their checksum is") {
  const auto refused = [](const auto& spoil) {
    FileBuilder file(0, 2);
    file.call("MPI_Wait", 10, 5);
    spoil(file);
    Diagnostics diagnostics;
    const Result<trace::RankTrace> rank = parse(file.file(), diagnostics);
    REQUIRE_FALSE(rank.ok());
    CHECK(rank.error().message == "a record makes no sense");
    CHECK(parse(file.file(), diagnostics, true)->event_count() == 1);
  };
  const auto body_of = [](std::initializer_list<std::uint64_t> numbers) {
    tracer::ByteBuffer body;
    for (const std::uint64_t number : numbers) body.number(number);
    return body;
  };
  SUBCASE("a call of a function without a name") {
    refused([&](FileBuilder& file) { file.record(tracer::RecordKind::call, body_of({99, 0, 0, 0, 0, 0})); });
  }
  SUBCASE("a call that is too short") {
    refused([&](FileBuilder& file) { file.record(tracer::RecordKind::call, body_of({1, 0, 0})); });
  }
  SUBCASE("a list longer than any group") {
    refused([&](FileBuilder& file) {
      file.record(tracer::RecordKind::call,
                  body_of({1, 0, 0, 0, 0, tracer::kSendCounts, 1'000'000'000, 1, 1'000'000'000}));
    });
  }
  SUBCASE("a peer outside of the world") {
    refused([&](FileBuilder& file) {
      file.record(tracer::RecordKind::call, body_of({1, 0, 0, 0, 0, tracer::kDestination, 4}));
    });
  }
  SUBCASE("a text with a number that is taken") {
    refused([&](FileBuilder& file) { file.record(tracer::RecordKind::text, body_of({1})); });
  }
  SUBCASE("a communicator with members outside of the world") {
    refused([&](FileBuilder& file) { file.communicator("odd", 0, {0, 7}); });
  }
}

TEST_CASE("another version is refused with a sentence") {
  std::string file = small_file();
  file[8] = 9;
  Diagnostics diagnostics;
  const Result<trace::RankTrace> rank = parse(file, diagnostics);
  REQUIRE_FALSE(rank.ok());
  CHECK(rank.error().message == "version 9 of the format, and this program knows version 1");
}
