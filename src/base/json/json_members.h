// Parts of small JSON values as views, as they are written. Nothing is built.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/json/json_walk.h"

namespace orrery {

// A text given to these is one value, from its first byte to its last, followed by at least 64 readable bytes.

struct JsonMember {
  std::string_view key;    ///< without its quotes, with its escapes
  std::string_view value;  ///< as written
};

/// Appends the members of the object that `text` is (from { to }); false, and what was appended is without meaning, if
/// it is none.
bool list_members(std::string_view text, std::vector<JsonMember>& members);

/// Calls `visit(entry)` for each entry of the list that `text` is (from [ to ]); false if it is none.
template <typename Visit>
bool for_each_entry(std::string_view text, Visit&& visit) {
  if (text.size() < 2 || text.front() != '[') return false;
  const char* const end = text.data() + text.size();
  JsonWalk walk(end);
  return end == walk.each_element(text.data(), [&](const char* entry) {
    const char* const after = walk.skip_value(entry);
    if (after != nullptr) visit(std::string_view(entry, static_cast<std::size_t>(after - entry)));
    return after;
  });
}

/// The entries of a list; none if it is no list.
std::vector<std::string_view> list_entries(std::string_view list);

/// For each key the value of the object's member of that name; empty if there is none. Of several the last.
template <std::size_t kCount>
std::array<std::string_view, kCount> members_of(std::string_view object,
                                                const std::array<std::string_view, kCount>& keys) {
  std::array<std::string_view, kCount> found;
  if (!object.starts_with('{')) return found;
  JsonWalk walk(object.data() + object.size());
  walk.each_member(object.data(), [&](std::string_view key, const char* value) {
    const char* const after = walk.skip_value(value);
    for (std::size_t i = 0; i < kCount && after != nullptr; ++i) {
      if (keys[i] == key) found[i] = {value, static_cast<std::size_t>(after - value)};
    }
    return after;
  });
  return found;
}

inline bool is_json_string(std::string_view value) {
  return value.size() >= 2 && value.front() == '"' && value.back() == '"';
}
/// Without the quotes.
inline std::string_view string_content(std::string_view value) { return value.substr(1, value.size() - 2); }

/// A number as JSON writes it, true, false or null.
bool is_json_scalar(std::string_view value);

}  // namespace orrery
