// What a description may say about a field besides its name: the words that describe() and its visitors share.
#pragma once

#include <optional>
#include <type_traits>

#include "machine/device/peak_rates.h"

namespace orrery::machine {

/// Which numbers a field may hold: above `low` (or from it on, when included) up to `high`.
struct Range {
  double low;
  double high;
  bool low_included = false;

  [[nodiscard]] bool holds(double value) const {
    return (value > low || (low_included && value == low)) && value <= high;
  }
};

/// Marks a field that may be left out, and what it then is. A field that has this value is not written.
template <typename T>
struct Default {
  T value;
};
template <typename T>
Default(T) -> Default<T>;

/// Marks a list that may not be left out.
struct Required {};

/// Like Default, for a field that follows from others; it is written all the same.
struct Derived {
  std::optional<double> value;
};

template <typename T, typename Plain>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Plain>;

// A visitor has  text(key, string or optional<string>)  number(key, double or optional<double>, range)  count(key,
// int64 or optional<int64>, range) whole(key, double that holds a whole number, range) expression(key, string or
// optional<string>): text of any length, in a notation of its own choice(key, enumerator, names)  rates(key,
// PeakTflops, range)  object(key, struct or optional struct)  list(key, vector of structs) counts(key, vector of int64,
// range)  choices(key, vector of enumerators, names)  texts(key, vector of strings)  flag(key, bool)  format(key,
// name). std::optional or a Default marks what may be left out; rates, texts and flags (false) may always be, and lists
// that are not Required.

}  // namespace orrery::machine
