// How a call across a module border fails: with an Error that a user can act on. Exceptions are left to what ends the
// process.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace orrery {

/// What a user may ask for to get on after an Error. Front ends know what it is called there (a flag, an argument), and
/// whether it was asked for.
enum class Remedy : std::uint8_t {
  none,
  salvage,         ///< read a damaged file up to the damage
  comm_groups,     ///< name a file with the members of groups
  all_ranks,       ///< give the files of all ranks, or look at each rank on its own
  without_compat,  ///< what another tool stops at, the default mode does
};

/// What went wrong with an input or an output: where (file, byte position), what, and what to do about it.
struct Error {
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};
  /// Whose fault it is: the file's, or that of what was asked for (an output that would replace an input). Front ends
  /// tell them apart.
  enum class Kind : std::uint8_t { unusable, misuse };

  std::string message;
  std::string file = {};
  std::uint64_t offset = kNoOffset;  ///< byte position in `file` (inflated bytes for compressed files)
  std::string hint = {};
  Kind kind = Kind::unusable;
  Remedy remedy = Remedy::none;

  /// "trace.json.gz: byte 1024: the file ends inside an event (hint)": one line, no trailing newline.
  [[nodiscard]] std::string to_string() const;
};

/// A value or an Error. Check `ok()` before taking the value.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() { return assert(ok()), *std::get_if<0>(&state_); }
  const T& value() const { return assert(ok()), *std::get_if<0>(&state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() { return assert(!ok()), *std::get_if<1>(&state_); }
  const Error& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

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

}  // namespace orrery
