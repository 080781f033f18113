// How a call across a module border fails: with an Error that a user can act on. Exceptions are left to what ends the
// process.
#pragma once

#include <cassert>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

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

/// The Error of a Result or a Status that failed, in one pointer: what succeeds carries no texts about, and how texts
/// are copied and freed is compiled once instead of at each of some two thousand calls. Empty once it was moved from.
class OwnedError {
 public:
  OwnedError() = default;
  explicit OwnedError(const Error& error);
  explicit OwnedError(Error&& error);
  OwnedError(const OwnedError& other);
  OwnedError(OwnedError&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  OwnedError& operator=(OwnedError other) noexcept { return std::swap(error_, other.error_), *this; }
  ~OwnedError() {
    if (error_ != nullptr) free_error();
  }

  [[nodiscard]] bool empty() const { return error_ == nullptr; }
  [[nodiscard]] Error& operator*() const { return assert(error_ != nullptr), *error_; }

 private:
  void free_error() noexcept;

  Error* error_ = nullptr;
};

/// A value or an Error. Check `ok()` before taking the value.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : ok_(true), value_(std::move(value)) {}
  Result(const Error& error) : error_(error) {}
  Result(Error&& error) : error_(std::move(error)) {}
  Result(const Result& other) requires std::is_copy_constructible_v<T> : error_(other.error_), ok_(other.ok_) {
    if (ok_) ::new (static_cast<void*>(&value_)) T(other.value_);
  }
  Result(Result&& other) noexcept : error_(std::move(other.error_)), ok_(other.ok_) {
    if (ok_) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
  }
  Result& operator=(Result other) noexcept {
    this->~Result();
    return *::new (static_cast<void*>(this)) Result(std::move(other));
  }
  ~Result() {
    if (ok_) value_.~T();
  }

  [[nodiscard]] bool ok() const { return ok_; }
  explicit operator bool() const { return ok(); }

  T& value() { return assert(ok()), value_; }
  const T& value() const { return assert(ok()), value_; }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() { return assert(!ok()), *error_; }
  const Error& error() const { return assert(!ok()), *error_; }

 private:
  OwnedError error_;
  bool ok_ = false;
  union {
    T value_;  ///< there if ok_
  };
};

/// The outcome of a call that returns nothing but may fail.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(const Error& error) : error_(error) {}
  Status(Error&& error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return error_.empty(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  OwnedError error_;
};

}  // namespace orrery
