#include "formats/xspace/copy_sink.h"

namespace orrery::xspace {

std::uint64_t hash_contents(const Contents& contents) {
  constexpr std::size_t kBlockBytes = 4u << 20;
  const std::string_view bytes = contents.bytes();
  ContentHash hash;
  for (std::size_t at = 0; at < bytes.size(); at += kBlockBytes) {
    const std::string_view block = bytes.substr(at, kBlockBytes);
    hash.add(block);
    contents.release(block);
  }
  return hash.xxh3();
}

}  // namespace orrery::xspace
