#include "base/io/gzip.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

namespace orrery {
namespace {

constexpr int kFastest = 1;  // the others take longer than what is saved by them is worth

}  // namespace

Compressed::Compressed(std::string_view bytes) : size_(bytes.size()) {
  if (bytes.empty()) return;
  std::string room(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t used = ZSTD_compress(room.data(), room.size(), bytes.data(), bytes.size(), kFastest);
  if (ZSTD_isError(used) != 0) throw std::bad_alloc();  // of what it was given, nothing else can fail
  packed_.assign(room, 0, used);
}

std::string Compressed::bytes() const {
  std::string bytes(size_, '\0');
  if (bytes.empty()) return bytes;
  const std::size_t made = ZSTD_decompress(bytes.data(), bytes.size(), packed_.data(), packed_.size());
  if (ZSTD_isError(made) != 0 || made != size_) throw std::bad_alloc();  // it was made here, and is whole
  return bytes;
}

namespace {

/// Byte planes of sorted numbers: above this level deflate takes twice the time for a hundredth of the bytes
/// (docs/PERFORMANCE.md).
constexpr int kLevel = 5;
/// zlib counts in 32 bits.
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;

class Deflater {
 public:
  explicit Deflater(std::string& out) : out_(out) {
    // windowBits 15 + 16: with the head of gzip.
    if (::deflateInit2(&stream_, kLevel, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { ::deflateEnd(&stream_); }

  void take(std::string_view bytes, int mode) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int outcome = Z_OK;
    do {
      const std::size_t had = out_.size();
      out_.resize(had + kStep);
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + had);
      stream_.avail_out = static_cast<uInt>(kStep);
      outcome = ::deflate(&stream_, mode);
      out_.resize(had + kStep - stream_.avail_out);
    } while (stream_.avail_in > 0 || (mode == Z_FINISH && outcome != Z_STREAM_END));
  }

 private:
  static constexpr std::size_t kStep = 64 * 1024;
  std::string& out_;
  z_stream stream_{};
};

}  // namespace

std::string gzip(std::span<const std::string_view> parts) {
  std::string out;
  Deflater deflater(out);
  for (std::string_view part : parts) {
    while (!part.empty()) {
      const std::string_view piece = part.substr(0, kLargestPiece);
      deflater.take(piece, Z_NO_FLUSH);
      part.remove_prefix(piece.size());
    }
  }
  deflater.take({}, Z_FINISH);
  return out;
}

}  // namespace orrery
