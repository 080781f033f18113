// What an input may ask for. Readers size nothing by what a file claims before it is held against these: a bound that grows with the file, so
// that honest files of any size are read and a few hostile bytes get nowhere; or, of what no honest file comes near, a constant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace orrery {

/// Brackets within brackets, of any document. Parsers go down by calling themselves, and a thread's stack is small.
inline constexpr int kMaxDepth = 512;

/// One value of a document that is read in windows: a window must hold all of it.
inline constexpr std::size_t kMaxValueBytes = std::size_t{1} << 30;

// Files that are read into memory as a whole, by what they are.

inline constexpr std::size_t kMaxRecordingBytes = std::size_t{4} << 30;
inline constexpr std::size_t kMaxConfigurationBytes = std::size_t{64} << 20;  ///< written by hand or by a script

/// What columns keep in 32 bits: rows, and the lengths of texts.
inline constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

/// How many times its own size a compressed file may inflate to. Recordings shrink 10 to 100 times; what shrinks more is one byte repeated, and
/// was made to fill a memory.
inline constexpr std::uint64_t kMostInflation = 1'000;

/// The most that so many compressed bytes may inflate to. Small ones may inflate to 64 MiB whatever they are: no memory is filled by that.
constexpr std::uint64_t most_inflated_bytes(std::uint64_t compressed_bytes) {
  return std::max(std::uint64_t{64} << 20, kMostInflation * compressed_bytes);
}

/// How many things a file of `bytes` can hold if each takes at least `least_bytes`: what a count that it claims is held against before
/// anything is sized by it.
constexpr std::uint64_t most_in(std::uint64_t bytes, std::uint64_t least_bytes) { return bytes / least_bytes; }

}  // namespace orrery
