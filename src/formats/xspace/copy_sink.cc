#include "formats/xspace/copy_sink.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orrery::xspace {
namespace {

constexpr std::size_t kBlockBytes = 4u << 20;

}  // namespace

struct CopySink::Hash {
  XXH3_state_t state;
};

CopySink::CopySink(OutputFile& file) : file_(file), hash_(std::make_unique<Hash>()) { XXH3_64bits_reset(&hash_->state); }
CopySink::~CopySink() = default;

void CopySink::write(std::string_view bytes) {
  file_.write(bytes);
  XXH3_64bits_update(&hash_->state, bytes.data(), bytes.size());
  bytes_ += bytes.size();
}

std::uint64_t CopySink::xxh3() const { return XXH3_64bits_digest(&hash_->state); }

std::uint64_t hash_contents(const Contents& contents) {
  const std::string_view bytes = contents.bytes();
  const auto state = std::make_unique<XXH3_state_t>();
  XXH3_64bits_reset(state.get());
  for (std::size_t at = 0; at < bytes.size(); at += kBlockBytes) {
    const std::string_view block = bytes.substr(at, kBlockBytes);
    XXH3_64bits_update(state.get(), block.data(), block.size());
    contents.release(block);
  }
  return XXH3_64bits_digest(state.get());
}

}  // namespace orrery::xspace
