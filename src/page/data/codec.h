// How numbers go into a page (docs/REPORT.md, codecs): bytes of equal weight side by side, so that deflate finds what
// repeats and a browser reads them without a branch.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "page/sections/section.h"

namespace orrery::page {

/// The largest whole number that a script holds exactly, and one more.
inline constexpr std::uint64_t kExactInScript = std::uint64_t{1} << 53;

/// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...: small numbers of either sign have few bytes.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63U);
}

/// How many bytes the largest value needs; at least one.
constexpr std::size_t plane_count(std::uint64_t largest) {
  return largest == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(largest)) + 7) / 8;
}

/// codec "planes": value_of(i) for i in [0, count), without a sign; it is called twice for each.
template <std::invocable<std::size_t> ValueOf>
EncodedColumn encode_planes(std::string name, std::size_t count, ValueOf&& value_of, std::string codec = "planes") {
  std::uint64_t all_bits = 0;
  for (std::size_t i = 0; i < count; ++i) all_bits |= static_cast<std::uint64_t>(value_of(i));
  EncodedColumn column{std::move(name), std::move(codec), count, {}};
  const std::size_t planes = plane_count(all_bits);
  column.bytes.resize(planes * count);
  char* const bytes = column.bytes.data();
  for (std::size_t i = 0; i < count; ++i) {
    auto value = static_cast<std::uint64_t>(value_of(i));
    for (std::size_t plane = 0; plane < planes; ++plane, value >>= 8U)
      bytes[plane * count + i] = static_cast<char>(value & 0xFFU);
  }
  return column;
}

/// codec "delta": planes of the zigzag differences, the first against 0. value_of(i) has a sign.
template <std::invocable<std::size_t> ValueOf>
EncodedColumn encode_delta(std::string name, std::size_t count, ValueOf&& value_of) {
  const auto difference = [&](std::size_t i) {
    return zigzag(static_cast<std::int64_t>(value_of(i)) -
                  (i == 0 ? std::int64_t{0} : static_cast<std::int64_t>(value_of(i - 1))));
  };
  return encode_planes(std::move(name), count, difference, "delta");
}

/// codec "u8".
EncodedColumn encode_u8(std::string name, std::span<const std::uint8_t> values);
/// codec "json": one document.
EncodedColumn encode_json(std::string name, std::string json);

/// The blob as the page has it: <script type="application/gzip;base64" ...>...</script>.
std::string blob_html(const Blob& blob);

}  // namespace orrery::page
