// What an input may ask for. Readers size nothing by what a file claims before it is held against these: a bound that
// grows with the file, so that honest files of any size are read and a few hostile bytes get nowhere; or, of what no
// honest file comes near, a constant. What only one format knows is bounded in its own folder: formats/kineto/limits.h,
// or beside the field that it bounds.
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
inline constexpr std::size_t kMaxCsvBytes = std::size_t{256}
                                            << 20;     ///< every cell becomes a text of its own, many times as large
inline constexpr std::size_t kMaxKeyFileBytes = 4096;  ///< 64 digits, and room for somebody's editor

// Descriptions in YAML: people write them, so that little is plenty; the parser goes down by calling itself, and looks
// for a key twice.

inline constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxYamlDepth = 16;
inline constexpr std::size_t kMaxYamlKeys = 1000;     ///< of one mapping
inline constexpr std::size_t kMaxYamlItems = 20'000;  ///< of one sequence: an explicit network lists its cables

/// Devices of a machine. Some 400 bytes are kept of each: a million is more than anybody has, and what a simulation can
/// still be asked about.
inline constexpr std::uint32_t kMaxDevices = std::uint32_t{1} << 20;

/// What columns keep in 32 bits: rows, and the lengths of texts.
inline constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

/// How many times its own size a compressed file may inflate to, at every point of it. Recordings shrink 10 to 50
/// times; what shrinks more than this is one text repeated, and was made to fill a memory.
inline constexpr std::uint64_t kMostInflation = 250;

/// The most that the first so many compressed bytes of a file may inflate to. So it is known early: a file of zeros,
/// which gzip shrinks 1,030 times, ends here after 80 MB, however long it is. Small ones may inflate to 64 MiB whatever
/// they are: no memory is filled by that.
constexpr std::uint64_t most_inflated_bytes(std::uint64_t compressed_bytes) {
  return (std::uint64_t{64} << 20) + kMostInflation * compressed_bytes;
}

/// How many things a file of `bytes` can hold if each takes at least `least_bytes`: what a count that it claims is held
/// against before anything is sized by it.
constexpr std::uint64_t most_in(std::uint64_t bytes, std::uint64_t least_bytes) { return bytes / least_bytes; }

}  // namespace orrery
