// Where the fields of a binary GOAL schedule lie; all numbers are little endian and packed. See docs/formats/goal.md.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace orrery::goal {

static_assert(std::endian::native == std::endian::little, "binary schedules are little endian");

inline constexpr std::uint64_t kCookie = 4223;
inline constexpr std::uint64_t kConsumedCookie =
    2342;  ///< left behind by LogGOPSim --save-mem, which counts dependencies down in the file
inline constexpr std::uint32_t kAny = ~std::uint32_t{0};  ///< a peer or a tag that matches any

inline constexpr std::size_t kCookieBytes = 8;       ///< positions of ranks are counted from behind the cookie
inline constexpr std::size_t kHeaderBytes = 4 + 2;   ///< ranks, largest cpu number, largest nic number
inline constexpr std::size_t kRankEntryBytes = 16;   ///< begin and end of the rank's block
inline constexpr std::size_t kBlockHeaderBytes = 8;  ///< nodes, roots
inline constexpr std::size_t kNodeBytes = 39;

namespace node_offset {
inline constexpr std::size_t dependencies = 0, type = 4, peer = 5, size = 9, tag = 17, cpu = 21, nic = 22,
                             dependents = 23, first_dependent = 27, start_dependents = 31, first_start_dependent = 35;
}

enum class NodeType : std::uint8_t { send = 1, recv = 2, calc = 3 };

template <typename T>
T load(const char* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace orrery::goal
