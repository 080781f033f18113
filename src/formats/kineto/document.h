// The document around the events: {"schemaVersion": 1, ..., "traceEvents": [ ... ], "traceName": ...} or a bare array
// of events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/io/input.h"
#include "base/io/window_stream.h"
#include "base/result.h"
#include "formats/kineto/event_parser.h"

namespace orrery::kineto {

/// What a document consists of, in order. Views are valid during the call only.
class DocumentHandler {
 public:
  virtual ~DocumentHandler() = default;
  /// `text` is the event as written, `offset` its byte position in the inflated file.
  virtual void on_event(const EventRecord& record, std::string_view text, std::uint64_t offset) = 0;
  /// An entry of the event list that is not an object.
  virtual void on_unusable(std::string_view text, std::uint64_t offset) = 0;
  /// A member of the document other than the event list; `json` is its value as written.
  virtual void on_property(const std::string& key, std::string_view json) = 0;
  /// The event list begins: properties seen from now on follow it.
  virtual void on_event_list() {}
  /// The brace that closes the document, if that is an object. `needs_comma`: one more member would need a comma in
  /// front of it.
  virtual void on_object_end(std::string_view /*brace*/, bool /*needs_comma*/) {}
  /// Something other than white space follows the document. At most once, after everything else.
  virtual void on_trailing_text(std::uint64_t /*offset*/) {}
};

/// Parses a document handed over in windows, each followed by at least 64 zero bytes or the rest of the file with
/// stop_at() before its end. What a window leaves unfinished comes again at the front of the next one.
class DocumentParser {
 public:
  /// `path` is used in errors.
  DocumentParser(DocumentHandler& handler, std::string path) : handler_(handler), path_(std::move(path)) {}

  void keep(RequestedArguments requested) { event_parser_.keep(requested); }

  /// Starts inside the event list, at the { of an event: for reading one file in parts. `is_array`: the document is a
  /// bare array.
  void start_inside_events(bool is_array) { state_ = State::before_event, is_array_ = is_array; }
  /// Stop before the first event that starts at or after this byte of the file.
  void stop_at(std::uint64_t offset) { stop_at_ = offset; }

  /// Goes on after stop_at() was reached.
  void resume() { stopped_ = false; }
  /// Takes over the place in the document that `later`, which read the part that follows, has reached.
  void continue_as(const DocumentParser& later) { state_ = later.state_, stopped_ = later.stopped_; }

  /// Parses what is complete; returns how far it got. In the last window anything incomplete is an error.
  Result<const char*> parse(const Window& window);

  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Whether the document is a bare array of events; known after the first byte of it.
  [[nodiscard]] bool is_array() const { return is_array_; }
  [[nodiscard]] bool saw_events() const { return saw_events_; }
  [[nodiscard]] bool at_end() const { return state_ == State::done; }
  /// Exchanges what was learned of the shapes of events: speed only, never the result, if both keep the same arguments.
  void swap_learned(EventParser& other) { std::swap(event_parser_, other); }

 private:
  enum class State : std::uint8_t { start, before_key, after_value, before_event, after_event, done };

  // Each takes one step at p_ and returns false when it needs more input.
  Result<bool> step();
  Result<bool> step_key();
  Result<bool> step_event();
  Result<bool> start();
  void end_object(bool needs_comma);
  Result<bool> need_more(const char* what);
  void look_for_trailing_text();
  [[nodiscard]] std::uint64_t offset_of(const char* p) const {
    return window_.offset + static_cast<std::uint64_t>(p - window_.begin);
  }
  Error error_at(const char* p, std::string message, std::string hint = {}) const;
  /// The same of what salvaging reads up to.
  Error damage_at(const char* p, std::string message, std::string hint) const;

  DocumentHandler& handler_;
  std::string path_;
  EventParser event_parser_;
  EventRecord record_;
  State state_ = State::start;
  bool is_array_ = false;  // a bare array of events: its closing bracket may be missing
  bool saw_events_ = false;
  bool stopped_ = false;
  bool saw_trailing_text_ = false;
  bool saw_event_ = false;
  bool is_lenient_ = false;  // texts may lack their quotes: see EventParser::parse_lenient
  std::uint64_t stop_at_ = ~std::uint64_t{0};
  Window window_{};
  const char* p_ = nullptr;
};

// One pass over a whole file, plain or compressed, in windows.

/// Told about the windows of a walk: what a handler's views point into.
class WindowObserver {
 public:
  virtual ~WindowObserver() = default;
  /// The parser is about to look at `window`.
  virtual void begin_window(const Window& window) = 0;
  /// It has taken everything before `taken`, which no handler sees again. An Error ends the walk.
  virtual Status end_window(const char* taken) = 0;
};

/// Feeds the file to the parser from front to back. Memory: a few MiB, or twice the largest single value of a
/// compressed file if that is more; pages of a plain file are given back as they have been read. Damaged input is an
/// Error.
Status walk_document(const MappedFile& file, DocumentParser& parser, WindowObserver* observer = nullptr);

}  // namespace orrery::kineto
