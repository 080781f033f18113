// Parts of a whole, and changes, in percent. What is said of an empty whole is part of the question.
#pragma once

namespace orrery {

/// What `part` is of `whole`: 0 of nothing.
template <typename Part, typename Whole>
double share_percent(Part part, Whole whole) {
  return whole == Whole{} ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// How much of what there is was found, called, explained: all of nothing is there.
template <typename Part, typename Whole>
double coverage_percent(Part part, Whole whole) {
  return whole == Whole{} ? 100 : share_percent(part, whole);
}

/// How much more `after` is than `before`: 0 where there was nothing to compare with.
template <typename Number>
double change_percent(Number before, Number after) {
  return before == Number{} ? 0 : 100.0 * (static_cast<double>(after) / static_cast<double>(before) - 1.0);
}

}  // namespace orrery
