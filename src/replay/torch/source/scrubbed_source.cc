#include "replay/torch/source/scrubbed_source.h"

#include <algorithm>

namespace orrery::replay::torch {
namespace {

constexpr std::size_t kHashDigits = 16;

bool has_callable_schema(const RankSource& source) {
  return std::any_of(source.host->op_schema.begin(), source.host->op_schema.end(), [&](StringId schema) {
    return source.strings->text(schema).find("::") != std::string_view::npos;
  });
}

}  // namespace

bool is_scrubbed_name(std::string_view name) {
  if (!name.starts_with("op.") || name.size() < kHashDigits + 4) return false;
  const std::string_view hash = name.substr(name.size() - kHashDigits);
  return name[name.size() - kHashDigits - 1] == '.' &&
         hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool lacks_scrubbed_operators(const std::vector<RankSource>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](const RankSource& source) {
    const auto& names = source.host->name;
    return std::any_of(names.begin(), names.end(),
                       [&](StringId name) { return is_scrubbed_name(source.strings->text(name)); }) &&
           !has_callable_schema(source);
  });
}

}  // namespace orrery::replay::torch
