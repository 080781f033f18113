#include "formats/kineto/host_name.h"

#include <algorithm>

namespace orrery::kineto {
namespace {

bool drop_ending(std::string_view& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

/// Takes the digits at the end and the mark before them off: "node7_4711" -> "node7".
bool drop_number(std::string_view& name, char mark) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos || at + 1 == name.size()) return false;
  const std::string_view digits = name.substr(at + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
  name = name.substr(0, at);
  return true;
}

}  // namespace

std::string_view host_in_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!drop_ending(name, ".gz")) drop_ending(name, ".zst");
  if (!drop_ending(name, ".pt.trace.json") || !drop_number(name, '.') || !drop_number(name, '_')) return {};
  return name;
}

}  // namespace orrery::kineto
