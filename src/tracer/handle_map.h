// What is known about an MPI handle (a pointer in some implementations, an int in others): a hash table without an
// allocation per entry.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace orrery::tracer {

/// Handles are compared by their bytes; the standard lets them be assigned and compared, and no implementation has more
/// to them.
template <typename Handle>
std::uint64_t key_of(Handle handle) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the handle itself, which may be a pointer
  static_assert(sizeof(Handle) <= sizeof(std::uint64_t));
  std::uint64_t key = 0;
  std::memcpy(&key, &handle, sizeof handle);  // NOLINT(bugprone-sizeof-expression)
  return key;
}

/// Linear probing, at most half full; erasing moves what follows back, so that there are no tombstones. Pointers are
/// good until the next put or erase.
template <typename Value>
class HandleMap {
 public:
  Value* find(std::uint64_t key) {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(key); slots_[at].used; at = next(at)) {
      if (slots_[at].key == key) return &slots_[at].value;
    }
    return nullptr;
  }

  Value& put(std::uint64_t key, Value value) {
    if (Value* known = find(key)) return *known = std::move(value);
    if (2 * (count_ + 1) > slots_.size()) grow();
    ++count_;
    return place(key, std::move(value));
  }

  void erase(std::uint64_t key) {
    if (slots_.empty()) return;
    std::size_t hole = home(key);
    while (slots_[hole].used && slots_[hole].key != key) hole = next(hole);
    if (!slots_[hole].used) return;
    --count_;
    for (std::size_t at = next(hole); slots_[at].used; at = next(at)) {
      // An entry may move back only if that does not take it before the slot where its search begins.
      const std::size_t wanted = home(slots_[at].key);
      if (((at - wanted) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = std::move(slots_[at]);
      hole = at;
    }
    slots_[hole] = Slot{};
  }

  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    bool used = false;
    Value value{};
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask();
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask(); }

  Value& place(std::uint64_t key, Value value) {
    std::size_t at = home(key);
    while (slots_[at].used) at = next(at);
    slots_[at] = Slot{key, true, std::move(value)};
    return slots_[at].value;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.used) place(slot.key, std::move(slot.value));
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t count_ = 0;
};

}  // namespace orrery::tracer
