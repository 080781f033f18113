// What the attributes of a node mean for an activity: collected in any order, resolved when the node is known whole,
// since the meaning depends on the node's type, whose place in the message nobody promises.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/interner.h"
#include "formats/chakra/dialect.h"
#include "workload/program_builder.h"

namespace orrery::chakra {

/// An attribute that is understood; the order is of no meaning.
enum class KnownAttribute : std::uint8_t {
  on_host,
  operations,
  tensor_bytes,
  comm_type,
  comm_bytes,
  priority,
  source,
  target,
  root,
  tag,
  group,
  dims,
  stream,
  thread,
  parts,        ///< ours: bytes per member of a collective, where they are not equal
  duration_ps,  ///< ours: the duration where it is no whole microseconds
  run_time,     ///< only of old schemas: today it is a field of the node
  none
};

/// By its name in the files; none: passed over.
KnownAttribute known_attribute(std::string_view name);

struct AttributeValue {
  enum class Kind : std::uint8_t { none, integer, number, boolean, text, booleans, integers };
  Kind kind = Kind::none;
  std::int64_t integer = 0;      ///< also of a boolean
  std::string_view text = {};    ///< of a list of integers: the bytes of the list
  std::uint32_t false_bits = 0;  ///< of a list of booleans: bit i is set if entry i is false
};

class NodeAttributes {
 public:
  /// What was odd about a node, and what was done: a bit each.
  enum Oddity : std::uint8_t { kNoTag = 1, kNoBytes = 2, kNoLane = 4 };

  void clear() { given_ = 0; }
  void set(KnownAttribute attribute, const AttributeValue& value) {
    if (attribute == KnownAttribute::none) return;
    values_[static_cast<std::size_t>(attribute)] = value;
    given_ |= 1u << static_cast<unsigned>(attribute);
  }
  [[nodiscard]] const AttributeValue* get(KnownAttribute attribute) const {
    return (given_ >> static_cast<unsigned>(attribute) & 1) != 0 ? &values_[static_cast<std::size_t>(attribute)]
                                                                 : nullptr;
  }

  /// Fills in what they mean for an activity of the kind that `activity` has. The message of an error, or empty.
  /// `oddities`: see Oddity; a message without a tag or size gets 0.
  std::string resolve(workload::Activity& activity, Interner& strings, Vocabulary vocabulary,
                      std::uint8_t& oddities) const;

 private:
  std::string resolve_numbers(workload::Activity& activity, Vocabulary vocabulary) const;
  std::string resolve_group(workload::Activity& activity, Interner& strings) const;
  void resolve_lane(workload::Activity& activity, std::uint8_t& oddities) const;

  std::array<AttributeValue, static_cast<std::size_t>(KnownAttribute::none)> values_;
  std::uint32_t given_ = 0;
};

}  // namespace orrery::chakra
