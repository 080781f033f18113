// The key of the hash that new names are made with, and the hash: HMAC-SHA-256. Without the key nobody can try names
// until one fits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::scrub {

inline constexpr std::size_t kKeyBytes = 32;
using Key = std::array<std::uint8_t, kKeyBytes>;

/// From the system's generator.
Result<Key> random_key();

/// The key in the file at `path` (64 hexadecimal digits); if there is no file, a random one, which is written there for
/// its owner alone (mode 0600). An Error if the file is no key.
Result<Key> load_or_create_key(const std::string& path);

/// The first 64 bits of HMAC-SHA-256. A few microseconds: callers remember what they have asked for.
std::uint64_t keyed_hash(const Key& key, std::string_view text);

/// Sixteen hexadecimal digits.
std::string to_hex(std::uint64_t hash);

}  // namespace orrery::scrub
