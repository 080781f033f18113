// How front ends fill in a request. Beside each request stands, once, a function that names its fields:
//
//     template <typename Visitor>
//     void fields(PathRequest& request, Visitor&& visit) {
//       visit("overlay", request.overlay);
//       visit("clock", choice(request.clock, kClockWords));
//     }
//
// The command line visits with the flags that were given, Python with its keywords ("all-edges" is all_edges there).
// A field that nobody names keeps the value it has in the struct, which is its default. An optional one is filled in
// only if it is named: whether it was is part of the question.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace orrery::ask {

/// A field that is one of a few words. `Field`: Enum, or an optional of it.
template <typename Enum, typename Field = Enum>
struct Choice {
  Field& value;
  std::span<const std::pair<std::string_view, Enum>> words;

  /// False: it is none of them.
  [[nodiscard]] bool take(std::string_view word) const {
    for (const auto& [name, meant] : words) {
      if (name == word) return value = meant, true;
    }
    return false;
  }
};
template <typename Enum>
using Words = std::span<const std::pair<std::string_view, Enum>>;
template <typename Enum>
Choice<Enum> choice(Enum& value, std::type_identity_t<Words<Enum>> words) {
  return {value, words};
}
template <typename Enum>
Choice<Enum, std::optional<Enum>> choice(std::optional<Enum>& value, std::type_identity_t<Words<Enum>> words) {
  return {value, words};
}

/// The words of an Enum whose names are listed in its order.
template <typename Enum, std::size_t n>
constexpr std::array<std::pair<std::string_view, Enum>, n> words_of(const std::array<std::string_view, n>& names) {
  std::array<std::pair<std::string_view, Enum>, n> words;
  for (std::size_t i = 0; i < n; ++i) words[i] = {names[i], static_cast<Enum>(i)};
  return words;
}

/// A field with a way of writing of its own, like "0:3". Of one that may be given several times each text is taken.
template <typename T>
struct Written {
  T& value;
  Status (*take)(std::string_view text, T& value);  ///< an Error (misuse) says what is wrong, its offset where
};
template <typename T>
Written<T> written(T& value, Status (*take)(std::string_view, T&)) {
  return {value, take};
}

}  // namespace orrery::ask
