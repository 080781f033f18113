#include "base/content_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orrery {

struct ContentHash::State {
  XXH3_state_t xxh3;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view bytes) {
  XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
  bytes_ += bytes.size();
}

std::uint64_t ContentHash::xxh3() const { return XXH3_64bits_digest(&state_->xxh3); }

}  // namespace orrery
