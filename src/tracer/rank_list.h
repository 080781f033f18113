// The world ranks of a group, in its order. Groups are mostly even (0 1 2 3, 1 5 9 13), and those take no memory to
// speak of.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/byte_buffer.h"
#include "tracer/layout.h"

namespace orrery::tracer {

class RankList {
 public:
  RankList() = default;
  explicit RankList(std::vector<int> ranks) : size_(static_cast<int>(ranks.size())) {
    if (size_ > 0) first_ = ranks[0];
    if (size_ > 1) stride_ = ranks[1] - ranks[0];
    for (int i = 0; i < size_; ++i) {
      if (ranks[static_cast<std::size_t>(i)] == first_ + i * stride_) continue;
      uneven_ = std::move(ranks);
      return;
    }
  }

  [[nodiscard]] int size() const { return size_; }
  /// kForeignRank for a place that the group does not have, or of a process of another world.
  [[nodiscard]] std::int64_t operator[](int place) const {
    if (place < 0 || place >= size_) return kForeignRank;
    return uneven_.empty() ? first_ + place * stride_ : uneven_[static_cast<std::size_t>(place)];
  }
  friend bool operator==(const RankList& a, const RankList& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

  /// varint size, then runs: signed first, signed stride, varint length, until the size is reached.
  void encode(ByteBuffer& into) const {
    into.number(static_cast<std::uint64_t>(size_));
    for (int begin = 0; begin < size_;) {
      const std::int64_t stride = begin + 1 < size_ ? (*this)[begin + 1] - (*this)[begin] : 0;
      int end = begin + 1;
      while (end < size_ && (*this)[end] == (*this)[end - 1] + stride) ++end;
      into.signed_number((*this)[begin]);
      into.signed_number(stride);
      into.number(static_cast<std::uint64_t>(end - begin));
      begin = end;
    }
  }

  [[nodiscard]] std::uint64_t hash() const {
    ByteBuffer bytes;
    encode(bytes);
    return checksum(bytes.data(), bytes.size(), 0);
  }

 private:
  int size_ = 0;
  int first_ = 0;
  int stride_ = 0;
  std::vector<int> uneven_;  // empty: first_ + i * stride_
};

}  // namespace orrery::tracer
