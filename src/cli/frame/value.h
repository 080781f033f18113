// Values of flags: from text to numbers, with the position of the first character that does not belong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/flag.h"

namespace orrery::cli {

struct ValueProblem {
  std::string message;     ///< "is not an integer"
  std::size_t offset = 0;  ///< byte in the value
};

/// What is wrong with `value` as a value of `flag`; nothing when it is fine.
std::optional<ValueProblem> check_value(const Flag& flag, std::string_view value);

/// The same for a value that must be one of `choices`.
std::optional<ValueProblem> check_choice(std::span<const std::string_view> choices, std::string_view value);

/// "4096", "64kB" (1000), "1.5GB", "2GiB" (1024).
std::optional<std::int64_t> parse_bytes(std::string_view text);
/// "300ns", "19.6ms", "2s", in picoseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);

}  // namespace orrery::cli
