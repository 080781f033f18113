// Ways to read a text as a Kineto trace: from a file, packed, in windows, in parts.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "formats/kineto/diagnostics.h"
#include "formats/kineto/reader.h"
#include "rank_text.h"
#include "support/temp_dir.h"

namespace orrery::kineto::testing {

/// The thread count for as long as it lives; one thread afterwards.
class Threads {
 public:
  explicit Threads(std::size_t count) { set_thread_count(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_thread_count(1); }
};

inline Reading read_file(const std::string& path, const ReadOptions& options = {}) {
  Reading reading;
  reading.path = path;
  auto rank = read_rank(path, reading.strings, reading.diagnostics, options);
  if (rank) reading.rank.emplace(std::move(*rank));
  else reading.error = rank.error();
  if (reading.rank) CHECK(find_fault(*reading.rank, reading.strings) == "");
  return reading;
}

inline Reading read_text(std::string_view text, const ReadOptions& options = {}) {
  static const orrery::testing::TempDir folder;
  return read_file(folder.write("trace.json", text), options);
}

/// A document with these events: event, event, ...
inline std::string document(std::string_view events) {
  return R"({"schemaVersion": 1, "traceEvents": [)" + std::string(events) + "]}";
}

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
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

inline std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);  // as the zstd program does
  const std::size_t size = ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  REQUIRE_FALSE(ZSTD_isError(size));
  packed.resize(size);
  return packed;
}

/// Empty when equal, else the first line that differs: for texts too long to be printed.
inline std::string first_difference(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return {};
  const std::size_t line = at == 0                                           ? 0
                           : a.rfind('\n', at - 1) == std::string_view::npos ? 0
                                                                             : a.rfind('\n', at - 1) + 1;
  const auto line_of = [&](std::string_view text) {
    return line >= text.size() ? "(nothing)"
                               : std::string(text.substr(line, std::min(text.find('\n', line), text.size()) - line));
  };
  return "first:  " + line_of(a) + "\nsecond: " + line_of(b);
}

}  // namespace orrery::kineto::testing
