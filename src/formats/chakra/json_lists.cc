#include "formats/chakra/json_lists.h"

namespace orrery::chakra {

const char* after_value(const char* p, const char* end) {
  if (p >= end) return nullptr;
  if (*p == '"') {
    const char* const quote = find_string_end(p + 1, end).quote;
    return quote == nullptr ? nullptr : quote + 1;
  }
  if (*p == '[' || *p == '{') return skip_container(p, end).after;
  const char* after = p;
  while (after < end && *after != ',' && *after != ']' && *after != '}' && static_cast<unsigned char>(*after) > ' ') ++after;
  return after == p ? nullptr : after;
}

std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> items;
  if (!list.starts_with('[')) return items;
  const char* const end = list.data() + list.size();
  const char* p = skip_space(list.data() + 1, end);
  while (p < end && *p != ']') {
    const char* const after = after_value(p, end);
    if (after == nullptr) break;
    items.emplace_back(p, static_cast<std::size_t>(after - p));
    p = skip_space(after, end);
    if (p < end && *p == ',') p = skip_space(p + 1, end);
  }
  return items;
}

}  // namespace orrery::chakra
