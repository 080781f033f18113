// Why this is not base/json/json_document.h, which walks the documents of all other formats: with it the same events
// took 1.01 to 1.06 times as long (384 MB, one core, nothing done with them), and it would have to learn what is needed
// here alone: to begin inside the list and to stop at a byte, so that parts of a file can be read side by side; to show
// the closing brace to those who write the document again; and to tell damage, which can be salvaged, from what is no
// trace.
#include "formats/kineto/document.h"

#include "base/json/json_unescape.h"

namespace orrery::kineto {
namespace {

constexpr std::uint64_t kWalkedBytes = 2u << 20;

Result<const char*> parse_window(const Window& window, DocumentParser& parser, WindowObserver* observer) {
  if (observer != nullptr) observer->begin_window(window);
  const Result<const char*> taken = parser.parse(window);
  if (!taken || observer == nullptr) return taken;
  if (const Status status = observer->end_window(*taken); !status) return status.error();
  return taken;
}

// In steps, each from the event that the last one stopped before.
Status walk_mapped(const MappedFile& file, DocumentParser& parser, WindowObserver* observer) {
  const std::string_view text = file.bytes();
  for (std::uint64_t at = 0;;) {
    parser.stop_at(at + kWalkedBytes);
    file.populate(at, at + kWalkedBytes);
    const Result<const char*> taken =
        parse_window({text.data() + at, text.data() + text.size(), at, true}, parser, observer);
    if (!taken) return taken.error();
    const auto now = static_cast<std::uint64_t>(*taken - text.data());
    file.release(at, now);
    at = now;
    if (!parser.stopped()) return {};
    parser.resume();
  }
}

}  // namespace

Status walk_document(const MappedFile& file, DocumentParser& parser, WindowObserver* observer) {
  if (detect_compression(file.bytes()) == Compression::none) return walk_mapped(file, parser, observer);
  const auto streamed =
      stream_windows(file, [&](const Window& window) { return parse_window(window, parser, observer); }, {});
  if (!streamed) return streamed.error();
  return streamed->input_error ? Status(*streamed->input_error) : Status();
}

namespace {

constexpr const char* kDepthHint = "no profiler writes this";

// A number or a word at the end of a window may go on in the next one.
// Texts and containers end themselves; a number ends with what follows it.
ValueSkip skip_whole_value(const char* p, const char* end) {
  const ValueSkip skip = skip_value(p, end);
  const bool may_go_on = skip.after == end && *p != '"' && *p != '[' && *p != '{';
  return may_go_on ? ValueSkip{} : skip;
}

}  // namespace

Error DocumentParser::error_at(const char* p, std::string message, std::string hint) const {
  return Error{std::move(message), path_, offset_of(p), std::move(hint)};
}

Error DocumentParser::damage_at(const char* p, std::string message, std::string hint) const {
  Error error = error_at(p, std::move(message), std::move(hint));
  error.remedy = Remedy::salvage;
  return error;
}

Result<bool> DocumentParser::need_more(const char* what) {
  if (!window_.is_last) return false;
  return damage_at(p_, std::string("the file ends inside ") + what, "it is truncated");
}

Result<const char*> DocumentParser::parse(const Window& window) {
  window_ = window;
  p_ = window.begin;
  while (state_ != State::done && !stopped_) {
    p_ = skip_space(p_, window_.end);
    const Result<bool> stepped = step();
    if (!stepped) return stepped.error();
    if (!*stepped) return p_;
  }
  if (state_ != State::done) return p_;
  look_for_trailing_text();
  return window_.end;
}

void DocumentParser::look_for_trailing_text() {
  if (saw_trailing_text_) return;
  const char* p = skip_space(p_, window_.end);
  while (p < window_.end && *p == '\0')
    p = skip_space(p + 1, window_.end);  // some file systems and archives pad with zeros
  if (p >= window_.end) return;
  saw_trailing_text_ = true;
  handler_.on_trailing_text(offset_of(p));
}

Result<bool> DocumentParser::start() {
  const std::string_view rest(p_, static_cast<std::size_t>(window_.end - p_));
  // The longest mark to be recognised (a compressed file's) has four bytes.
  if (rest.size() < 4 && !window_.is_last) return false;
  if (rest.starts_with("\xEF\xBB\xBF")) {  // a byte order mark
    p_ += 3;
    return true;
  }
  if (detect_compression(rest) != Compression::none)
    return error_at(p_, "this is not JSON", "the file is compressed twice: unpack it once");
  if (rest[0] != '{' && rest[0] != '[') {
    return error_at(p_, "this is not JSON",
                    "a Kineto trace starts with { or [; binary traces (Chakra .et, XSpace .pb) have other readers");
  }
  is_array_ = rest[0] == '[';
  state_ = is_array_ ? State::before_event : State::before_key;
  if (is_array_) {
    saw_events_ = true;
    handler_.on_event_list();
  }
  ++p_;
  return true;
}

void DocumentParser::end_object(bool needs_comma) {
  state_ = State::done;
  handler_.on_object_end({p_, 1}, needs_comma);
}

Result<bool> DocumentParser::step() {
  if (p_ >= window_.end) {
    if (!window_.is_last) return false;
    if (state_ == State::start)
      return error_at(p_, "the file is empty", "expected a Kineto trace (JSON with traceEvents)");
    // The trace event format lets writers of a bare list leave its closing bracket out.
    if (is_array_ && (state_ == State::before_event || state_ == State::after_event)) {
      state_ = State::done;  // Chrome's array format allows the closing bracket to be missing
      return true;
    }
    return need_more("the document");
  }
  switch (state_) {
    case State::start: return start();
    case State::before_key: return step_key();
    case State::after_value:
      if (*p_ == ',') state_ = State::before_key;
      else if (*p_ == '}') end_object(true);
      else return damage_at(p_, "expected , or } after a value", "the file is damaged");
      ++p_;
      return true;
    case State::before_event: return step_event();
    case State::after_event:
      if (*p_ == ',') state_ = State::before_event;
      else if (*p_ == ']') state_ = is_array_ ? State::done : State::after_value;
      else return damage_at(p_, "expected , or ] after an event", "the file is damaged");
      ++p_;
      return true;
    case State::done: break;
  }
  return true;
}

Result<bool> DocumentParser::step_key() {
  if (*p_ == '}') {
    end_object(false);
    ++p_;
    return true;
  }
  // Before the first key nothing says that this is JSON at all: it is no damage, but something else.
  if (*p_ != '"') return error_at(p_, "expected a key", "this does not look like JSON");
  const char* quote = find_string_end(p_ + 1, window_.end).quote;
  if (quote == nullptr) return need_more("a key");
  const std::string key = unescape_json({p_ + 1, static_cast<std::size_t>(quote - p_ - 1)});
  const char* value = skip_space(quote + 1, window_.end);
  if (value < window_.end && *value != ':') return damage_at(value, "expected : after a key", "the file is damaged");
  if (value < window_.end) value = skip_space(value + 1, window_.end);
  if (value >= window_.end) return need_more("a member");
  if (key == "traceEvents" && *value == '[') {
    state_ = State::before_event;
    saw_events_ = true;
    handler_.on_event_list();
    p_ = value + 1;
    return true;
  }
  const ValueSkip skip = skip_whole_value(value, window_.end);
  if (skip.too_deep) return error_at(value, "nested deeper than " + std::to_string(kMaxDepth) + " levels", kDepthHint);
  if (skip.after == nullptr) return need_more("a value");
  if (skip.after == value) return damage_at(value, "expected a value", "the file is damaged");
  handler_.on_property(key, {value, static_cast<std::size_t>(skip.after - value)});
  p_ = skip.after;
  state_ = State::after_value;
  return true;
}

Result<bool> DocumentParser::step_event() {
  // The common run "event , event , event" stays in this loop.
  while (*p_ == '{') {
    const std::uint64_t offset = offset_of(p_);
    if (offset >= stop_at_) {
      stopped_ = true;
      return true;
    }
    ParsedEvent event = event_parser_.parse(p_, window_.end, record_);
    // NCCL's example plugin begins so, and before 2.29 left quotes out.
    if (!saw_event_ && event.outcome == ParseOutcome::parsed) is_lenient_ = record_.category.view == "GROUP_API";
    saw_event_ = true;
    if (event.outcome == ParseOutcome::malformed && is_lenient_)
      event = event_parser_.parse_lenient(p_, window_.end, record_);
    switch (event.outcome) {
      case ParseOutcome::parsed: break;
      case ParseOutcome::incomplete: return need_more("an event");
      case ParseOutcome::malformed:
        return damage_at(event.position, "malformed JSON in an event", "the file is damaged");
      case ParseOutcome::too_deep:
        return error_at(event.position, "nested deeper than " + std::to_string(kMaxDepth) + " levels", kDepthHint);
    }
    handler_.on_event(record_, {p_, static_cast<std::size_t>(event.position - p_)}, offset);
    p_ = skip_space(event.position, window_.end);
    if (*p_ != ',' || p_ >= window_.end) {
      state_ = State::after_event;
      return true;
    }
    p_ = skip_space(p_ + 1, window_.end);
  }
  if (p_ >= window_.end) return true;
  if (*p_ == ']') {  // an empty list, or a comma before the end, which some writers leave
    state_ = is_array_ ? State::done : State::after_value;
    ++p_;
    return true;
  }
  const ValueSkip skip = skip_whole_value(p_, window_.end);
  if (skip.too_deep) return error_at(p_, "nested deeper than " + std::to_string(kMaxDepth) + " levels", kDepthHint);
  if (skip.after == nullptr) return need_more("the event list");
  if (skip.after == p_) return damage_at(p_, "expected an event", "the file is damaged");
  handler_.on_unusable({p_, static_cast<std::size_t>(skip.after - p_)}, offset_of(p_));
  p_ = skip.after;
  state_ = State::after_event;
  return true;
}

}  // namespace orrery::kineto
