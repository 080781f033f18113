#include "scrub/time_shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/int128.h"
#include "base/time_text.h"

namespace orrery::scrub {
namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;
constexpr int kLeastBits = 40;
constexpr std::int64_t kFractionPerPs = 1'000'000;  // Decimal counts 10^-12 of a microsecond
constexpr const char* kOutOfRange = "1e300";

// The text of a number is followed by something that is no part of it: the file, or what the caller put there.
std::optional<Decimal> parse(std::string_view json) {
  std::string padded(json);
  padded.append(64, '\0');
  Decimal decimal;
  const char* const after = parse_decimal(padded.data(), padded.data() + json.size() + 1, decimal);
  if (after != padded.data() + json.size()) return std::nullopt;
  return decimal;
}

bool is_plain_number(std::string_view json) {
  const std::size_t point = json.find('.');
  const auto all_digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (point == std::string_view::npos) return !json.empty() && json.size() <= 18 && all_digits(json);
  return point > 0 && point <= 18 && point + 1 < json.size() && all_digits(json.substr(0, point)) &&
         all_digits(json.substr(point + 1));
}

std::int64_t whole_part(std::string_view json) {
  std::int64_t whole = 0;
  for (std::size_t i = 0; i < json.size() && json[i] != '.'; ++i) whole = whole * 10 + (json[i] - '0');
  return whole;
}

int decimals(std::string_view json) {
  return is_plain_number(json) ? std::min(kMostDecimals, count_decimals(json)) : kMostDecimals;
}

TimePs round_to(TimePs time, TimePs unit) {
  const TimePs rest = ((time % unit) + unit) % unit;
  return time - rest + (rest * 2 >= unit ? unit : 0);
}

// Relative to `first_us`; nothing if it does not fit.
std::optional<TimePs> relative_ps(const Decimal& us, std::int64_t first_us) {
  if (!us.in_range) return std::nullopt;
  const Int128 ps = static_cast<Int128>(us.whole - first_us) * kPsPerUs + us.fraction_e12 / kFractionPerPs;
  constexpr Int128 kMost = Int128{1} << 61;
  if (ps > kMost || ps < -kMost) return std::nullopt;
  return static_cast<TimePs>(ps);
}

}  // namespace

std::int64_t choose_shift_us(std::int64_t first_us) {
  // Such clocks started with the machine or the recording, and tell no date; negative ones neither.
  if (first_us < std::int64_t{1} << kLeastBits) return 0;
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(first_us)));
  return (first_us - power) / kUsPerSecond * kUsPerSecond;
}

TimePs TimeWarp::moved_by(std::int64_t knot) {
  Knot& slot = knots_[static_cast<std::uint64_t>(knot) % knots_.size()];
  if (!slot.known || slot.index != knot) {
    const std::uint64_t hash = keyed_hash(key_, fmt::format("time {}", knot));
    slot = {knot, static_cast<TimePs>(hash % static_cast<std::uint64_t>(2 * bound_ps_ + 1)) - bound_ps_, true};
  }
  return slot.moved_by;
}

TimePs TimeWarp::operator()(TimePs time_ps) {
  if (is_identity()) return time_ps;
  const TimePs distance = 4 * bound_ps_;
  const std::int64_t knot = time_ps / distance - (time_ps % distance < 0 ? 1 : 0);
  const TimePs into = time_ps - knot * distance;
  const TimePs from = moved_by(knot), to = moved_by(knot + 1);
  // Rounded down: the map stays increasing.
  const Int128 scaled = static_cast<Int128>(to - from) * into;
  const Int128 part = scaled / distance - (scaled % distance < 0 ? 1 : 0);
  return time_ps + from + static_cast<TimePs>(part);
}

TimePs TimeWarp::stretch(TimePs duration_ps, std::uint64_t which) const {
  if (is_identity() || duration_ps <= 0) return duration_ps;
  // Never to nothing: a node of no duration is one that was not measured.
  const TimePs most = std::min(bound_ps_, duration_ps / 2);
  const std::uint64_t hash = keyed_hash(key_, fmt::format("duration {}", which));
  return duration_ps + static_cast<TimePs>(hash % static_cast<std::uint64_t>(2 * most + 1)) - most;
}

std::string shift_decimal_us(std::string_view json, std::int64_t shift_us) {
  if (is_plain_number(json)) {
    if (shift_us == 0) return std::string(json);
    const std::int64_t whole = whole_part(json) - shift_us;
    const std::size_t point = json.find('.');
    // Nearly every moment: the digits behind the point are copied, so that nothing is rounded.
    if (whole >= 0)
      return std::to_string(whole) + std::string(point == std::string_view::npos ? "" : json.substr(point));
  }
  const auto us = parse(json);
  if (!us) return {};
  // Its digits would tell as much as a name; readers refuse one as they refuse the other.
  if (!us->in_range) return kOutOfRange;
  if (shift_us == 0) return std::string(json);
  const Int128 moved = static_cast<Int128>(us->whole - shift_us) * kPsPerUs + us->fraction_e12 / kFractionPerPs;
  return decimal_us(moved, us->is_integer ? 0 : 6);
}

std::pair<std::string, std::string> warp_decimal_us(std::string_view start, std::string_view duration,
                                                    std::int64_t shift_us, std::int64_t first_us, TimeWarp& warp) {
  const std::pair unchanged{shift_decimal_us(start, shift_us), std::string()};
  const auto start_us = parse(start), duration_us = parse(duration.empty() ? "0" : duration);
  if (!start_us || !duration_us) return unchanged;
  const auto begin = relative_ps(*start_us, first_us), length = relative_ps(*duration_us, 0);
  if (!begin || !length) return unchanged;
  const int digits = std::max(decimals(start), duration.empty() ? 0 : decimals(duration));
  TimePs unit = kPsPerUs;
  for (int i = 0; i < digits; ++i) unit /= 10;
  const TimePs warped_begin = round_to(warp(*begin), unit);
  // Both ends go through the map, and not the duration: what lay inside something else still does.
  const TimePs warped_end = round_to(warp(*begin + *length), unit);
  const Int128 written = static_cast<Int128>(first_us - shift_us) * kPsPerUs + warped_begin;
  return {decimal_us(written, digits),
          duration.empty() ? std::string() : decimal_us(warped_end - warped_begin, digits)};
}

}  // namespace orrery::scrub
