// From flags to a request, and from its answer to what is printed: all that a verb of the command line does.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ask/fields.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// Visits the fields of a request (ask/fields.h) and fills in those whose flags were given, or have a default; optional
/// ones only if they were given. What the verb does not declare stays as it is.
class FlagReader {
 public:
  explicit FlagReader(const Invocation& invocation) : invocation_(invocation) {}

  void operator()(std::string_view name, bool& field) {
    if (invocation_.declares(name)) field = invocation_.has(name);
  }
  void operator()(std::string_view name, std::vector<std::string>& field) {
    if (has(name)) field = invocation_.texts(name);
  }
  template <typename T>
  void operator()(std::string_view name, T& field) {
    if (has(name)) read(name, field);
  }
  template <typename T>
  void operator()(std::string_view name, std::optional<T>& field) {
    if (is_given(name)) read(name, field.emplace());
  }
  /// The flag's `choices` have been checked: a word that is none of them is our own bug, and changes nothing.
  template <typename Enum, typename Field>
  void operator()(std::string_view name, ask::Choice<Enum, Field> field) {
    if (std::is_same_v<Enum, Field> ? has(name) : is_given(name)) (void)field.take(invocation_.text(name));
  }
  template <typename T>
  void operator()(std::string_view name, ask::Written<T> field) {
    if (!has(name)) return;
    for (const std::string& text : invocation_.texts(name)) {
      const Status taken = field.take(text, field.value);
      if (taken || error_) continue;
      const Error& error = taken.error();
      error_ = UsageError{error.message, error.hint, text, error.offset == Error::kNoOffset ? 0 : error.offset};
    }
  }

  /// The first value that does not read.
  [[nodiscard]] const std::optional<UsageError>& error() const { return error_; }

 private:
  [[nodiscard]] bool is_given(std::string_view name) const {
    return invocation_.declares(name) && invocation_.has(name);
  }
  [[nodiscard]] bool has(std::string_view name) const {
    return invocation_.declares(name) && invocation_.has_value(name);
  }
  void read(std::string_view name, std::string& field) const { field = invocation_.text(name); }
  template <typename Number>
    requires(std::is_arithmetic_v<Number>)
  void read(std::string_view name, Number& field) const {
    if constexpr (std::is_floating_point_v<Number>) {
      field = static_cast<Number>(invocation_.number(name));
    } else {
      switch (invocation_.kind(name)) {
        case ValueKind::bytes: field = static_cast<Number>(invocation_.bytes(name)); break;
        case ValueKind::duration: field = static_cast<Number>(invocation_.duration(name)); break;
        default: field = static_cast<Number>(invocation_.integer(name)); break;
      }
    }
  }

  const Invocation& invocation_;
  std::optional<UsageError> error_;
};

/// The flags that were given, put into `request`.
template <typename Request>
std::optional<UsageError> take_flags(const Invocation& invocation, Request& request) {
  FlagReader reader(invocation);
  fields(request, reader);
  return reader.error();
}

/// Fills in the flags, asks, and keeps the answer for whoever prints it. `request` has its operands already.
template <typename Request>
ExitCode answer(Invocation& invocation, Request request) {
  if (const auto error = take_flags(invocation, request)) return invocation.fail_usage(*error);
  return invocation.deliver(run(request, invocation.context()));
}

}  // namespace orrery::cli
