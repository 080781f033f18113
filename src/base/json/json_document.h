// The document around the records of a JSON trace: {"schema": ..., "nodes": [ {...}, {...} ], ...}, or a bare list of
// records, walked in windows so that memory does not grow with the file. What a record looks like is the handler's to
// know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/io/window_stream.h"
#include "base/json/json_members.h"
#include "base/result.h"

namespace orrery {

/// What can be wrong with the text around the records.
enum class JsonFault : std::uint8_t {
  empty,
  no_json,
  ends,
  key,
  colon,
  value,
  after_value,
  after_record,
  bracket,
  too_deep
};
/// "expected : after a key": what is there instead of it is for the reader of the position to see.
std::string_view to_string(JsonFault fault);

/// A value that lies in a window as a whole, or why it does not.
struct WholeValue {
  const char* after = nullptr;        ///< nullptr: see `fault`
  JsonFault fault = JsonFault::ends;  ///< ends: it may go on in the next window
};
/// `p` is at the first byte of a value, before the end of the window.
WholeValue whole_value(const char* p, const Window& window);

/// Views and positions are valid during a call only, and followed by at least 64 readable bytes.
///
/// A Handler has
///     bool is_record_list(std::string_view key)                        a member of this name that is a list holds
///     records Status on_list(std::string_view key, std::uint64_t offset)       such a list begins; of a bare list the
///     key is empty Result<const char*> take_record(const char* p, const Window&)    the position after the record at
///     p; nullptr: the window ends inside it,
///                                                                      and of the last window that is a fault
///     Status on_list_end()
///     Status on_member(const JsonMember&, std::uint64_t offset)        any other member, as written
///     Error fault(JsonFault, std::uint64_t offset)                     the Error to return for a fault in the text
///     around the records
/// An Error ends the walk and is returned.
template <typename Handler>
class JsonDocument {
 public:
  explicit JsonDocument(Handler& handler) : handler_(handler) {}

  /// Takes what is complete and returns how far it got; what follows the document is taken as well.
  Result<const char*> parse(const Window& window) {
    window_ = window;
    p_ = window.begin;
    while (state_ != State::done) {
      skip_space(p_);
      const Result<bool> stepped = p_ < window_.end ? step() : end_of_window();
      if (!stepped) return stepped.error();
      if (!*stepped) return p_;
      if (state_ == State::done) end_offset_ = offset_of(p_);
    }
    return window_.end;
  }

  /// Where the document ended, once it has.
  [[nodiscard]] std::uint64_t end_offset() const { return end_offset_; }

 private:
  enum class State : std::uint8_t { start, before_key, after_value, before_record, after_record, done };

  // Each takes one step at p_ and returns false when it needs more input.

  Result<bool> step() {
    switch (state_) {
      case State::start: return start();
      case State::before_key: return step_key();
      case State::after_value: return step_after_value();
      case State::before_record: return step_records();
      case State::after_record: return step_after_record();
      case State::done: break;
    }
    return true;
  }

  Result<bool> end_of_window() {
    if (!window_.is_last) return false;
    if (state_ == State::start) return fault(JsonFault::empty, p_);
    // Chrome's array format lets the closing bracket be missing, so that a program that dies leaves a usable trace.
    if (is_list_ && (state_ == State::before_record || state_ == State::after_record)) return end_list();
    return fault(JsonFault::ends, p_);
  }

  Result<bool> start() {
    const std::string_view rest = between(p_, window_.end);
    if (rest.size() < 3 && !window_.is_last) return false;
    if (rest.starts_with("\xEF\xBB\xBF")) return p_ += 3, true;  // a byte order mark
    if (*p_ != '{' && *p_ != '[') return fault(JsonFault::no_json, p_);
    is_list_ = *p_++ == '[';
    state_ = is_list_ ? State::before_record : State::before_key;
    return is_list_ ? passed(handler_.on_list({}, offset_of(p_ - 1))) : Result<bool>(true);
  }

  Result<bool> step_key() {
    if (*p_ == '}') return ++p_, state_ = State::done, true;  // an empty object, or a comma before the end
    if (*p_ != '"') return fault(JsonFault::key, p_);
    const char* const quote = find_string_end(p_ + 1, window_.end).quote;
    if (quote == nullptr) return need_more();
    const std::string_view key = between(p_ + 1, quote);
    const char* value = quote + 1;
    skip_space(value);
    if (value < window_.end && *value != ':') return fault(JsonFault::colon, value);
    if (value < window_.end) skip_space(++value);
    if (value >= window_.end) return need_more();
    if (*value == '[' && handler_.is_record_list(key)) {
      state_ = State::before_record;
      p_ = value + 1;
      return passed(handler_.on_list(key, offset_of(value)));
    }
    const WholeValue whole = whole_value(value, window_);
    if (whole.after == nullptr) return whole.fault == JsonFault::ends ? need_more() : fault(whole.fault, value);
    const Status taken = handler_.on_member({key, between(value, whole.after)}, offset_of(value));
    p_ = whole.after;
    state_ = State::after_value;
    return passed(taken);
  }

  Result<bool> step_after_value() {
    if (*p_ != ',' && *p_ != '}') return fault(JsonFault::after_value, p_);
    state_ = *p_++ == ',' ? State::before_key : State::done;
    return true;
  }

  Result<bool> step_records() {
    // The common run "record , record , record" stays in this loop.
    while (*p_ != ']') {  // an empty list, or a comma before the end, which some writers leave
      const Result<const char*> after = handler_.take_record(p_, window_);
      if (!after) return after.error();
      if (*after == nullptr) return need_more();
      p_ = *after;
      skip_space(p_);
      if (p_ >= window_.end || *p_ != ',') return state_ = State::after_record, true;
      skip_space(++p_);
      if (p_ >= window_.end) return true;
    }
    ++p_;
    return end_list();
  }

  Result<bool> step_after_record() {
    if (*p_ != ',' && *p_ != ']') return fault(JsonFault::after_record, p_);
    if (*p_++ == ']') return end_list();
    state_ = State::before_record;
    return true;
  }

  Result<bool> end_list() {
    state_ = is_list_ ? State::done : State::after_value;
    return passed(handler_.on_list_end());
  }

  Result<bool> need_more() {
    if (!window_.is_last) return false;
    return fault(JsonFault::ends, window_.end);
  }

  static Result<bool> passed(const Status& status) {
    if (!status) return status.error();
    return true;
  }
  [[nodiscard]] Error fault(JsonFault fault, const char* p) const { return handler_.fault(fault, offset_of(p)); }
  [[nodiscard]] std::uint64_t offset_of(const char* p) const {
    return window_.offset + static_cast<std::uint64_t>(p - window_.begin);
  }
  // What follows the window may be the rest of the file, and white space as well.
  void skip_space(const char*& p) const { p = std::min(JsonWalk(window_.end).skip_space(p), window_.end); }
  static std::string_view between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  Handler& handler_;
  State state_ = State::start;
  bool is_list_ = false;  // the document is a bare list of records
  std::uint64_t end_offset_ = 0;
  Window window_{};
  const char* p_ = nullptr;
};

/// Walks a whole file, inflated if it is compressed. An Error if it is damaged, cut short or no JSON. Bounded memory,
/// unless one value is large. `on_progress` (may be empty) gets the number of the file's bytes newly read. Returns the
/// number of bytes, inflated.
template <typename Handler>
Result<std::uint64_t> walk_json_document(const MappedFile& file, Handler& handler,
                                         const std::function<void(std::uint64_t)>& on_progress) {
  JsonDocument<Handler> document(handler);
  const auto streamed = stream_windows(
      file, [&](const Window& window) { return document.parse(window); }, on_progress);
  if (!streamed) return streamed.error();
  if (streamed->input_error) return *streamed->input_error;
  return streamed->text_bytes;
}

}  // namespace orrery
