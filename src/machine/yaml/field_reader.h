// From a YAML tree to a described value: the visitor that every reader of a description file uses. A type says its
// fields once, in describe(); this takes each from the document, and tells what is missing, mistyped or unknown with
// its line and, where it can be guessed, what was meant.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/result.h"
#include "base/suggest.h"
#include "machine/yaml/field_checker.h"
#include "machine/yaml/field_kinds.h"
#include "machine/yaml/yaml_tree.h"

namespace orrery::machine {

/// What all readers of one file share: its name, where each field was, and the first error.
struct FieldContext {
  std::string file;
  std::string_view whole;     ///< what the document describes, as messages call it: "the machine"
  std::string_view document;  ///< where its fields are listed: "docs/formats/machine.md"
  std::map<std::string, int> lines = {};
  std::optional<Error> error = {};

  /// Where a field is or, if it was left out, what should have it: "network[0].size", "network[0]", "network".
  [[nodiscard]] int line_of(std::string field, int first_line) const {
    while (!field.empty()) {
      if (const auto found = lines.find(field); found != lines.end()) return found->second;
      // A field that was left out has no line: the nearest thing around it has.
      const auto end = field.find_last_of(".[");
      field.resize(end == std::string::npos ? 0 : end);
    }
    return first_line;
  }
  void fail(int line, std::string_view message, std::string hint = {}) {
    if (!error) error = yaml_error(file, line, message, std::move(hint));
  }
};

inline std::string describe_value(const YamlNode& node) {
  constexpr std::size_t kMaxShown = 60;
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::mapping: return "a mapping";
    case YamlNode::Kind::scalar: break;
  }
  const bool shown_whole = node.text.size() <= kMaxShown;
  return fmt::format("{}'{}'", node.quoted ? "the text " : "",
                     shown_whole ? node.text : node.text.substr(0, kMaxShown) + "…");
}

/// Visits the fields of one mapping and takes each from there.
class FieldReader {
 public:
  FieldReader(FieldContext& context, const YamlNode& node, std::string path)
      : context_(context), node_(node), path_(std::move(path)) {
    if (node.kind != YamlNode::Kind::mapping)
      context_.fail(node.line, fmt::format("{} must be a mapping, found {}", place(), describe_value(node)));
  }

  /// Call after all fields: whatever was not visited is not known. An absent key comes last, because an unknown one
  /// explains it better.
  void finish() {
    if (node_.kind != YamlNode::Kind::mapping) return;
    for (const YamlNode& child : node_.children) {
      if (std::find(known_.begin(), known_.end(), child.key) != known_.end()) continue;
      const std::string_view meant = nearest_word(child.key, known_);
      std::string hint = meant.empty() ? fmt::format("known keys: {}", fmt::join(known_, ", "))
                                       : fmt::format("did you mean '{}'?", meant);
      // `latency: 5` for `latency_ns: 5` is the usual slip.
      if (meant.starts_with(child.key + "_")) hint += " Units are part of the name";
      return context_.fail(child.key_line, fmt::format("unknown key '{}' in {}", child.key, place()), std::move(hint));
    }
    if (!missing_.empty())
      context_.fail(node_.line, fmt::format("{} has no '{}'", place(), missing_),
                    fmt::format("{} lists the fields", context_.document));
  }

  void format(std::string_view key, std::string_view expected) {
    const YamlNode* child = require(key);
    if (child == nullptr || (child->kind == YamlNode::Kind::scalar && child->text == expected)) return;
    context_.fail(child->line, fmt::format("{} must be {}, found {}", key, expected, describe_value(*child)));
  }
  void text(std::string_view key, std::string& value) {
    const YamlNode* child = require(key);
    if (child == nullptr) return;
    if (child->kind != YamlNode::Kind::scalar) return wrong_type(*child, key, "text");
    value = child->text;
  }
  void text(std::string_view key, std::optional<std::string>& value) {
    const YamlNode* child = find(key);
    if (child == nullptr) return;
    if (child->kind != YamlNode::Kind::scalar) return wrong_type(*child, key, "text");
    value = child->text;
  }
  void expression(std::string_view key, std::string& value) { text(key, value); }
  void expression(std::string_view key, std::optional<std::string>& value) { text(key, value); }
  void texts(std::string_view key, std::vector<std::string>& values) {
    const YamlNode* child = find(key);
    if (child == nullptr) return;
    if (child->kind != YamlNode::Kind::sequence) return wrong_type(*child, key, "a list of texts");
    for (const YamlNode& item : child->children) {
      if (item.kind != YamlNode::Kind::scalar) return wrong_type(item, key, "a list of texts");
      values.push_back(item.text);
    }
  }
  void flag(std::string_view key, bool& value) {
    const YamlNode* child = find(key);
    if (child == nullptr) return;
    if (child->kind != YamlNode::Kind::scalar || (child->text != "true" && child->text != "false"))
      return wrong_type(*child, key, "true or false");
    value = child->text == "true";
  }
  void flag(std::string_view key, std::optional<bool>& value) {
    bool given = false;
    if (node_.kind == YamlNode::Kind::mapping && node_.find(key) != nullptr) flag(key, value.emplace(given));
    else known_.push_back(key);
  }
  void number(std::string_view key, double& value, Range) { required_number(key, value); }
  void number(std::string_view key, std::optional<double>& value, Range) { optional_number(key, value); }
  void count(std::string_view key, std::int64_t& value, Range) { required_number(key, value); }
  void count(std::string_view key, std::optional<std::int64_t>& value, Range) { optional_number(key, value); }
  void whole(std::string_view key, double& value, Range) {
    if (const YamlNode* child = require(key)) take_whole(*child, key, value);
  }
  void whole(std::string_view key, double& value, Range, Default<double> usual) {
    value = usual.value;
    if (const YamlNode* child = find(key)) take_whole(*child, key, value);
  }
  template <typename T>
  void number(std::string_view key, double& value, Range, Default<T> usual) {
    defaulted_number(key, value, usual.value);
  }
  template <typename T>
  void count(std::string_view key, std::int64_t& value, Range, Default<T> usual) {
    defaulted_number(key, value, std::int64_t{usual.value});
  }
  /// Left out, a field takes the value that follows from others; an absurd one is left for find_violation to explain.
  void count(std::string_view key, std::int64_t& value, Range range, const Derived& derived) {
    if (!derived.value) return required_number(key, value);
    defaulted_number(key, value, range.holds(*derived.value) ? static_cast<std::int64_t>(*derived.value) : 0);
  }
  void counts(std::string_view key, std::vector<std::int64_t>& values, Range) {
    if (const YamlNode* child = require(key)) take_counts(*child, key, values);
  }
  void counts(std::string_view key, std::vector<std::int64_t>& values, Range,
              Default<std::vector<std::int64_t>> usual) {
    values = std::move(usual.value);
    const YamlNode* child = find(key);
    if (child == nullptr) return;
    values.clear();
    take_counts(*child, key, values);
  }
  /// A list of some of `names`; empty if it is left out.
  template <typename Enumerator>
  void choices(std::string_view key, std::vector<Enumerator>& values, std::span<const std::string_view> names) {
    const YamlNode* child = find(key);
    if (child == nullptr) return;
    if (child->kind != YamlNode::Kind::sequence) return wrong_type(*child, key, "a list");
    for (const YamlNode& item : child->children) take_choice(item, key, values.emplace_back(), names);
  }
  template <typename Enumerator>
  void choice(std::string_view key, Enumerator& value, std::span<const std::string_view> names) {
    if (const YamlNode* child = require(key)) take_choice(*child, key, value, names);
  }
  template <typename Enumerator>
  void choice(std::string_view key, Enumerator& value, std::span<const std::string_view> names,
              Default<Enumerator> usual) {
    value = usual.value;
    if (const YamlNode* child = find(key)) take_choice(*child, key, value, names);
  }
  void rates(std::string_view key, PeakTflops& value, Range range) {
    const YamlNode* child = find(key);
    if (child == nullptr) return;
    FieldReader inner(context_, *child, join(key));
    for (std::size_t i = 0; i < value.by_type.size(); ++i) inner.number(kDataTypeNames[i], value.by_type[i], range);
    inner.finish();
  }
  template <typename T>
  void object(std::string_view key, T& value) {
    if (const YamlNode* child = require(key)) take_object(*child, key, value);
  }
  template <typename T>
  void object(std::string_view key, std::optional<T>& value) {
    if (const YamlNode* child = find(key)) take_object(*child, key, value.emplace());
  }
  template <typename T>
  void object(std::string_view key, T& value, const Default<T>& usual) {
    value = usual.value;
    if (const YamlNode* child = find(key)) take_object(*child, key, value);
  }
  template <typename T>
  void list(std::string_view key, std::vector<T>& values) {
    if (const YamlNode* child = find(key)) take_list(*child, key, values);
  }
  template <typename T>
  void list(std::string_view key, std::vector<T>& values, Required) {
    if (const YamlNode* child = require(key)) take_list(*child, key, values);
  }

 private:
  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  [[nodiscard]] std::string place() const { return path_.empty() ? std::string(context_.whole) : path_; }

  const YamlNode* find(std::string_view key) {
    known_.push_back(key);
    const YamlNode* child = node_.kind == YamlNode::Kind::mapping ? node_.find(key) : nullptr;
    if (child != nullptr) context_.lines[join(key)] = child->key_line;
    return child;
  }
  const YamlNode* require(std::string_view key) {
    const YamlNode* child = find(key);
    if (child == nullptr && missing_.empty()) missing_ = key;
    return child;
  }
  void wrong_type(const YamlNode& child, std::string_view key, std::string_view expected, std::string hint = {}) {
    context_.fail(child.line, fmt::format("{} must be {}, found {}", join(key), expected, describe_value(child)),
                  std::move(hint));
  }

  template <typename T>
  void take_list(const YamlNode& child, std::string_view key, std::vector<T>& values) {
    if (child.kind != YamlNode::Kind::sequence) return wrong_type(child, key, "a list");
    for (std::size_t i = 0; i < child.children.size(); ++i) {
      const std::string item = fmt::format("{}[{}]", join(key), i);
      context_.lines[item] = child.children[i].line;
      FieldReader inner(context_, child.children[i], item);
      describe(inner, values.emplace_back());
      inner.finish();
    }
  }
  template <typename T>
  void take_object(const YamlNode& child, std::string_view key, T& value) {
    FieldReader inner(context_, child, join(key));
    describe(inner, value);
    inner.finish();
  }
  template <typename Enumerator>
  void take_choice(const YamlNode& child, std::string_view key, Enumerator& value,
                   std::span<const std::string_view> names) {
    const auto found = std::find(names.begin(), names.end(), child.text);
    if (child.kind == YamlNode::Kind::scalar && found != names.end()) {
      value = static_cast<Enumerator>(found - names.begin());
      return;
    }
    const std::string_view meant =
        child.kind == YamlNode::Kind::scalar ? nearest_word(child.text, names) : std::string_view();
    wrong_type(child, key, fmt::format("one of {}", fmt::join(names, ", ")),
               meant.empty() ? "" : fmt::format("did you mean '{}'?", meant));
  }
  void take_counts(const YamlNode& child, std::string_view key, std::vector<std::int64_t>& values) {
    if (child.kind != YamlNode::Kind::sequence) return wrong_type(child, key, "a list of whole numbers");
    for (std::size_t i = 0; i < child.children.size(); ++i)
      take_number(child.children[i], fmt::format("{}[{}]", key, i), values.emplace_back());
  }
  void take_whole(const YamlNode& child, std::string_view key, double& value) {
    std::int64_t number = 0;
    take_number(child, key, number);
    value = static_cast<double>(number);
  }
  template <typename Number>
  void take_number(const YamlNode& child, std::string_view key, Number& value) {
    constexpr bool whole = std::is_integral_v<Number>;
    const NumberScan<Number> found = scan_number<Number>(child.text);
    bool good = child.kind == YamlNode::Kind::scalar && !child.quoted && found.is_all_of(child.text);
    if constexpr (!whole) good = good && std::isfinite(found.value);
    if (good) {
      value = found.value;
      return;
    }
    // `400 GB/s`: what is wrong is not the number.
    const bool begins_with_number =
        child.kind == YamlNode::Kind::scalar && found.is_number() && !found.is_all_of(child.text);
    wrong_type(child, key, whole ? "a whole number" : "a number",
               begins_with_number && !whole ? "write the number alone: the unit is part of the key" : "");
  }
  template <typename Number>
  void required_number(std::string_view key, Number& value) {
    if (const YamlNode* child = require(key)) take_number(*child, key, value);
  }
  template <typename Number>
  void defaulted_number(std::string_view key, Number& value, Number usual) {
    value = usual;
    if (const YamlNode* child = find(key)) take_number(*child, key, value);
  }
  template <typename Number>
  void optional_number(std::string_view key, std::optional<Number>& value) {
    if (const YamlNode* child = find(key)) take_number(*child, key, value.emplace());
  }

  FieldContext& context_;
  const YamlNode& node_;
  std::string path_;
  std::vector<std::string_view> known_;
  std::string_view missing_;  // the first required key that is not there
};

/// Reads a whole document into a T by its describe(), and holds it against the ranges there. `whole` and `document` as
/// in FieldContext; `rule` may look for more: what no single field shows.
template <typename T>
Result<T> read_description(std::string_view yaml, const std::string& file, std::string_view whole,
                           std::string_view document, const std::function<std::optional<Violation>(const T&)>& rule) {
  auto tree = parse_yaml(yaml, file);
  if (!tree) return tree.error();
  FieldContext context{.file = file, .whole = whole, .document = document};
  T value;
  FieldReader reader(context, *tree, {});
  describe(reader, value);
  reader.finish();
  // Rules about what could not be read would only confuse.
  if (context.error) return std::move(*context.error);
  std::optional<Violation> violation = find_field_violation(value);
  if (!violation && rule) violation = rule(value);
  if (violation)
    return yaml_error(file, context.line_of(violation->field, tree->line), violation->field + " " + violation->message,
                      violation->hint);
  return value;
}

}  // namespace orrery::machine
