#include "base/json/json_members.h"

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
  if (value.size() > 40) return false;
  // -12.5e+3: of 53..801 every character may be in a number, and no reader takes it.
  std::size_t at = value.front() == '-' ? 1 : 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < value.size() && value[at] >= '0' && value[at] <= '9') ++at;
    return at > first;
  };
  if (!digits()) return false;
  if (at < value.size() && value[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < value.size() && (value[at] == 'e' || value[at] == 'E')) {
    ++at;
    if (at < value.size() && (value[at] == '+' || value[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == value.size();
}

}  // namespace orrery
