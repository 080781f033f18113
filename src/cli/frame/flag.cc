#include "cli/frame/flag.h"

namespace orrery::cli {

const Flag* find_flag(std::span<const Flag> flags, std::string_view name) {
  for (const Flag& flag : flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

const Flag* find_former_flag(std::span<const Flag> flags, std::string_view name) {
  for (const Flag& flag : flags) {
    if (!flag.former_name.empty() && flag.former_name == name) return &flag;
  }
  return nullptr;
}

const Flag* find_short_flag(std::span<const Flag> flags, char short_name) {
  for (const Flag& flag : flags) {
    if (flag.short_name != '\0' && flag.short_name == short_name) return &flag;
  }
  return nullptr;
}

}  // namespace orrery::cli
