#include "scrub/document_scanner.h"

#include "base/window_stream.h"
#include "scrub/rules.h"

namespace orrery::scrub {
namespace {

class Scanner {
 public:
  Scanner(DocumentVisitor& visitor, const std::string& path) : visitor_(visitor), path_(path) {}

  /// Takes what is complete; returns how far it got.
  Result<const char*> scan(const Window& window) {
    window_ = window;
    p_ = window.begin;
    while (state_ != State::done) {
      p_ = skip_space(p_, window_.end);
      const Result<bool> stepped = step();
      if (!stepped) return stepped.error();
      if (!*stepped) return p_;
    }
    return window_.end;  // what follows the document is nobody's
  }

 private:
  enum class State : std::uint8_t { start, before_key, after_value, before_record, after_record, done };

  Result<bool> step() {
    if (p_ >= window_.end) {
      if (!window_.is_last) return false;
      if (is_array_ && (state_ == State::before_record || state_ == State::after_record))
        return end_list();  // Chrome leaves the bracket out
      return error(state_ == State::start ? "the file is empty" : "the file ends inside the document");
    }
    switch (state_) {
      case State::start: return start();
      case State::before_key: return step_key();
      case State::after_value: return step_after('}', State::before_key);
      case State::before_record: return step_record();
      case State::after_record: return step_after(']', State::before_record);
      case State::done: break;
    }
    return true;
  }

  Result<bool> start() {
    const std::string_view rest(p_, static_cast<std::size_t>(window_.end - p_));
    if (rest.size() < 3 && !window_.is_last) return false;
    if (rest.starts_with("\xEF\xBB\xBF")) return p_ += 3, true;  // a byte order mark
    if (*p_ != '{' && *p_ != '[') return error("this is not JSON");
    is_array_ = *p_ == '[';
    ++p_;
    state_ = is_array_ ? State::before_record : State::before_key;
    return is_array_ ? passed(visitor_.on_list("traceEvents")) : Result<bool>(true);
  }

  Result<bool> step_after(char closing, State next) {
    if (*p_ == ',') {
      state_ = next;
    } else if (*p_ != closing) {
      return error("malformed JSON");
    } else if (closing == '}') {
      state_ = State::done;
    } else {
      ++p_;
      return end_list();
    }
    ++p_;
    return true;
  }

  Result<bool> end_list() {
    state_ = is_array_ ? State::done : State::after_value;
    return passed(visitor_.on_list_end());
  }

  Result<bool> step_key() {
    if (*p_ == '}') return state_ = State::done, ++p_, true;
    if (*p_ != '"') return error("malformed JSON: a key is missing");
    const char* const quote = find_string_end(p_ + 1, window_.end).quote;
    if (quote == nullptr) return need_more();
    const std::string_view key(p_ + 1, static_cast<std::size_t>(quote - p_ - 1));
    const char* value = skip_space(quote + 1, window_.end);
    if (value < window_.end && *value != ':') return error("malformed JSON: a colon is missing");
    if (value < window_.end) value = skip_space(value + 1, window_.end);
    if (value >= window_.end) return need_more();
    if (*value == '[' && record_rules(key) != nullptr) {
      p_ = value + 1;
      state_ = State::before_record;
      return passed(visitor_.on_list(key));
    }
    const char* const after = complete_value(value);
    if (after == nullptr) return unfinished(value);
    const Status taken = visitor_.on_member({key, {value, static_cast<std::size_t>(after - value)}}, offset_of(p_));
    p_ = after;
    state_ = State::after_value;
    return passed(taken);
  }

  Result<bool> step_record() {
    if (*p_ == ']') return ++p_, end_list();  // an empty list, or a comma before the end, which some writers leave
    const char* const after = complete_value(p_);
    if (after == nullptr) return unfinished(p_);
    const Status taken = visitor_.on_record({p_, static_cast<std::size_t>(after - p_)}, offset_of(p_));
    p_ = after;
    state_ = State::after_record;
    return passed(taken);
  }

  // A number or word that reaches the end of the window may go on in the next.
  const char* complete_value(const char* p) const {
    const char* const after = skip_value(p, window_.end).after;
    if (after == p) return nullptr;
    const bool is_closed = after != nullptr && (after[-1] == '"' || after[-1] == '}' || after[-1] == ']');
    return after != nullptr && (is_closed || after < window_.end) ? after : nullptr;
  }

  Result<bool> unfinished(const char* value) {
    const bool begins_value = *value == '"' || *value == '{' || *value == '[' || starts_number(*value) || (*value >= 'A' && *value <= 'z');
    if (!begins_value) return error("malformed JSON: a value is missing");
    if ((*value == '{' || *value == '[') && skip_container(value, window_.end).too_deep)
      return error("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return need_more();
  }

  Result<bool> need_more() {
    if (!window_.is_last) return false;
    return error("the file ends inside the document");
  }

  static Result<bool> passed(const Status& status) {
    if (!status) return status.error();
    return true;
  }

  [[nodiscard]] std::uint64_t offset_of(const char* p) const { return window_.offset + static_cast<std::uint64_t>(p - window_.begin); }
  [[nodiscard]] Error error(std::string message) const {
    return {std::move(message), path_, offset_of(p_), "scrub takes whole files only: what it does not understand it could not clean"};
  }

  DocumentVisitor& visitor_;
  const std::string& path_;
  State state_ = State::start;
  bool is_array_ = false;
  Window window_{};
  const char* p_ = nullptr;
};

}  // namespace

Result<ScanOutcome> scan_document(const MappedFile& file, DocumentVisitor& visitor, const std::function<void(std::uint64_t)>& on_progress) {
  Scanner scanner(visitor, file.path());
  const auto streamed = stream_windows(
      file, [&](const Window& window) { return scanner.scan(window); }, on_progress);
  if (!streamed) return streamed.error();
  if (streamed->input_error) return *streamed->input_error;
  return ScanOutcome{streamed->text_bytes};
}

}  // namespace orrery::scrub
