// Feeds arbitrary bytes to the reader of liborrery_mpi's files: as a file, and as the payload of a block whose
// checksums are right, since those would keep everything else away from the records.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/mpitrace/clock_map.h"
#include "formats/mpitrace/reader.h"
#include "tracer/byte_buffer.h"
#include "tracer/layout.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::string with_checksums(std::string_view payload) {
  namespace tracer = orrery::tracer;
  tracer::ByteBuffer head, file;
  for (const std::uint64_t number : {1, 8, 0, 0, 0, 1}) head.number(number);
  for (int i = 0; i < 3; ++i) head.text("text");
  file.raw(tracer::kMagic, tracer::kMagicBytes);
  file.fixed(tracer::kVersion);
  file.fixed(static_cast<std::uint32_t>(head.size()));
  file.raw(head.data(), head.size());
  file.fixed(tracer::checksum(head.data(), head.size(), tracer::kVersion));
  file.fixed(tracer::block_check(static_cast<std::uint32_t>(payload.size()), 0));
  file.fixed(static_cast<std::uint32_t>(payload.size()));
  file.fixed(std::uint64_t{0});
  file.fixed(tracer::checksum(payload.data(), payload.size(), 0));
  file.raw(payload.data(), payload.size());
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

std::size_t read(std::string_view bytes, bool salvage) {
  orrery::Interner strings;
  orrery::Diagnostics diagnostics;
  const auto rank = orrery::mpitrace::parse_rank(bytes, "fuzz.mpitrace", strings, diagnostics, {.salvage = salvage});
  if (!rank) {
    require(rank.error().file == "fuzz.mpitrace" && !rank.error().message.empty(), "an error without its file");
    return 0;
  }
  for (orrery::trace::EventIndex e = 0; e < rank->event_count(); ++e) {
    require(rank->lane[e] < rank->lanes.size() && rank->name[e] < strings.size(), "an event without its lane or name");
    require(rank->duration[e] >= 0, "an event that ends before it begins");
  }
  return rank->event_count();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes, true);
  const std::string file = with_checksums(bytes);
  const std::size_t strict = read(file, false);
  require(read(file, true) >= strict, "salvaging finds less than reading");
  return 0;
}
