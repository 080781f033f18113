#include "base/io/compressed.h"

#include <zstd.h>

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

}  // namespace orrery
