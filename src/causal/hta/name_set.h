// A few names, asked for by number.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/column.h"
#include "base/interner.h"

namespace orrery::causal::hta {

/// One mark per text of the table: is this name one of these?
class NameSet {
 public:
  NameSet(const Interner& strings, std::initializer_list<std::string_view> names)
      : NameSet(strings, std::span<const std::string_view>(names.begin(), names.size())) {}
  NameSet(const Interner& strings, std::span<const std::string_view> names) : member_(strings.size(), 0) {
    for (const std::string_view name : names) {
      if (const StringId id = strings.find(name); id != Interner::kMissing) member_[id] = 1;
    }
  }
  bool operator()(StringId id) const { return member_[id] != 0; }

 private:
  Column<std::uint8_t> member_;
};

}  // namespace orrery::causal::hta
