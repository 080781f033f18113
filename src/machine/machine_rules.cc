#include "machine/machine_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/utf8.h"
#include "machine/machine_fields.h"
#include "machine/topology_rules.h"

namespace orrery::machine {

namespace {

constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxShape = 20;  // that many factors of 2 make the most devices there can be

/// Visits every field and keeps the first violation.
class Checker {
 public:
  explicit Checker(std::optional<Violation>& found, std::string path = {}) : found_(found), path_(std::move(path)) {}

  void format(std::string_view, std::string_view) {}
  void text(std::string_view key, const std::string& value) {
    if (value.empty()) return report(key, "must not be empty");
    if (value.size() > kMaxNameBytes) return report(key, fmt::format("is longer than {} bytes", kMaxNameBytes));
    // Names end up in terminals, JSON and file names.
    const bool control = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (control || !is_valid_utf8(value)) report(key, "holds a control character or bytes that are not UTF-8");
  }
  void number(std::string_view key, double value, Range range) {
    if (range.holds(value)) return;
    const char* relation = range.low_included ? "at least" : "more than";
    report(key, fmt::format("must be {} {} and at most {}, and is {}", relation, range.low, range.high, value));
  }
  void count(std::string_view key, std::int64_t value, Range range) { number(key, static_cast<double>(value), range); }
  template <typename T>
  void number(std::string_view key, const std::optional<T>& value, Range range) {
    if (value) number(key, *value, range);
  }
  void count(std::string_view key, const std::optional<std::int64_t>& value, Range range) {
    if (value) count(key, *value, range);
  }
  template <typename T>
  void number(std::string_view key, double value, Range range, Default<T>) {
    number(key, value, range);
  }
  template <typename T>
  void count(std::string_view key, std::int64_t value, Range range, Default<T>) {
    count(key, value, range);
  }
  void count(std::string_view key, std::int64_t value, Range range, const Derived& derived) {
    if (!derived.value) return count(key, value, range);
    number(key, *derived.value, range);
    if (*derived.value != static_cast<double>(value))
      report(key, fmt::format("is {}, but the fields above it make {:.0f}", value, *derived.value));
  }
  void counts(std::string_view key, const std::vector<std::int64_t>& values, Range range) {
    if (values.empty() || values.size() > kMaxShape)
      return report(key, fmt::format("must have 1 to {} entries, and has {}", kMaxShape, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) count(fmt::format("{}[{}]", key, i), values[i], range);
  }
  template <typename Enumerator>
  void choice(std::string_view, Enumerator, std::span<const std::string_view>) {}
  template <typename Enumerator>
  void choice(std::string_view, Enumerator, std::span<const std::string_view>, Default<Enumerator>) {}
  void rates(std::string_view key, const PeakTflops& value, Range range) {
    Checker inner(found_, join(key));
    for (std::size_t i = 0; i < value.by_type.size(); ++i) inner.number(kDataTypeNames[i], value.by_type[i], range);
  }
  template <typename T>
  void object(std::string_view key, const T& value) {
    Checker inner(found_, join(key));
    describe(inner, value);
  }
  template <typename T>
  void object(std::string_view key, const std::optional<T>& value) {
    if (value) object(key, *value);
  }
  template <typename T>
  void object(std::string_view key, const T& value, const Default<T>&) {
    object(key, value);
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      Checker inner(found_, fmt::format("{}[{}]", join(key), i));
      describe(inner, values[i]);
    }
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values, Required) {
    list(key, values);
  }

 private:
  [[nodiscard]] std::string join(std::string_view key) const { return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key); }
  void report(std::string_view key, std::string message) {
    // The first is the one to mend: later ones often follow from it.
    if (!found_) found_ = Violation{.field = join(key), .message = std::move(message)};
  }

  std::optional<Violation>& found_;
  std::string path_;
};

}  // namespace

std::optional<Violation> find_violation(const Machine& machine) {
  std::optional<Violation> found;
  Checker checker(found);
  describe(checker, machine);
  if (found) return found;

  for (std::size_t i = 0; i < machine.network.size(); ++i) {
    if (auto violation = find_topology_violation(machine.network[i], fmt::format("network[{}]", i))) return violation;
  }
  double places = 1;  // A double cannot overflow here, and is exact for every product that can equal a count.
  for (const Dimension& dimension : machine.network) places *= static_cast<double>(dimension.size);
  if (places != static_cast<double>(machine.devices.count)) {
    return Violation{.field = "network",
                     .message = fmt::format("has places for {:.0f} devices, but devices.count is {}", places, machine.devices.count),
                     .hint = "the sizes of the dimensions multiply to the number of devices; a single device has no network"};
  }
  return std::nullopt;
}

}  // namespace orrery::machine
