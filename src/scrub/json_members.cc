#include "scrub/json_members.h"

namespace orrery::scrub {

const char* skip_value(const char* p, const char* end) {
  if (p >= end) return nullptr;
  if (*p == '"') {
    const char* const quote = find_string_end(p + 1, end).quote;
    return quote == nullptr ? nullptr : quote + 1;
  }
  if (*p == '[' || *p == '{') return skip_container(p, end).after;
  const char* after = p;
  while (after < end && (is_number_char(*after) || (*after >= 'a' && *after <= 'z') || (*after >= 'A' && *after <= 'Z'))) ++after;
  return after == p ? nullptr : after;
}

bool list_members(std::string_view text, std::vector<JsonMember>& members) {
  const char* const end = text.data() + text.size();
  if (text.size() < 2 || text.front() != '{') return false;
  const char* p = skip_space(text.data() + 1, end);
  if (p < end && *p == '}') return p + 1 == end;
  for (;;) {
    if (p >= end || *p != '"') return false;
    const char* const quote = find_string_end(p + 1, end).quote;
    if (quote == nullptr) return false;
    const std::string_view key(p + 1, static_cast<std::size_t>(quote - p - 1));
    p = skip_space(quote + 1, end);
    if (p >= end || *p != ':') return false;
    p = skip_space(p + 1, end);
    const char* const after = skip_value(p, end);
    if (after == nullptr) return false;
    members.push_back({key, {p, static_cast<std::size_t>(after - p)}});
    p = skip_space(after, end);
    if (p >= end) return false;
    if (*p == '}') return p + 1 == end;
    if (*p != ',') return false;
    p = skip_space(p + 1, end);
  }
}

bool is_json_scalar(std::string_view value) {
  if (value.empty()) return false;
  if (value == "true" || value == "false" || value == "null") return true;
  if (!starts_number(value.front()) || value.size() > 40) return false;
  for (const char c : value) {
    if (!is_number_char(c)) return false;
  }
  return true;
}

}  // namespace orrery::scrub
