// What a Kineto trace may ask for, besides what holds of every document (base/limits.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::kineto {

/// Microseconds that fit TimePs, with room for the digits behind the point; how far from the epoch a moment may lie is
/// trace::kMaxMomentPs.
inline constexpr std::int64_t kMaxUs = 9'000'000'000'000;

/// Epochs and base times beyond this (the year 2112) are not believed: the sum of the two fits 64 bits.
inline constexpr std::int64_t kMaxUnixNs = 4'500'000'000'000'000'000;

/// Members of the document that nobody asks for are kept as they are written, so that they can be written again; above
/// this they are counted and left out: a trace whose events stand under another name would be held in memory twice.
inline constexpr std::size_t kMaxPropertyBytes = std::size_t{1} << 20;

// What the skeleton learns. An event that it has no room for is parsed member by member: a trace in which every event
// looks different is read slowly, and takes no more memory.

inline constexpr std::size_t kMaxSkeletonEdges =
    8192;  ///< profilers have some tens of kinds of events, of some ten members each
inline constexpr std::size_t kMaxLiteralBytes = 240;  ///< longer texts are values, not what stands between them
inline constexpr int kMaxSiblings = 24;               ///< they are tried one after the other

/// How many times its nominal length a stretch of inflated text grows in search of a place to cut: beyond it no usual
/// event begins anywhere.
inline constexpr std::size_t kMaxStretchGrowth = 4;

}  // namespace orrery::kineto
