#include "base/plain/pickle_memo.h"

#include <cstdint>

#include "base/plain/pickle_opcodes.h"

namespace orrery {
namespace {

class OpcodeWalk {
 public:
  explicit OpcodeWalk(std::string_view pickle) : p_(pickle.data()), end_(p_ + pickle.size()) {}

  std::vector<bool> walk() {
    // Whoever counts puts no more values than there are bytes; a number beyond would only make the table large.
    const auto most = static_cast<std::uint64_t>(end_ - p_);
    std::vector<bool> fetched;
    while (p_ < end_) {
      std::uint64_t number = most;
      switch (static_cast<unsigned char>(*p_++)) {
        case kStop: return fetched;
        case kBinGet: number = take(1); break;
        case kLongBinGet: number = take(4); break;
        case kProto:
        case kBinInt1:
        case kBinPut: skip(1); break;
        case kBinInt2: skip(2); break;
        case kBinInt:
        case kLongBinPut: skip(4); break;
        case kBinFloat:
        case kFrame: skip(8); break;
        case kLong1:
        case kShortBinUnicode:
        case kShortBinBytes: skip(take(1)); break;
        case kLong4:
        case kBinUnicode:
        case kBinBytes: skip(take(4)); break;
        case kBinUnicode8: skip(take(8)); break;
        default: break;
      }
      if (number >= most) continue;
      if (number >= fetched.size()) fetched.resize(static_cast<std::size_t>(number) + 1, false);
      fetched[static_cast<std::size_t>(number)] = true;
    }
    return fetched;
  }

 private:
  std::uint64_t take(std::size_t width) {
    if (static_cast<std::size_t>(end_ - p_) < width) return p_ = end_, 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{static_cast<unsigned char>(p_[i])} << (8 * i);
    p_ += width;
    return value;
  }
  void skip(std::uint64_t bytes) { p_ += bytes < static_cast<std::uint64_t>(end_ - p_) ? bytes : end_ - p_; }

  const char* p_;
  const char* end_;
};

}  // namespace

std::vector<bool> fetched_numbers(std::string_view pickle) { return OpcodeWalk(pickle).walk(); }

}  // namespace orrery
