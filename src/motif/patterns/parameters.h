// The numbers a pattern is made from: what they are called, what they are if nobody says otherwise, and what was said.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace orrery::motif {

enum class ParameterKind : std::uint8_t { count, number, flag, text };

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::count;
  std::string_view default_text = {};  ///< empty: none; `help` then says what happens
  std::string_view help = {};          ///< a phrase, with the unit
};

/// As given: "nx=100" is {"nx", "100"}.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Values by name, given or by default. Asking for a name that the pattern does not list is a mistake of ours.
class Values {
 public:
  /// An Error names the setting that is not known (with the one that may be meant), given twice, or not of its kind.
  static Result<Values> of(std::span<const Parameter> parameters, const Settings& settings);

  [[nodiscard]] bool has(std::string_view name) const { return !text(name).empty(); }
  [[nodiscard]] std::uint64_t count(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;
  /// A number of nanoseconds, in picoseconds.
  [[nodiscard]] TimePs nanoseconds(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

/// "0,4-7" or "all": ranks below `ranks`, ascending, each once; none of an empty text. An Error names what is no rank.
Result<std::vector<std::uint32_t>> rank_list(std::string_view text, std::uint32_t ranks);

/// A time from a calculation, in picoseconds; never negative, at most the longest there is.
TimePs to_picoseconds(double nanoseconds);

}  // namespace orrery::motif
