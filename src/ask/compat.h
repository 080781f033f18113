// Questions that are answered in the way of another tool, too: its answer to the last digit, its defects included.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "ask/context.h"

namespace orrery::ask {

/// Whose answer is wanted: ours, or another tool's.
enum class Compat : std::uint8_t { none, hta, straggler };
inline constexpr std::pair<std::string_view, Compat> kCompatWords[] = {{"hta", Compat::hta}};
/// Of blame: the straggler study's (OSDI '25), too.
inline constexpr std::pair<std::string_view, Compat> kBlameCompatWords[] = {{"hta", Compat::hta},
                                                                            {"straggler", Compat::straggler}};

/// A field of a request, and whether the question has it.
using GivenField = std::pair<std::string_view, bool>;

/// A field of another mode: of `own` with another tool's answer, of `of_hta` without HTA's. Ignoring it would look like
/// heeding it.
inline std::optional<Error> check_mode(Compat compat, std::initializer_list<GivenField> own,
                                       std::initializer_list<GivenField> of_hta) {
  if (compat != Compat::none) {
    const std::string_view tool = compat == Compat::hta ? "hta" : "straggler";
    for (const auto& [name, is_given] : own) {
      if (is_given)
        return misuse(fmt::format("--{} does not go with --compat {}", name, tool), "leave one of them out");
    }
  }
  if (compat == Compat::hta) return std::nullopt;
  for (const auto& [name, is_given] : of_hta) {
    if (is_given) return misuse(fmt::format("--{} belongs to --compat hta", name), "add --compat hta, or leave it out");
  }
  return std::nullopt;
}

}  // namespace orrery::ask
