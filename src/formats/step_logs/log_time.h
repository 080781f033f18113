// Numbers of logs as exact times: a float of seconds since 1970 is only good to a quarter of a microsecond.
#pragma once

#include <optional>
#include <string_view>

#include "base/int128.h"

namespace orrery::step_logs {

/// `number` as JSON writes it ("1760032159.298", "2.5e-3"), in units of 10^-`unit_digits` s (0: seconds, 3: ms, 6, 9),
/// in ps; beyond that it is cut. None: no number, or more than fits a moment of any epoch.
std::optional<Int128> exact_ps(std::string_view number, int unit_digits);

/// The unit of a moment since 1970 by its size: seconds have ten digits until the year 2286, ms thirteen, us and ns.
int unit_of_moment(std::string_view number);

/// "_ms" at the end of a key: 3. None: it says no unit.
std::optional<int> unit_of_key(std::string_view key);
/// The key without that.
std::string_view without_unit(std::string_view key);

}  // namespace orrery::step_logs
