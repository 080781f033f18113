// From a described value to YAML: the visitor behind every writer of a description file, and the counterpart of
// field_reader.h.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json_writer.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::machine {

/// What to say behind the line of a field: nothing, or a comment without its "# ". Paths are as in errors:
/// "gemm.wave_share", "memory[0].name".
using FieldComment = std::function<std::string(const std::string& path)>;

/// Visits the fields and appends "key: value" lines. Numbers take the shortest form that reads back to the same bits;
/// text is quoted as in JSON, which is YAML too.
class FieldWriter {
 public:
  /// `lead` is what the first line starts with ("  - " for an item of a list), the others are indented to the same
  /// depth.
  explicit FieldWriter(std::string& out, std::string lead = {}, std::string path = {},
                       const FieldComment* comment = nullptr)
      : out_(out), lead_(std::move(lead)), depth_(lead_.size()), path_(std::move(path)), comment_(comment) {}

  void format(std::string_view key, std::string_view name) { line(key, name); }
  void text(std::string_view key, const std::string& value) {
    std::string quoted;
    append_json_string(quoted, value);
    line(key, quoted);
  }
  void text(std::string_view key, const std::optional<std::string>& value) {
    if (value) text(key, *value);
  }
  void expression(std::string_view key, const std::string& value) { text(key, value); }
  void expression(std::string_view key, const std::optional<std::string>& value) { text(key, value); }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::vector<std::string> quoted(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) append_json_string(quoted[i], values[i]);
    line(key, fmt::format("[{}]", fmt::join(quoted, ", ")));
  }
  void flag(std::string_view key, bool value) {
    if (value) line(key, "true");
  }
  void whole(std::string_view key, double value, Range range) { number(key, value, range); }
  void whole(std::string_view key, double value, Range range, Default<double> usual) {
    number(key, value, range, usual);
  }
  void number(std::string_view key, double value, Range) { line(key, fmt::format("{}", value)); }
  void count(std::string_view key, std::int64_t value, Range) { line(key, fmt::format("{}", value)); }
  void number(std::string_view key, const std::optional<double>& value, Range range) {
    if (value) number(key, *value, range);
  }
  void count(std::string_view key, const std::optional<std::int64_t>& value, Range range) {
    if (value) count(key, *value, range);
  }
  template <typename T>
  void number(std::string_view key, double value, Range range, Default<T> usual) {
    if (value != usual.value) number(key, value, range);
  }
  template <typename T>
  void count(std::string_view key, std::int64_t value, Range range, Default<T> usual) {
    if (value != usual.value) count(key, value, range);
  }
  void count(std::string_view key, std::int64_t value, Range range, const Derived&) { count(key, value, range); }
  void counts(std::string_view key, const std::vector<std::int64_t>& values, Range) {
    line(key, fmt::format("[{}]", fmt::join(values, ", ")));
  }
  template <typename Enumerator>
  void choice(std::string_view key, Enumerator value, std::span<const std::string_view> names) {
    line(key, names[static_cast<std::size_t>(value)]);
  }
  template <typename Enumerator>
  void choice(std::string_view key, Enumerator value, std::span<const std::string_view> names,
              Default<Enumerator> usual) {
    if (value != usual.value) choice(key, value, names);
  }
  void rates(std::string_view key, const PeakTflops& value, Range range) {
    // A key without entries would read as nothing, which is refused.
    if (value == PeakTflops{}) return;
    open(key);
    FieldWriter inner(out_, std::string(depth_ + 2, ' '), join(key), comment_);
    for (std::size_t i = 0; i < value.by_type.size(); ++i) inner.number(kDataTypeNames[i], value.by_type[i], range);
  }
  template <typename T>
  void object(std::string_view key, const T& value) {
    std::string body;
    FieldWriter inner(body, std::string(depth_ + 2, ' '), join(key), comment_);
    describe(inner, value);
    // All of it is as usual: a mapping it must be, all the same.
    if (body.empty()) return line(key, "{}");
    open(key);
    out_ += body;
  }
  template <typename T>
  void object(std::string_view key, const std::optional<T>& value) {
    if (value) object(key, *value);
  }
  template <typename T>
  void object(std::string_view key, const T& value, const Default<T>& usual) {
    if (value != usual.value) object(key, value);
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values) {
    if (values.empty()) return;
    open(key);
    for (std::size_t i = 0; i < values.size(); ++i) {
      FieldWriter inner(out_, std::string(depth_ + 2, ' ') + "- ", fmt::format("{}[{}]", join(key), i), comment_);
      describe(inner, values[i]);
    }
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values, Required) {
    list(key, values);
  }

 private:
  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  void line(std::string_view key, std::string_view value) {
    const std::string comment = comment_ == nullptr ? std::string() : (*comment_)(join(key));
    out_ += fmt::format("{}{}: {}{}{}\n", take_lead(), key, value, comment.empty() ? "" : "  # ", comment);
  }
  void open(std::string_view key) { out_ += fmt::format("{}{}:\n", take_lead(), key); }
  std::string take_lead() { return std::exchange(lead_, std::string(depth_, ' ')); }

  std::string& out_;
  std::string lead_;
  std::size_t depth_;
  std::string path_;
  const FieldComment* comment_;
};

}  // namespace orrery::machine
