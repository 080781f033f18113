// How a call of this library fails: with an Error that says what is wrong and what to do about it. Nothing throws but
// std::bad_alloc.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace orrery::api {

struct Error {
  std::string message;    ///< "node 7 depends on node 9, which does not exist"
  std::string file = {};  ///< the input at fault, if it is one
  std::string hint = {};  ///< what to do about it; may be empty

  /// "step.0.et: the file is empty (a Chakra trace begins with its metadata)": one line.
  [[nodiscard]] std::string to_string() const {
    return (file.empty() ? "" : file + ": ") + message + (hint.empty() ? "" : " (" + hint + ")");
  }
};

/// A value or an Error. Check ok() before taking the value.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() { return assert(ok()), *std::get_if<0>(&state_); }
  const T& operator*() const { return assert(ok()), *std::get_if<0>(&state_); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  [[nodiscard]] const Error& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// The outcome of a call that returns nothing but may fail.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return assert(!ok()), *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace orrery::api
