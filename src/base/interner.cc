#include "base/interner.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace orrery {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;

}  // namespace

Interner::Interner() {
  rehash(1024);
  // Number 0 is the empty text: a column that was filled with zeros holds no names.
  intern("");
}

StringId Interner::intern(std::string_view text) {
  const std::uint64_t hash64 = XXH3_64bits(text.data(), text.size());
  const auto hash = static_cast<std::uint32_t>(hash64 >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash64 & mask;
  for (; slots_[at].id_plus_one != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    // The upper half of the hash: the lower one chose the slot, and says little more there.
    if (slot.hash != hash) continue;
    const Text& known = texts_[slot.id_plus_one - 1];
    if (known.size == text.size() && (text.empty() || std::memcmp(known.data, text.data(), text.size()) == 0))
      return slot.id_plus_one - 1;
  }
  const auto id = static_cast<StringId>(texts_.size());
  texts_.push_back({store(text), text.size()});
  slots_[at] = {hash, id + 1};
  // At most half full, so that a search meets an empty slot soon.
  if (texts_.size() * 2 > slots_.size()) rehash(slots_.size() * 4);
  return id;
}

StringId Interner::find(std::string_view text) const {
  const std::uint64_t hash64 = XXH3_64bits(text.data(), text.size());
  const auto hash = static_cast<std::uint32_t>(hash64 >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash64 & mask; slots_[at].id_plus_one != 0; at = (at + 1) & mask) {
    const StringId id = slots_[at].id_plus_one - 1;
    if (slots_[at].hash == hash && this->text(id) == text) return id;
  }
  return kMissing;
}

std::size_t Interner::memory_bytes() const {
  std::size_t bytes = texts_.memory_bytes() + slots_.memory_bytes();
  for (const auto& block : blocks_) bytes += block.memory_bytes();
  return bytes;
}

const char* Interner::store(std::string_view text) {
  if (text.empty()) return "";
  // A block is never grown once it holds a text, so that views into it stay valid.
  if (blocks_.empty() || blocks_.back().memory_bytes() - blocks_.back().size() < text.size()) {
    blocks_.emplace_back().reserve(std::max(kBlockBytes, text.size()));
  }
  Column<char>& block = blocks_.back();
  const std::size_t start = block.size();
  block.append(std::span<const char>(text.data(), text.size()));
  return block.data() + start;
}

void Interner::rehash(std::size_t slots) {
  slots_.assign(slots, Slot{0, 0});
  const std::size_t mask = slots - 1;
  for (std::size_t id = 0; id < texts_.size(); ++id) {
    const std::uint64_t hash64 = XXH3_64bits(texts_[id].data, texts_[id].size);
    std::size_t at = hash64 & mask;
    while (slots_[at].id_plus_one != 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::uint32_t>(hash64 >> 32), static_cast<StringId>(id + 1)};
  }
}

}  // namespace orrery
