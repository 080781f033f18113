// The members of a JSON object as views, found without building anything.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_scan.h"

namespace orrery::scrub {

struct JsonMember {
  std::string_view key;    ///< without its quotes, with its escapes
  std::string_view value;  ///< as written
};

/// After the value at `p`; nullptr if the window ends before it does, or if there is none.
const char* skip_value(const char* p, const char* end);

/// Appends the members of the object that `text` is (from { to }); false, and what was appended is without meaning, if it is none. At least
/// 64 bytes after `text` must be readable.
bool list_members(std::string_view text, std::vector<JsonMember>& members);

/// Calls `visit(entry)` for each entry of the list that `text` is (from [ to ]); false if it is none.
template <typename Visit>
bool for_each_entry(std::string_view text, Visit&& visit) {
  const char* const end = text.data() + text.size();
  if (text.size() < 2 || text.front() != '[') return false;
  const char* p = skip_space(text.data() + 1, end);
  if (p < end && *p == ']') return p + 1 == end;
  for (;;) {
    if (p >= end) return false;
    const char* const after = skip_value(p, end);
    if (after == nullptr || after == p) return false;
    visit(std::string_view(p, static_cast<std::size_t>(after - p)));
    p = skip_space(after, end);
    if (p >= end) return false;
    if (*p == ']') return p + 1 == end;
    if (*p != ',') return false;
    p = skip_space(p + 1, end);
  }
}

inline bool is_json_string(std::string_view value) { return value.size() >= 2 && value.front() == '"' && value.back() == '"'; }
/// Without the quotes.
inline std::string_view string_content(std::string_view value) { return value.substr(1, value.size() - 2); }

/// A number as JSON writes it, true, false or null.
bool is_json_scalar(std::string_view value);

}  // namespace orrery::scrub
