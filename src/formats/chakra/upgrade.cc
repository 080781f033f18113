#include "formats/chakra/upgrade.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <vector>

#include "base/protobuf/protobuf_wire.h"
#include "base/protobuf/protobuf_writer.h"
#include "formats/chakra/attributes.h"
#include "formats/chakra/message_view.h"
#include "formats/chakra/node_words.h"
#include "formats/chakra/schema.h"

// A record is rewritten field by field: what is known is translated to today's number and type, what is not known is
// copied as it is. Three layouts there were: flat fields (2023-01), typed attributes (2023-06) and today's. Values are
// translated by the vocabulary of the file, since the numbers of types and collectives have changed.

namespace orrery::chakra {
namespace {

/// Today's value; one that meant nothing then must not mean something now.
std::uint64_t todays_node_type(Vocabulary vocabulary, std::uint64_t type) {
  // An unknown value below eight would be taken for a type of today; a larger one stays unknown and is kept.
  if (!is_known_node_type(vocabulary, type)) return type < kNodeTypes ? 0 : type;
  // Before 0.0.3 there was no metadata node: all types behind the first were one less.
  return vocabulary <= Vocabulary::v0_0_2 && type != 0 ? type + 1 : type;
}

std::int64_t todays_comm_type(Vocabulary vocabulary, std::int64_t type) {
  if (vocabulary == Vocabulary::v0_0_4) return type;
  const std::optional<workload::Collective> collective = collective_of(vocabulary, type);
  return collective ? comm_type_of(*collective) : type;
}

void append_attribute(std::string& out, std::string_view name, const auto& add_value,
                      std::uint32_t number = node_field::attr) {
  WireWriter message(out);
  WireWriter attribute(message, number);
  attribute.add_bytes(attribute_field::name, name);
  add_value(attribute);
}

void append_ids(std::string& out, std::uint32_t number, const std::vector<std::uint64_t>& ids) {
  if (!ids.empty()) WireWriter(out).add_packed(number, ids);
}

bool take_ids(const WireField& field, std::vector<std::uint64_t>& ids) {
  if (field.is_varint()) return ids.push_back(field.value), true;
  const char* p = field.bytes.data();
  const char* const end = p + field.bytes.size();
  for (std::uint64_t id = 0; field.is_bytes() && p != end; ids.push_back(id)) {
    if (!take_varint(p, end, id)) return false;
  }
  return field.is_bytes();
}

/// The attribute comm_type, whatever integer it is, in today's words; all else of it stays.
std::string todays_comm_attribute(std::string_view message, const AttributeView& attribute, Vocabulary vocabulary) {
  std::string out;
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    // The value is replaced by an int64, whatever it was; name and description stay.
    if (field.number < attribute_field::double_val || field.number > attribute_field::bytes_list) out += field.whole();
  }
  WireWriter(out).add_number(attribute_field::int64_val,
                             todays_comm_type(vocabulary, integer_of(attribute.type, attribute.scalar.bits)));
  return out;
}

bool is_integer(const AttributeView& attribute) {
  const bool is_number = attribute.type != ValueType::double_val && attribute.type != ValueType::float_val;
  return attribute.has_value && !attribute.is_list && is_number && wire_type_of(attribute.type) != WireType::bytes;
}

/// Today's layout in an older vocabulary: the type and the attribute comm_type change, all else is copied.
bool upgrade_present(std::string_view message, Vocabulary vocabulary, std::string& out) {
  WireReader reader(message);
  AttributeView attribute;
  for (WireField field; reader.next(field);) {
    if (field.number == node_field::type && field.is_varint()) {
      WireWriter(out).add_number(node_field::type, todays_node_type(vocabulary, field.value));
    } else if (field.number == node_field::attr && field.is_bytes() && view_attribute(field.bytes, attribute) &&
               attribute.name == "comm_type" && is_integer(attribute)) {
      WireWriter(out).add_bytes(node_field::attr, todays_comm_attribute(field.bytes, attribute, vocabulary));
    } else {
      out += field.whole();
    }
  }
  return !reader.damaged();
}

/// What a field of 2023-01 is called as an attribute, and of which type it is today.
struct FlatAttribute {
  std::uint32_t number;
  std::string_view name;
  std::uint32_t value_field;
};
constexpr std::array kFlatAttributes = {
    FlatAttribute{5, "tensor_loc", attribute_field::int32_val},
    FlatAttribute{flat_field::tensor_size, "tensor_size", attribute_field::uint64_val},
    FlatAttribute{8, "input_tensor_loc", attribute_field::int32_val},
    FlatAttribute{9, "input_tensor_size", attribute_field::uint64_val},
    FlatAttribute{10, "output_tensor_loc", attribute_field::int32_val},
    FlatAttribute{11, "output_tensor_size", attribute_field::uint64_val},
    FlatAttribute{flat_field::num_ops, "num_ops", attribute_field::int64_val},
    FlatAttribute{flat_field::comm_type, "comm_type", attribute_field::int64_val},
    FlatAttribute{flat_field::communicator_id, "pg_name", attribute_field::string_val},
    FlatAttribute{flat_field::comm_src, "comm_src", attribute_field::int32_val},
    FlatAttribute{flat_field::comm_dst, "comm_dst", attribute_field::int32_val},
    FlatAttribute{flat_field::comm_size, "comm_size", attribute_field::int64_val},
    FlatAttribute{flat_field::comm_tag, "comm_tag", attribute_field::int32_val},
    FlatAttribute{flat_field::comm_priority, "comm_priority", attribute_field::int32_val}};

void append_flat_attribute(const FlatAttribute& known, std::uint64_t value, std::string& out) {
  append_attribute(out, known.name, [&](WireWriter& attribute) {
    // The fields were 32 bits wide, or 64 in some files of that time: what does not fit gets the wider type.
    // A negative number in a varint has 64 bits: it does not fit either.
    const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    if (known.value_field == attribute_field::string_val)
      attribute.add_bytes(known.value_field, std::to_string(static_cast<std::int64_t>(value)));
    else
      attribute.add_number(
          known.value_field == attribute_field::int32_val && !fits ? attribute_field::int64_val : known.value_field,
          value);
  });
}

/// What old layouts have in common, in the order of today's fields: dependencies and duration come before the
/// attributes.
struct OldNode {
  std::string head, attributes, unknown;
  std::vector<std::uint64_t> parents;
  std::uint64_t duration_us = 0;

  /// The fields that were and are the first three.
  bool take_head(const WireField& field, Vocabulary vocabulary) {
    if (field.number != node_field::type) return head.append(field.whole()), true;
    WireWriter(head).add_number(node_field::type, todays_node_type(vocabulary, field.value));
    return field.is_varint();
  }
  void append_to(std::string& out, std::string_view tensors = {}) const {
    out += head;
    append_ids(out, node_field::data_deps, parents);
    if (duration_us != 0) WireWriter(out).add_number(node_field::duration_micros, duration_us);
    out += tensors;
    out += attributes;
    // Today's writers put fields in ascending order, and readers compare files.
    out += unknown;
  }
};

bool upgrade_flat(std::string_view message, Vocabulary vocabulary, std::string& out) {
  OldNode node;
  std::vector<std::uint32_t> involved;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    // The numbers of the first three fields never changed.
    if (field.number <= flat_field::type) {
      if (!node.take_head(field, vocabulary)) return false;
      continue;
    }
    if (field.number == flat_field::parent) {
      if (!take_ids(field, node.parents)) return false;
      continue;
    }
    // Fields behind the last known one are somebody's own.
    if (field.number > flat_field::comm_priority) {
      node.unknown.append(field.whole());
      continue;
    }
    if (!field.is_varint()) return false;
    if (field.number == flat_field::run_time) node.duration_us = field.value;
    else if (field.number == flat_field::involved_dim) involved.push_back(field.value != 0 ? 1 : 0);
    for (const FlatAttribute& known : kFlatAttributes) {
      if (known.number != field.number) continue;
      const bool is_comm_type = known.number == flat_field::comm_type;
      const std::uint64_t value =
          is_comm_type
              ? static_cast<std::uint64_t>(todays_comm_type(vocabulary, static_cast<std::int64_t>(field.value)))
              : field.value;
      append_flat_attribute(known, value, node.attributes);
    }
  }
  if (!involved.empty()) {
    append_attribute(node.attributes, "involved_dim", [&](WireWriter& attribute) {
      WireWriter(attribute, attribute_field::bool_list).add_packed(1, involved);
    });
  }
  node.append_to(out);
  return !reader.damaged();
}

enum class TypedKind : std::uint8_t { boolean, real, integer, text };

struct TypedAttribute {
  std::string_view name, doc_string;
  std::uint64_t type = 0;
  std::vector<WireField> values;
};

TypedKind kind_of(const TypedAttribute& attribute, Vocabulary vocabulary) {
  const WireField& last = attribute.values.back();
  // By what is there, and not by the type that is claimed: writers of that time disagreed about its numbers.
  if (last.is_bytes()) return TypedKind::text;
  if (!last.is_varint()) return TypedKind::real;
  const KnownAttribute known = known_attribute(attribute.name);
  if (known != KnownAttribute::none) {
    const bool is_flag = known == KnownAttribute::on_host || known == KnownAttribute::dims;
    return is_flag ? TypedKind::boolean : TypedKind::integer;
  }
  return vocabulary != Vocabulary::v0_0_2 && attribute.type == 0 ? TypedKind::boolean
                                                                 : TypedKind::integer;  // 0.0.2 had no BOOL
}

/// Half of the types are lists, those of a single value first. What is known is a single value, but for the dimensions.
bool is_list(const TypedAttribute& attribute, Vocabulary vocabulary) {
  const KnownAttribute known = known_attribute(attribute.name);
  if (known != KnownAttribute::none) return known == KnownAttribute::dims;
  // Lists have the upper half of the types: there were three kinds of values in 0.0.2 and five afterwards.
  return attribute.values.size() > 1 || attribute.type >= (vocabulary == Vocabulary::v0_0_2 ? 3u : 5u);
}

void append_typed_list(WireWriter& attribute, TypedKind kind, const std::vector<WireField>& values) {
  if (kind == TypedKind::text) {
    WireWriter list(attribute, attribute_field::string_list);
    for (const WireField& value : values) list.add_bytes(1, value.bytes);
    return;
  }
  const std::uint32_t number = kind == TypedKind::boolean ? attribute_field::bool_list
                               : kind == TypedKind::real  ? attribute_field::float_list
                                                          : attribute_field::int64_list;
  std::vector<std::uint64_t> bits;
  for (const WireField& value : values) {
    if (value.is_varint() == (kind != TypedKind::real)) bits.push_back(value.value);
  }
  if (bits.empty()) return attribute.add_bytes(number, std::string());  // a writer of its own would leave it out
  WireWriter list(attribute, number);
  if (kind != TypedKind::real) return list.add_packed(1, bits);
  std::vector<std::uint32_t> floats(bits.begin(), bits.end());
  list.add_packed_fixed(1, floats);
}

void append_typed_value(WireWriter& attribute, TypedKind kind, const WireField& value) {
  switch (kind) {
    case TypedKind::boolean: return attribute.add_number(attribute_field::bool_val, value.value);
    case TypedKind::real:
      return attribute.add_fixed(attribute_field::float_val, static_cast<std::uint32_t>(value.value));
    case TypedKind::integer: return attribute.add_number(attribute_field::int64_val, value.value);
    case TypedKind::text: return attribute.add_bytes(attribute_field::string_val, value.bytes);
  }
}

bool view_typed(std::string_view message, TypedAttribute& out) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == typed_attribute_field::name) out.name = field.bytes;
    else if (field.number == typed_attribute_field::type) out.type = field.value;
    else if (field.number == typed_attribute_field::doc_string) out.doc_string = field.bytes;
    else out.values.push_back(field);
  }
  return !reader.damaged();
}

/// As an attribute of today, in the field `number` of `out`; a run time goes to `duration_us` instead.
bool upgrade_typed_attribute(std::string_view message, Vocabulary vocabulary, std::uint32_t number, std::string& out,
                             std::uint64_t& duration_us) {
  TypedAttribute attribute;
  if (!view_typed(message, attribute)) return false;
  const KnownAttribute known = known_attribute(attribute.name);
  const bool has_number = !attribute.values.empty() && attribute.values.back().is_varint();
  if (has_number && known == KnownAttribute::run_time) return duration_us = attribute.values.back().value, true;
  if (has_number && known == KnownAttribute::comm_type) {
    std::uint64_t& type = attribute.values.back().value;
    type = static_cast<std::uint64_t>(todays_comm_type(vocabulary, static_cast<std::int64_t>(type)));
  }
  const auto add_value = [&](WireWriter& writer) {
    if (!attribute.doc_string.empty()) writer.add_bytes(attribute_field::doc_string, attribute.doc_string);
    if (attribute.values.empty() && known != KnownAttribute::dims) return;
    const TypedKind kind = known == KnownAttribute::dims ? TypedKind::boolean : kind_of(attribute, vocabulary);
    if (is_list(attribute, vocabulary)) append_typed_list(writer, kind, attribute.values);
    else append_typed_value(writer, kind, attribute.values.back());
  };
  append_attribute(out, attribute.name, add_value, number);
  return true;
}

bool upgrade_typed(std::string_view message, Vocabulary vocabulary, std::string& out) {
  OldNode node;
  std::string inputs, outputs;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    bool fits = true;
    if (field.number <= typed_field::type) fits = node.take_head(field, vocabulary);
    else if (field.number == typed_field::parent) fits = take_ids(field, node.parents);
    else if (field.number == typed_field::attribute)
      fits = field.is_bytes() &&
             upgrade_typed_attribute(field.bytes, vocabulary, node_field::attr, node.attributes, node.duration_us);
    else if (field.number > typed_field::attribute) node.unknown.append(field.whole());
    else {
      const bool is_input = field.number < typed_field::outputs;
      const std::uint32_t number =
          tensors_field::values + field.number - (is_input ? typed_field::inputs : typed_field::outputs);
      fits = field.is_bytes();
      if (fits) WireWriter(is_input ? inputs : outputs).add_bytes(number, field.bytes);
    }
    if (!fits) return false;
  }
  std::string tensors;
  if (!inputs.empty()) WireWriter(tensors).add_bytes(node_field::inputs, inputs);
  if (!outputs.empty()) WireWriter(tensors).add_bytes(node_field::outputs, outputs);
  node.append_to(out, tensors);
  return !reader.damaged();
}

/// What was old says that it no longer is; attributes move from 1 to 2 where they were there, that is before there was
/// a version.
bool upgrade_metadata(std::string_view message, const Dialect& dialect, bool is_old, std::string& out) {
  std::uint64_t ignored = 0;
  if (is_old) WireWriter(out).add_bytes(metadata_field::version, "0.0.4");
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    // Two branches keep the field as it is, for different reasons.
    // NOLINTNEXTLINE(bugprone-branch-clone)
    if (field.number != metadata_field::version || !field.is_bytes()) {
      out += field.whole();
    } else if (AttributeView attribute;
               view_attribute(field.bytes, attribute) && attribute.has_value && !attribute.name.empty()) {
      WireWriter(out).add_bytes(metadata_field::attr, field.bytes);
    } else if (dialect.layout == Layout::typed && is_typed_attribute(field.bytes)) {
      if (!upgrade_typed_attribute(field.bytes, dialect.vocabulary, metadata_field::attr, out, ignored)) return false;
    } else if (!is_old) {
      out += field.whole();
    }
  }
  return !reader.damaged();
}

/// The old layouts' nodes; false if damaged.
bool upgrade_fields(std::string_view message, const Dialect& dialect, std::string& out) {
  switch (dialect.layout) {
    case Layout::flat: return upgrade_flat(message, dialect.vocabulary, out);
    case Layout::typed: return upgrade_typed(message, dialect.vocabulary, out);
    case Layout::present: return upgrade_present(message, dialect.vocabulary, out);
  }
  return false;
}

}  // namespace

bool upgrade_node(std::string_view message, const Dialect& dialect, std::string& out) {
  out.clear();
  if (!upgrade_fields(message, dialect, out)) return false;
  if (out.empty() && !message.empty())
    WireWriter(out).add_number(node_field::id, 0);  // an empty record would end the file
  return true;
}

Status upgrade(std::string_view bytes, const std::string& path, std::string_view schema, const TakeRecord& take) {
  if (bytes.empty()) return Error{"the file is empty", path, 0, "a Chakra trace begins with its metadata"};
  const Dialect dialect = recognise_dialect(bytes, vocabulary_called(schema));
  const bool is_old = dialect.layout != Layout::present || dialect.vocabulary != Vocabulary::v0_0_4;
  std::string changed;
  if (!dialect.has_metadata) {
    // Files of 2023-01 begin with the first node; today's readers take the first record for metadata, so there must be
    // one.
    if (!upgrade_metadata({}, dialect, true, changed)) return Error{"the metadata cannot be written", path};
    if (Status taken = take(changed, true); !taken) return taken;
  }
  RecordReader records(bytes);
  for (bool is_metadata = dialect.has_metadata; !records.at_end(); is_metadata = false) {
    const std::size_t position = records.position();
    const std::optional<std::string_view> message = records.next();
    if (!message)
      return Error{"the file ends inside a record", path, position, "it is truncated, or not a Chakra execution trace"};
    std::string_view upgraded = *message;
    if (is_metadata || is_old) {
      changed.clear();
      if (!(is_metadata ? upgrade_metadata(*message, dialect, is_old, changed)
                        : upgrade_node(*message, dialect, changed)))
        return Error{"this record is damaged", path, position, "is it a Chakra execution trace (.et)?"};
      upgraded = changed;
    }
    if (Status taken = take(upgraded, is_metadata); !taken) return taken;
  }
  return {};
}

}  // namespace orrery::chakra
