// What the tables and lists of simulated ranks have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/units.h"

namespace orrery::cli {

/// Rows of a table for people; the rest is counted.
inline constexpr std::size_t kShownRows = 8;

/// Exact nanoseconds where they are whole, as all of ASTRA-sim's are.
void nanoseconds(JsonWriter& json, std::string_view key, TimePs ps);

/// In percent; 0 of nothing is 0.
double share(TimePs part, TimePs whole);

/// Things that are alike, shown as one row.
struct Alike {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t count = 0;
};

/// Groups 0 to `count` - 1 by `key`; the groups with the largest `size` first, equal ones by their first member, at most kShownRows of them.
/// `left_out` counts the members of the others.
template <typename Key, typename Size>
std::vector<Alike> group_alike(std::size_t count, Key key, Size size, std::size_t& left_out) {
  std::map<decltype(key(0)), Alike> groups;
  for (std::size_t i = 0; i < count; ++i) {
    Alike& group = groups[key(i)];
    if (group.count++ == 0) group.first = i;
    group.last = i;
  }
  std::vector<Alike> rows;
  for (const auto& [ignored, group] : groups) rows.push_back(group);
  std::sort(rows.begin(), rows.end(), [&](const Alike& a, const Alike& b) {
    return size(a.first) != size(b.first) ? size(a.first) > size(b.first) : a.first < b.first;
  });
  left_out = 0;
  for (std::size_t i = kShownRows; i < rows.size(); ++i) left_out += rows[i].count;
  rows.resize(std::min(rows.size(), kShownRows));
  return rows;
}

/// "0"; "0 to 15" of neighbours; "4 alike, 0 to 12" of others. `first` and `last` are what the two ends are called.
std::string numbers_alike(const Alike& row, std::size_t first, std::size_t last);

/// "leaf 0 -> spine 0, and 15 more like it".
std::string and_more(std::string_view name, std::size_t count);

/// "and 3 more ranks", as a line; empty if there are none.
std::string rest(std::size_t left_out, std::string_view what);

}  // namespace orrery::cli
