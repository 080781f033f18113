#include "formats/perfetto/annotations.h"

#include <bit>

#include "base/json/json_writer.h"
#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/schema.h"

// A value is one of several fields of its message. Most are plain; dictionaries and lists become JSON, written front to
// back into one text that is used again, down to a bounded depth.

namespace orrery::perfetto {
namespace {

constexpr int kMostDepth = 64;

bool is_value(std::uint32_t number) {
  using namespace annotation_field;
  constexpr std::uint32_t kValues = 1u << kBool | 1u << kUnsigned | 1u << kInteger | 1u << kReal | 1u << kText |
                                    1u << kPointer | 1u << kNested | 1u << kJson | 1u << kTextNumber |
                                    1u << kDictionary | 1u << kArray;
  return number < 32 && (kValues >> number & 1) != 0;
}

bool is_container(std::uint32_t number) {
  return number == annotation_field::kDictionary || number == annotation_field::kArray ||
         number == annotation_field::kNested;
}

}  // namespace

StringId AnnotationReader::text_of(const NumberTable& table, std::uint64_t number) {
  const std::uint32_t found = table.find(number);
  if (found != NumberTable::kNone) return found;
  diagnostics_.add(kUnknownNumber, [&] { return "argument " + std::to_string(number); });
  return 0;
}

ArgumentValue AnnotationReader::value_of(const WireField& field, std::string_view message, const Sequence& sequence) {
  switch (field.number) {
    case annotation_field::kBool:
    case annotation_field::kUnsigned:
    case annotation_field::kInteger:
    case annotation_field::kPointer:
      if (field.is_varint()) return {ArgumentValue::integer, field.integer()};
      break;
    case annotation_field::kReal:
      if (field.type == WireType::fixed64) return {ArgumentValue::real, 0, std::bit_cast<double>(field.value)};
      break;
    case annotation_field::kText:
    case annotation_field::kJson:
      if (field.is_bytes()) return {ArgumentValue::text, 0, 0, strings_.intern(field.bytes)};
      break;
    case annotation_field::kTextNumber:
      if (field.is_varint()) return {ArgumentValue::text, 0, 0, text_of(sequence.texts, field.value)};
      break;
    default:
      if (!field.is_bytes()) break;
      // All members of a dictionary or list are fields of the message: the first stands for them.
      json_.clear();
      write_json(message, sequence, 0);
      return {ArgumentValue::text, 0, 0, strings_.intern(json_)};
  }
  return {};
}

ArgumentValue AnnotationReader::read(std::string_view message, const Sequence& sequence, StringId& key) {
  constexpr char kKeyTag = static_cast<char>(wire_tag(annotation_field::kKey, WireType::bytes));
  WireReader reader(message);
  // A key that is written out mostly comes first. Most bytes of a trace are shapes and types of operands.
  if (std::string_view name; reader.next_bytes(kKeyTag, name)) {
    key = keys_.number_of(name);
    if (key != 0 && keys_.target(key) == ArgumentKeys::kIgnored) return {};
  }
  WireField field;
  bool is_early = false;  // a value came in front of its key, which nearly no writer has
  while (reader.next(field)) {
    if (is_value(field.number)) {
      // All members of a list are fields of this message: the first tells what it is.
      if (key != 0) return value_of(field, message, sequence);
      is_early = true;
      continue;
    }
    if (field.is(annotation_field::kKey, WireType::bytes)) key = keys_.number_of(field.bytes);
    else if (field.is(annotation_field::kKeyNumber, WireType::varint)) key = text_of(sequence.keys, field.value);
    if (key == 0) continue;
    if (keys_.target(key) == ArgumentKeys::kIgnored) return {};
    if (is_early) break;
  }
  return is_early ? first_value(message, sequence) : ArgumentValue{};
}

ArgumentValue AnnotationReader::first_value(std::string_view message, const Sequence& sequence) {
  WireReader reader(message);
  WireField field;
  while (reader.next(field) && !is_value(field.number)) {
  }
  return value_of(field, message, sequence);
}

std::string_view AnnotationReader::key_of(std::string_view message, const Sequence& sequence) const {
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(annotation_field::kKey, WireType::bytes)) return field.bytes;
    if (field.is(annotation_field::kKeyNumber, WireType::varint)) {
      const std::uint32_t text = sequence.keys.find(field.value);
      return text == NumberTable::kNone ? std::string_view() : strings_.text(text);
    }
  }
  return {};
}

void AnnotationReader::write_members(std::string_view message, const Sequence& sequence, std::uint32_t which,
                                     int depth) {
  const bool is_dictionary = which == annotation_field::kDictionary;
  json_ += is_dictionary ? '{' : '[';
  WireReader reader(message);
  WireField field;
  bool is_first = true;
  while (reader.next(field)) {
    if (!field.is(which, WireType::bytes)) continue;
    if (!is_first) json_ += ", ";
    is_first = false;
    if (is_dictionary) {
      append_json_string(json_, key_of(field.bytes, sequence));
      json_ += ": ";
    }
    write_json(field.bytes, sequence, depth + 1);
  }
  json_ += is_dictionary ? '}' : ']';
}

void AnnotationReader::write_json(std::string_view message, const Sequence& sequence, int depth) {
  if (depth > kMostDepth) {
    diagnostics_.add(kDeepArgument);
    json_ += "null";
    return;
  }
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (is_container(field.number) && field.is_bytes()) {
      if (field.number == annotation_field::kNested) write_nested(field.bytes, depth + 1);
      else write_members(message, sequence, field.number, depth);
      return;
    }
    const bool is_value = (field.number >= annotation_field::kBool && field.number <= annotation_field::kJson) ||
                          field.number == annotation_field::kTextNumber;
    if (is_value) return write_value(field, sequence);
  }
  json_ += "null";
}

void AnnotationReader::write_value(const WireField& field, const Sequence& sequence) {
  JsonWriter json(json_);
  switch (field.number) {
    case annotation_field::kBool: json.value(field.value != 0); return;
    case annotation_field::kUnsigned: json.value(field.value); return;
    case annotation_field::kInteger: json.value(field.integer()); return;
    case annotation_field::kPointer: json.value(field.value); return;
    case annotation_field::kReal:
      if (field.type == WireType::fixed64) json.value(std::bit_cast<double>(field.value));
      else json.null();
      return;
    case annotation_field::kTextNumber: json.value(strings_.text(text_of(sequence.texts, field.value))); return;
    default:
      if (field.is_bytes()) json.value(field.bytes);
      else json.null();
  }
}

// The old way to nest: {1 kind, 2 keys*, 3 values*, 4 list*, 5 integer, 6 real, 7 bool, 8 text}.
void AnnotationReader::write_nested(std::string_view message, int depth) {
  using namespace annotation_field;
  if (depth > kMostDepth) {
    diagnostics_.add(kDeepArgument);
    json_ += "null";
    return;
  }
  std::vector<std::string_view> keys, values, list;
  JsonWriter json(json_);
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(kNestedKeys, WireType::bytes)) keys.push_back(field.bytes);
    else if (field.is(kNestedValues, WireType::bytes)) values.push_back(field.bytes);
    else if (field.is(kNestedArray, WireType::bytes)) list.push_back(field.bytes);
    else if (field.is(kNestedInteger, WireType::varint)) return static_cast<void>(json.value(field.integer()));
    else if (field.is(kNestedReal, WireType::fixed64))
      return static_cast<void>(json.value(std::bit_cast<double>(field.value)));
    else if (field.is(kNestedBool, WireType::varint)) return static_cast<void>(json.value(field.value != 0));
    else if (field.is(kNestedText, WireType::bytes)) return static_cast<void>(json.value(field.bytes));
  }
  const bool is_dictionary = !values.empty();
  json_ += is_dictionary ? '{' : '[';
  const std::vector<std::string_view>& members = is_dictionary ? values : list;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) json_ += ", ";
    if (is_dictionary) {
      append_json_string(json_, i < keys.size() ? keys[i] : std::string_view());
      json_ += ": ";
    }
    write_nested(members[i], depth + 1);
  }
  json_ += is_dictionary ? '}' : ']';
}

}  // namespace orrery::perfetto
