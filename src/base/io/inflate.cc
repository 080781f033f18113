// gzip and zlib through ISA-L, zstd through libzstd. Both accept concatenated members.
#include "base/io/inflate.h"

#include "base/io/inflate_zlib.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limits.h"

namespace orrery {
namespace {

#if defined(__x86_64__)
// ISA-L leaves the upper halves of the vector registers in use, which makes every SSE instruction that follows wait for
// them: parsing the inflated text then takes twice as long.
__attribute__((target("avx"))) void zero_upper_halves() { _mm256_zeroupper(); }
void clear_upper_halves() {
  if (__builtin_cpu_supports("avx")) zero_upper_halves();
}
#else
void clear_upper_halves() {}
#endif

constexpr const char* kDamagedHint = "copy the file again";

class GzipInflater final : public Inflater {
 public:
  GzipInflater(std::string_view bytes, std::string path, bool is_zlib)
      : Inflater(std::move(path)), bytes_(bytes), is_zlib_(is_zlib) {
    start_member();
  }

  [[nodiscard]] std::size_t consumed() const override { return position(); }

 protected:
  Result<std::size_t> inflate(std::span<char> out) override {
    while (delivered_ < out.size()) {
      // A member is over: another may follow.
      if (state_.block_state == ISAL_BLOCK_FINISH && !next_member()) break;
      // avail_out has 32 bits.
      const std::size_t room = std::min<std::size_t>(out.size() - delivered_, 1u << 30);
      refill();
      state_.next_out = reinterpret_cast<std::uint8_t*>(out.data() + delivered_);
      state_.avail_out = static_cast<std::uint32_t>(room);
      const int outcome = isal_inflate(&state_);
      clear_upper_halves();
      const std::size_t produced = room - state_.avail_out;
      delivered_ += produced;
      if (outcome != ISAL_DECOMP_OK) return failure(is_zlib_ ? "the zlib data is damaged" : "the gzip data is damaged");
      // Nothing came, and nothing is left to be read: the end is missing.
      if (produced == 0 && state_.block_state != ISAL_BLOCK_FINISH && position() == bytes_.size())
        return failure(is_zlib_ ? "the zlib data is truncated" : "the gzip file is truncated");
    }
    return delivered_;
  }

 private:
  void start_member() {
    const std::size_t at = member_start_;
    isal_inflate_init(&state_);
    state_.crc_flag = is_zlib_ ? ISAL_ZLIB : ISAL_GZIP;  // header and trailer are checked
    fed_ = at;
    state_.avail_in = 0;
    refill();
  }

  // avail_in has 32 bits; a larger file is fed in slices.
  void refill() {
    if (state_.avail_in != 0) return;
    const std::size_t slice = std::min<std::size_t>(bytes_.size() - fed_, 1u << 30);
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes_.data() + fed_));
    state_.avail_in = static_cast<std::uint32_t>(slice);
    fed_ += slice;
  }

  [[nodiscard]] std::size_t position() const { return fed_ - state_.avail_in; }

  // gzip allows members to be concatenated, and tape tools pad the end with zeros.
  bool next_member() {
    std::size_t at = position();
    while (at < bytes_.size() && bytes_[at] == '\0') ++at;
    if (is_zlib_ || detect_compression(bytes_.substr(at)) != Compression::gzip) return false;
    member_start_ = at;
    start_member();
    return true;
  }

  std::string_view bytes_;
  bool is_zlib_;
  inflate_state state_{};
  std::size_t member_start_ = 0;
  std::size_t fed_ = 0;
};

class ZstdInflater final : public Inflater {
 public:
  ZstdInflater(std::string_view bytes, std::string path)
      : Inflater(std::move(path)), stream_(ZSTD_createDStream()), in_{bytes.data(), bytes.size(), 0} {}
  ~ZstdInflater() override { ZSTD_freeDStream(stream_); }
  ZstdInflater(const ZstdInflater&) = delete;
  ZstdInflater& operator=(const ZstdInflater&) = delete;

  [[nodiscard]] std::size_t consumed() const override { return in_.pos; }

 protected:
  Result<std::size_t> inflate(std::span<char> out) override {
    ZSTD_outBuffer buffer{out.data(), out.size(), 0};
    while (buffer.pos < buffer.size) {
      const std::size_t before_in = in_.pos;
      const std::size_t before_out = buffer.pos;
      if (in_.pos == in_.size && frame_done_) break;
      const std::size_t outcome = ZSTD_decompressStream(stream_, &buffer, &in_);
      delivered_ = buffer.pos;
      if (ZSTD_isError(outcome)) return failure("the zstd data is damaged");
      frame_done_ = outcome == 0;
      // No progress in either direction: more input is needed, and there is none.
      if (!frame_done_ && in_.pos == before_in && buffer.pos == before_out)
        return failure("the zstd file is truncated");
    }
    return delivered_;
  }

 private:
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_;
  bool frame_done_ = false;
};

}  // namespace

Inflater::Inflater(std::string path) : path_(std::move(path)) {}

Error Inflater::failure(const char* what) const { return Error{what, path_, consumed(), kDamagedHint}; }

Result<std::size_t> Inflater::read(std::span<char> out) {
  delivered_ = 0;
  const Result<std::size_t> got = inflate(out);
  inflated_bytes_ += delivered_;
  // A small file must not unpack to fill the memory.
  if (inflated_bytes_ > most_inflated_bytes(consumed())) {
    return Error{
        "it inflates to more than " + std::to_string(kMostInflation) + " times its size, which no recording does",
        path_, consumed(), "if it is what you want to read, unpack it first"};
  }
  return got;
}

Compression detect_compression(std::string_view bytes) {
  // The third byte is the method, of which gzip has one.
  if (bytes.substr(0, 3) == "\x1f\x8b\x08") return Compression::gzip;
  if (bytes.substr(0, 4) == "\x28\xb5\x2f\xfd") return Compression::zstd;
  return Compression::none;
}

std::unique_ptr<Inflater> make_inflater(Compression compression, std::string_view bytes, std::string path) {
  if (compression == Compression::zstd) return std::make_unique<ZstdInflater>(bytes, std::move(path));
  return std::make_unique<GzipInflater>(bytes, std::move(path), false);
}

std::unique_ptr<Inflater> make_zlib_inflater(std::string_view bytes, std::string path) {
  return std::make_unique<GzipInflater>(bytes, std::move(path), true);
}

}  // namespace orrery
