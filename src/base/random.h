// Random numbers that are the same on every machine: the distributions of the standard library differ between
// libraries.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace orrery {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). Moves `state` on.
inline std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// At least 0 and below 1.
inline double next_uniform(std::uint64_t& state) { return static_cast<double>(next_random(state) >> 11) * 0x1p-53; }

/// Of mean 0 and standard deviation 1 (Box and Muller, 1958).
inline double next_gaussian(std::uint64_t& state) {
  const double radius = std::sqrt(-2 * std::log(1 - next_uniform(state)));
  return radius * std::cos(2 * std::numbers::pi * next_uniform(state));
}

}  // namespace orrery
