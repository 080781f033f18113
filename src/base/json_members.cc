#include "base/json_members.h"

namespace orrery {

bool list_members(std::string_view text, std::vector<JsonMember>& members) {
  if (text.size() < 2 || text.front() != '{') return false;
  const char* const end = text.data() + text.size();
  JsonWalk walk(end);
  return end == walk.each_member(text.data(), [&](std::string_view key, const char* value) {
    const char* const after = walk.skip_value(value);
    if (after != nullptr) members.push_back({key, {value, static_cast<std::size_t>(after - value)}});
    return after;
  });
}

std::vector<std::string_view> list_entries(std::string_view list) {
  std::vector<std::string_view> entries;
  for_each_entry(list, [&](std::string_view entry) { entries.push_back(entry); });
  return entries;
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

}  // namespace orrery
