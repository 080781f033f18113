// Parts of small JSON values, as they are written.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/json_scan.h"

namespace orrery::chakra {

// The text is one well-formed value, followed by at least 64 readable bytes.

/// The position after the value at `p`; nullptr if there is none.
const char* after_value(const char* p, const char* end);

/// Calls on_member(key, value) for every member of an object, with both as they are written, the key without its quotes.
template <typename OnMember>
void each_member(std::string_view object, OnMember&& on_member) {
  if (!object.starts_with('{')) return;
  const char* const end = object.data() + object.size();
  const char* p = skip_space(object.data() + 1, end);
  while (p < end && *p == '"') {
    const char* const quote = find_string_end(p + 1, end).quote;
    if (quote == nullptr) return;
    const char* const colon = skip_space(quote + 1, end);
    const char* const value = skip_space(colon + 1, end);
    const char* const after = after_value(value, end);
    if (after == nullptr) return;
    on_member(std::string_view(p + 1, static_cast<std::size_t>(quote - p - 1)),
              std::string_view(value, static_cast<std::size_t>(after - value)));
    p = skip_space(after, end);
    if (p < end && *p == ',') p = skip_space(p + 1, end);
  }
}

/// The items of a list; none if it is no list.
std::vector<std::string_view> list_items(std::string_view list);
/// For each key the value of the object's member of that name; empty if there is none. Of several the last. One pass.
template <std::size_t kCount>
std::array<std::string_view, kCount> members_of(std::string_view object, const std::array<std::string_view, kCount>& keys) {
  std::array<std::string_view, kCount> found;
  each_member(object, [&](std::string_view key, std::string_view value) {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (keys[i] == key) found[i] = value;
    }
  });
  return found;
}

}  // namespace orrery::chakra
