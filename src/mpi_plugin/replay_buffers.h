// Memory of messages. What is sent is one block of zeros for all; what is received has a place of its own while it is
// under way, which is used again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace orrery::replay {

class Buffers {
 public:
  /// To be sent: MPI reads it only. As large as the largest that was asked for.
  void* sent() { return sent_.get(); }
  void reserve_sent(std::int64_t bytes) {
    if (static_cast<std::size_t>(bytes) <= sent_bytes_ && sent_ != nullptr) return;
    sent_bytes_ = static_cast<std::size_t>(bytes) + kPadding;
    sent_ = std::make_unique<char[]>(sent_bytes_);
  }

  /// Sizes are powers of two, so that what one message gave back fits the next; pages were touched, so that a run pays
  /// for none.
  char* take(std::int64_t bytes) {
    std::vector<char*>& free = free_[size_class(bytes)];
    if (!free.empty()) {
      char* const block = free.back();
      free.pop_back();
      return block;
    }
    const std::size_t size = std::size_t{1} << size_class(bytes);
    owned_.emplace_back(new char[size]);
    std::memset(owned_.back().get(), 0, size);
    return owned_.back().get();
  }
  void give_back(char* block, std::int64_t bytes) { free_[size_class(bytes)].push_back(block); }

 private:
  static constexpr std::size_t kPadding = 64;
  static std::size_t size_class(std::int64_t bytes) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes) | 63));
  }

  std::unique_ptr<char[]> sent_;
  std::size_t sent_bytes_ = 0;
  std::vector<char*> free_[64];
  std::vector<std::unique_ptr<char[]>> owned_;
};

}  // namespace orrery::replay
