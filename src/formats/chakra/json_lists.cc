#include "formats/chakra/json_lists.h"

#include "base/json_scan.h"

namespace orrery::chakra {
namespace {

// The position after the value at `p`; nullptr if there is none.
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

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> items;
  if (!list.starts_with('[')) return items;
  const char* const end = list.data() + list.size();
  const char* p = skip_space(list.data() + 1, end);
  while (p < end && *p != ']') {
    const char* const after = after_value(p, end);
    if (after == nullptr) break;
    items.push_back(between(p, after));
    p = skip_space(after, end);
    if (p < end && *p == ',') p = skip_space(p + 1, end);
  }
  return items;
}

std::string_view member_of(std::string_view object, std::string_view key) {
  std::string_view found;
  if (!object.starts_with('{')) return found;
  const char* const end = object.data() + object.size();
  const char* p = skip_space(object.data() + 1, end);
  while (p < end && *p == '"') {
    const char* const quote = find_string_end(p + 1, end).quote;
    if (quote == nullptr) break;
    const char* const colon = skip_space(quote + 1, end);
    const char* const value = skip_space(colon + 1, end);
    const char* const after = after_value(value, end);
    if (after == nullptr) break;
    if (between(p + 1, quote) == key) found = between(value, after);
    p = skip_space(after, end);
    if (p < end && *p == ',') p = skip_space(p + 1, end);
  }
  return found;
}

}  // namespace orrery::chakra
