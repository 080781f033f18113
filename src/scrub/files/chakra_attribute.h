// The integers among the attributes of Chakra files, whatever type the writer chose for them.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/chakra/message_view.h"
#include "scrub/job_facts.h"

namespace orrery::scrub {

/// Nothing for texts, fractions and lists.
inline std::optional<std::int64_t> integer_in(const chakra::AttributeView& attribute) {
  using enum chakra::ValueType;
  const bool is_number = attribute.type != double_val && attribute.type != float_val && attribute.type != string_val &&
                         attribute.type != bytes_val;
  if (!attribute.has_value || attribute.is_list || !is_number) return std::nullopt;
  return chakra::integer_of(attribute.type, attribute.scalar.bits);
}

/// Whether a "tid" is a number that the system gave, and not one that the framework counted.
inline bool is_system_thread(const chakra::AttributeView& attribute) {
  const auto number = integer_in(attribute);
  return number && *number >= static_cast<std::int64_t>(kFrameworkThreads) && *number < std::int64_t{1} << 62;
}

}  // namespace orrery::scrub
