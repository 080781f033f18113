#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <utility>

#include "base/json_writer.h"
#include "base/output_file.h"
#include "machine/machine_fields.h"
#include "machine/machine_rules.h"
#include "machine/machine_yaml.h"

namespace orrery::machine {

namespace {

/// Visits the fields and appends "key: value" lines. Numbers take the shortest form that reads back to the same bits; text is quoted as in
/// JSON, which is YAML too.
class Writer {
 public:
  /// `lead` is what the first line starts with ("  - " for an item of a list), the others are indented to the same depth.
  Writer(std::string& out, std::string lead) : out_(out), lead_(std::move(lead)), depth_(lead_.size()) {}

  void format(std::string_view key, std::string_view name) { line(key, name); }
  void text(std::string_view key, const std::string& value) {
    std::string quoted;
    append_json_string(quoted, value);
    line(key, quoted);
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
  void choice(std::string_view key, Enumerator value, std::span<const std::string_view> names, Default<Enumerator> usual) {
    if (value != usual.value) choice(key, value, names);
  }
  void rates(std::string_view key, const PeakTflops& value, Range range) {
    // A key without entries would read as nothing, which is refused.
    if (value == PeakTflops{}) return;
    open(key);
    Writer inner(out_, std::string(depth_ + 2, ' '));
    for (std::size_t i = 0; i < value.by_type.size(); ++i) inner.number(kDataTypeNames[i], value.by_type[i], range);
  }
  template <typename T>
  void object(std::string_view key, const T& value) {
    std::string body;
    Writer inner(body, std::string(depth_ + 2, ' '));
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
    for (const T& value : values) {
      Writer inner(out_, std::string(depth_ + 2, ' ') + "- ");
      describe(inner, value);
    }
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values, Required) {
    list(key, values);
  }

 private:
  void line(std::string_view key, std::string_view value) { out_ += fmt::format("{}{}: {}\n", take_lead(), key, value); }
  void open(std::string_view key) { out_ += fmt::format("{}{}:\n", take_lead(), key); }
  std::string take_lead() { return std::exchange(lead_, std::string(depth_, ' ')); }

  std::string& out_;
  std::string lead_;
  std::size_t depth_;
};

}  // namespace

std::string to_yaml(const Machine& machine) {
  std::string out;
  Writer writer(out, {});
  describe(writer, machine);
  return out;
}

Status write_machine(const Machine& machine, const std::string& path) {
  if (const auto violation = find_violation(machine)) {
    return Error{.message = violation->field + " " + violation->message, .file = path, .hint = violation->hint};
  }
  return write_whole_file(path, to_yaml(machine));
}

}  // namespace orrery::machine
