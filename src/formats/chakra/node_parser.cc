#include "formats/chakra/node_parser.h"

#include <algorithm>

#include "formats/chakra/schema.h"
#include "workload/delays.h"

// Fields of a message are taken one by one in whatever layout the file has, into one set of known attributes; what
// these mean together is decided at the end, when all are there. Attributes that nobody asks for are passed over by
// name.

namespace orrery::chakra {
namespace {

using workload::Dependency;
using Kind = AttributeValue::Kind;

AttributeValue integer_value(std::int64_t value) { return {Kind::integer, value}; }

bool append_varints(std::string_view packed, std::vector<std::int64_t>& out) {
  const char* p = packed.data();
  const char* const end = p + packed.size();
  for (std::uint64_t value = 0; p != end; out.push_back(static_cast<std::int64_t>(value))) {
    if (!take_varint(p, end, value)) return false;
  }
  return true;
}

/// A list of booleans: packed or one field each.
bool read_booleans(std::string_view list, AttributeValue& out) {
  out = {Kind::booleans};
  std::uint32_t index = 0;
  const auto take = [&](std::uint64_t value) {
    // Only what is excluded is kept, in one word: no network has 32 dimensions.
    if (value == 0 && index < 32) out.false_bits |= 1u << index;
    ++index;
  };
  WireReader reader(list);
  for (WireField field; reader.next(field);) {
    if (field.number != 1) continue;
    if (field.is_varint()) {
      take(field.value);
      continue;
    }
    if (!field.is_bytes()) return false;
    const char* p = field.bytes.data();
    const char* const end = p + field.bytes.size();
    for (std::uint64_t value = 0; p != end;) {
      if (!take_varint(p, end, value)) return false;
      take(value);
    }
  }
  return !reader.damaged();
}

/// The value of an attribute from its field; false if the field is not of its type. Unsigned values beyond 63 bits keep
/// their bits and so become negative.
bool read_value(const WireField& field, AttributeValue& value) {
  namespace at = attribute_field;
  switch (field.number) {
    case at::double_val:
    case at::float_val: return value = {Kind::number}, true;
    case at::int32_val: return value = integer_value(static_cast<std::int32_t>(field.value)), field.is_varint();
    case at::uint32_val: return value = integer_value(static_cast<std::uint32_t>(field.value)), field.is_varint();
    case at::int64_val:
    case at::uint64_val: return value = integer_value(static_cast<std::int64_t>(field.value)), field.is_varint();
    case at::sint32_val:
      return value = integer_value(static_cast<std::int32_t>(unzigzag(field.value))), field.is_varint();
    case at::sint64_val: return value = integer_value(unzigzag(field.value)), field.is_varint();
    case at::fixed32_val:
      return value = integer_value(static_cast<std::int64_t>(field.value)), field.type == WireType::fixed32;
    case at::sfixed32_val:
      return value = integer_value(static_cast<std::int32_t>(field.value)), field.type == WireType::fixed32;
    case at::fixed64_val:
    case at::sfixed64_val:
      return value = integer_value(static_cast<std::int64_t>(field.value)), field.type == WireType::fixed64;
    case at::bool_val: return value = {Kind::boolean, field.value != 0 ? 1 : 0}, field.is_varint();
    case at::int64_list: return value = {Kind::integers, 0, field.bytes}, field.is_bytes();
    case at::bool_list: return field.is_bytes() && read_booleans(field.bytes, value);
    case at::string_val: return value = {Kind::text, 0, field.bytes}, field.is_bytes();
    default: return value = {}, true;
  }
}

/// An attribute that has a meaning: {name: "comm_size", int64_val: 1048576}. What comes after the name of another is
/// not looked at. False if it is damaged or its value of another type than its field.
bool read_attribute(std::string_view message, KnownAttribute& attribute, AttributeValue& value) {
  attribute = KnownAttribute::none;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == attribute_field::name) {
      if (!field.is_bytes()) return false;
      attribute = known_attribute(field.bytes);
      // Writers put the name first. If one did not, its value has been read for nothing, and it is still passed over.
      if (attribute == KnownAttribute::none) return true;
    } else if (field.number >= attribute_field::double_val && field.number <= attribute_field::bytes_list &&
               !read_value(field, value)) {
      return false;
    }
  }
  return !reader.damaged();
}

}  // namespace

bool NodeParser::take_needs(const WireField& field, Dependency type) {
  if (field.is_varint()) return needs_.push_back({field.value, type}), true;
  if (!field.is_bytes()) return false;
  const char* p = field.bytes.data();
  const char* const end = p + field.bytes.size();
  for (std::uint64_t id = 0; p != end; needs_.push_back({id, type})) {
    if (!take_varint(p, end, id)) return false;
  }
  return true;
}

/// The fields that all layouts share.
bool NodeParser::take_id_and_name(const WireField& field, bool& taken) {
  taken = true;
  switch (field.number) {
    case node_field::id: return activity_.id = field.value, field.is_varint();
    case node_field::name:
      if (!field.is_bytes()) return false;
      // Neighbours often have one name (layers, buckets): comparing is cheaper than hashing.
      if (field.bytes != last_name_) {
        last_name_id_ = strings_.intern(field.bytes);
        last_name_ = strings_.text(last_name_id_);
      }
      activity_.name = last_name_id_;
      return true;
    case node_field::type: return node_type_ = field.value, field.is_varint();
    default: return taken = false, true;
  }
}

bool NodeParser::take_present(std::string_view message) {
  WireReader reader(message);
  KnownAttribute attribute = KnownAttribute::none;
  for (WireField field; reader.next(field);) {
    bool fits = true;
    switch (field.number) {
      case node_field::ctrl_deps: fits = take_needs(field, Dependency::control); break;
      case node_field::data_deps: fits = take_needs(field, Dependency::data); break;
      case node_field::start_time_micros: start_us_ = field.value, fits = field.is_varint(); break;
      case node_field::duration_micros: duration_us_ = field.value, fits = field.is_varint(); break;
      case node_field::attr:
        if (AttributeValue value; (fits = field.is_bytes() && read_attribute(field.bytes, attribute, value)))
          attributes_.set(attribute, value);
        break;
      default: {
        bool taken = false;
        fits = take_id_and_name(field, taken);
      }
    }
    if (!fits) return false;
  }
  return !reader.damaged();
}

// {id: 3, name: "COMM_COLL_NODE", 3: 6, parent: 2, 13: 1, 14: true, 14: false, 18: 1048576}
bool NodeParser::take_flat(std::string_view message) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    bool taken = false;
    if (!take_id_and_name(field, taken)) return false;
    if (!taken && !take_flat_attribute(field)) return false;
  }
  return !reader.damaged();
}

bool NodeParser::take_flat_attribute(const WireField& field) {
  const auto set = [&](KnownAttribute attribute) {
    attributes_.set(attribute, integer_value(static_cast<std::int64_t>(field.value)));
    return field.is_varint();
  };
  switch (field.number) {
    case flat_field::parent: return take_needs(field, Dependency::data);
    case flat_field::run_time: return duration_us_ = field.value, field.is_varint();
    case flat_field::tensor_size: return set(KnownAttribute::tensor_bytes);
    case flat_field::num_ops: return set(KnownAttribute::operations);
    case flat_field::comm_type: return set(KnownAttribute::comm_type);
    case flat_field::communicator_id: return set(KnownAttribute::group);
    case flat_field::comm_src: return set(KnownAttribute::source);
    case flat_field::comm_dst: return set(KnownAttribute::target);
    case flat_field::comm_size: return set(KnownAttribute::comm_bytes);
    case flat_field::comm_tag: return set(KnownAttribute::tag);
    case flat_field::comm_priority: return set(KnownAttribute::priority);
    case flat_field::involved_dim: {
      const AttributeValue* before = attributes_.get(KnownAttribute::dims);
      AttributeValue dims = before != nullptr ? *before : AttributeValue{Kind::booleans};
      // `integer` counts entries here: the bit of the next one.
      if (field.value == 0 && dims.integer < 32) dims.false_bits |= 1u << dims.integer;
      ++dims.integer;  // counts the entries
      attributes_.set(KnownAttribute::dims, dims);
      return field.is_varint();
    }
    default: return true;
  }
}

bool NodeParser::take_typed(std::string_view message) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    bool fits = true, taken = false;
    if (field.number == typed_field::parent) fits = take_needs(field, Dependency::data);
    else if (field.number == typed_field::attribute) fits = field.is_bytes() && take_typed_attribute(field.bytes);
    else fits = take_id_and_name(field, taken);
    if (!fits) return false;
  }
  return !reader.damaged();
}

// {name: "comm_size", type: 1, 5: 1048576}: the wire type tells enough; a list is its field several times.
bool NodeParser::take_typed_attribute(std::string_view message) {
  std::string_view name;
  AttributeValue value;
  std::uint32_t count = 0, false_bits = 0;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == typed_attribute_field::name) {
      if (!field.is_bytes()) return false;
      name = field.bytes;
    } else if (field.number >= typed_attribute_field::first_value) {
      if (field.is_varint()) {
        value = integer_value(static_cast<std::int64_t>(field.value));
        if (field.value == 0 && count < 32) false_bits |= 1u << count;
        ++count;
      } else {
        value = field.is_bytes() ? AttributeValue{Kind::text, 0, field.bytes} : AttributeValue{Kind::number};
      }
    }
  }
  if (reader.damaged()) return false;
  const KnownAttribute attribute = known_attribute(name);
  // In this layout the duration was an attribute like others.
  if (attribute == KnownAttribute::run_time)
    return duration_us_ = static_cast<std::uint64_t>(value.integer), value.kind == Kind::integer;
  if (attribute == KnownAttribute::dims) value = {Kind::booleans, 0, {}, false_bits};
  attributes_.set(attribute, value);
  return true;
}

/// {values: [256, 320, 256]}: the bytes for each member of the group.
std::string NodeParser::take_parts() {
  parts_.clear();
  const AttributeValue* given = attributes_.get(KnownAttribute::parts);
  if (given == nullptr || activity_.kind != workload::ActivityKind::collective) return {};
  constexpr std::string_view kNoList = "comm_parts is no list of sizes";
  if (given->kind != Kind::integers) return std::string(kNoList);
  WireReader reader(given->text);
  for (WireField field; reader.next(field);) {
    if (field.number != 1) continue;
    if (field.is_varint()) parts_.push_back(static_cast<std::int64_t>(field.value));
    else if (!field.is_bytes() || !append_varints(field.bytes, parts_)) return std::string(kNoList);
  }
  const bool whole =
      !reader.damaged() && std::all_of(parts_.begin(), parts_.end(), [](std::int64_t part) { return part >= 0; });
  return whole ? std::string() : std::string(kNoList);
}

void NodeParser::take_exact_duration() {
  const AttributeValue* exact = attributes_.get(KnownAttribute::duration_ps);
  // Where the two contradict each other, somebody who knows the field only has changed it since.
  if (exact == nullptr || exact->kind != Kind::integer ||
      workload::in_whole_microseconds(exact->integer) != activity_.duration_ps)
    return;
  activity_.duration_ps = exact->integer;
}

std::string NodeParser::parse(std::string_view message) {
  activity_ = {};
  attributes_.clear();
  needs_.clear();
  start_us_ = duration_us_ = node_type_ = 0;
  oddities_ = 0;
  damaged_ = false;
  // They take a length of 0 for the end of the file, and what follows would be lost on them without a word.
  if (message.empty()) return damaged_ = true, "it is empty: Chakra's own readers stop here";
  const bool whole = layout_ == Layout::present ? take_present(message)
                     : layout_ == Layout::flat  ? take_flat(message)
                                                : take_typed(message);
  if (!whole) return damaged_ = true, "a field ends beyond it or has another type";
  if (duration_us_ > static_cast<std::uint64_t>(graph::kMaxWeightPs / kPsPerUs)) return "lasts longer than 26 days";
  activity_.duration_ps = static_cast<TimePs>(duration_us_) * kPsPerUs;
  take_exact_duration();
  activity_.kind = activity_kind(vocabulary_, node_type_);
  if (std::string problem = take_parts(); !problem.empty()) return problem;
  return attributes_.resolve(activity_, strings_, vocabulary_, oddities_);
}

}  // namespace orrery::chakra
