// The size and hash of bytes that come piece by piece: what tells whether a restored file is the original.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace orrery {

/// XXH3 with 64 bits: the same for the same bytes, however they were cut into pieces. O(1) per call beside the bytes.
class ContentHash {
 public:
  ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;
  ~ContentHash();

  void add(std::string_view bytes);
  /// Of all that was added so far; more may follow.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t xxh3() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
};

}  // namespace orrery
