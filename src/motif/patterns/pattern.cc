#include "motif/patterns/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers.h"
#include "base/suggest.h"
#include "graph/graph.h"

namespace orrery::motif {
namespace {

// Up to here a double holds every whole number.
constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 53;

bool is_flag(std::string_view text) { return text == "0" || text == "1" || text == "true" || text == "false"; }

Status check_value(const Parameter& parameter, const std::string& text) {
  const auto refuse = [&](std::string_view wanted) {
    return Error{.message = fmt::format("{}={}: {}", parameter.name, text, wanted),
                 .hint = std::string(parameter.help)};
  };
  std::uint64_t count = 0;
  double number = 0;
  switch (parameter.kind) {
    case ParameterKind::count:
      if (!parse_number(text, count) || count > kLargestCount) return refuse("a whole number from 0 on is wanted");
      break;
    case ParameterKind::number:
      if (!parse_number(text, number) || !std::isfinite(number) || number < 0)
        return refuse("a number from 0 on is wanted");
      break;
    case ParameterKind::flag:
      if (!is_flag(text)) return refuse("true or false is wanted");
      break;
    case ParameterKind::text: break;
  }
  return {};
}

}  // namespace

Result<Values> Values::of(std::span<const Parameter> parameters, const Settings& settings) {
  Values values;
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) {
    names.push_back(parameter.name);
    // Defaults are in the tables of patterns and need no check.
    values.texts_.emplace(parameter.name, parameter.default_text);
  }
  std::vector<std::string_view> given;
  for (const auto& [name, text] : settings) {
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      const std::string_view meant = nearest_word(name, names);
      return Error{.message = fmt::format("there is no parameter '{}'", name),
                   .hint = !meant.empty()  ? fmt::format("did you mean '{}'?", meant)
                           : names.empty() ? std::string("it has none")
                                           : fmt::format("it has {}", fmt::join(names, ", "))};
    }
    // Twice in one command or file is a mistake more often than a correction.
    if (std::find(given.begin(), given.end(), name) != given.end())
      return Error{fmt::format("{} is given twice", name)};
    given.push_back(*known);
    if (const Status checked = check_value(parameters[known - names.begin()], text); !checked) return checked.error();
    values.texts_[name] = text;
  }
  return values;
}

const std::string& Values::text(std::string_view name) const { return texts_.find(name)->second; }

std::uint64_t Values::count(std::string_view name) const { return parse_number<std::uint64_t>(text(name)).value_or(0); }

double Values::number(std::string_view name) const { return parse_number<double>(text(name)).value_or(0); }

bool Values::flag(std::string_view name) const { return text(name) == "1" || text(name) == "true"; }

TimePs Values::nanoseconds(std::string_view name) const { return to_picoseconds(number(name)); }

Result<std::vector<std::uint32_t>> rank_list(std::string_view text, std::uint32_t ranks) {
  std::vector<bool> named(ranks, text == "all");
  for (std::size_t at = 0; !text.empty() && text != "all" && at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view piece = text.substr(at, end - at);
    // "3" or "3-7".
    const std::size_t dash = piece.find('-');
    std::uint64_t first = 0, last = 0;
    const bool is_range = parse_number(piece.substr(0, dash), first) &&
                          parse_number(dash == std::string_view::npos ? piece : piece.substr(dash + 1), last);
    if (!is_range || first > last || last >= ranks)
      return Error{fmt::format("'{}' are no ranks: there are {}", piece, ranks)};
    for (std::uint64_t rank = first; rank <= last; ++rank) named[rank] = true;
    at = end + 1;
  }
  std::vector<std::uint32_t> list;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (named[rank]) list.push_back(rank);
  return list;
}

std::int64_t product(std::initializer_list<std::uint64_t> factors) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  // A factor of 0 first: further down the product so far is divided by.
  if (std::find(factors.begin(), factors.end(), 0u) != factors.end()) return 0;
  std::uint64_t whole = 1;
  for (const std::uint64_t factor : factors) {
    // Parameters of a file multiply into anything: the largest size stands for what is larger.
    if (factor > static_cast<std::uint64_t>(kLargest) / whole) return kLargest;
    whole *= factor;
  }
  return static_cast<std::int64_t>(whole);
}

TimePs to_picoseconds(double nanoseconds) {
  const double ps = nanoseconds * static_cast<double>(kPsPerNs);
  // Also what is not a number.
  if (!(ps > 0)) return 0;
  return ps >= static_cast<double>(graph::kMaxWeightPs) ? graph::kMaxWeightPs : static_cast<TimePs>(std::llround(ps));
}

}  // namespace orrery::motif
