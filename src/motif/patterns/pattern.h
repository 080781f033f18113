// A communication pattern of a parallel program: what every rank does, round by round, for any number of ranks. The
// built-in motifs are these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "motif/patterns/script.h"
#include "workload/role.h"

namespace orrery::motif {

// The numbers a pattern is made from: what they are called, what they are if nobody says otherwise, and what was said.

enum class ParameterKind : std::uint8_t { count, number, flag, text };

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::count;
  std::string_view default_text = {};  ///< empty: none; `help` then says what happens
  std::string_view help = {};          ///< a phrase, with the unit
};

/// Lists one after the other.
template <std::size_t... N>
consteval auto joined(const std::array<Parameter, N>&... lists) {
  std::array<Parameter, (N + ...)> all{};
  std::size_t count = 0;
  const auto add = [&](const Parameter& parameter) { all[count++] = parameter; };
  (std::for_each(lists.begin(), lists.end(), add), ...);
  return all;
}
/// A list in which one of its parameters is another of the same name.
template <std::size_t N>
consteval auto with(std::array<Parameter, N> list, const Parameter& other) {
  for (Parameter& parameter : list)
    if (parameter.name == other.name) parameter = other;
  return list;
}

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

/// Of sizes and numbers, as a size: at most the largest there is, which no machine sends in 26 days, instead of what an
/// overflow leaves of it.
std::int64_t product(std::initializer_list<std::uint64_t> factors);

/// A time from a calculation, in picoseconds; never negative, at most the longest there is.
TimePs to_picoseconds(double nanoseconds);

inline constexpr std::uint32_t kMostRanks = 1u << 20;
/// So that sums over all activities of a job have room.
inline constexpr std::uint64_t kMostRounds = 1'000'000'000'000;
/// Of those that are not all alike, over all programs: each is looked at before the first is run.
inline constexpr std::uint64_t kMostUnlikeRounds = 100'000'000;

/// Groups of ranks that do collectives of their own: the rows of a grid, say. Each rank is in one of them.
struct SubGroup {
  std::string_view name;
  std::vector<workload::Axis> axes;
};

struct Pattern {
  std::uint32_t ranks = 0;
  std::uint64_t rounds = 1;
  /// Every round is like the first: what is known of one is known of all.
  bool rounds_alike = true;
  /// Where they are not all alike: rounds of a rank with the same number other than 0 are. None: no two are.
  std::function<std::uint64_t(std::uint32_t rank, std::uint64_t round)> content = {};
  /// Ranks of a class do the same in every round. `class_of` tells them apart: equal numbers, equal scripts, with peers
  /// counted from the rank itself (around the ends) if `relative`, and as they are if not.
  bool relative = false;
  std::function<std::uint64_t(std::uint32_t rank)> class_of = [](std::uint32_t rank) { return rank; };
  std::vector<SubGroup> groups = {};  ///< Script::Step::group counts these
  /// Appends what `rank` does in a round. The same whenever it is asked.
  std::function<void(Script& script, std::uint32_t rank, std::uint64_t round)> append;
};

/// A pattern to be had by name.
struct PatternInfo {
  std::string_view name;      ///< "halo3d"
  std::string_view sentence;  ///< what it does
  std::span<const Parameter> parameters;
  Result<Pattern> (*make)(const Values& values, std::uint32_t ranks);
};

}  // namespace orrery::motif
