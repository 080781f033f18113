// A document copied while it is walked over, with other times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/content_hash.h"
#include "base/io/output_file.h"
#include "formats/kineto/alignment_member.h"
#include "formats/kineto/document_walk.h"

namespace orrery::kineto {

/// Asks for the new spelling of times; what is not replaced is handed on as it is. To be used as handler and observer
/// of one walk.
class DocumentCopy : public DocumentHandler, public WindowObserver {
 public:
  void begin_window(const Window& window) final;
  Status end_window(const char* taken) override;
  void on_event(const EventRecord& record, std::string_view text, std::uint64_t offset) final;
  void on_unusable(std::string_view /*text*/, std::uint64_t /*offset*/) final {}
  void on_property(const std::string& /*key*/, std::string_view /*json*/) final {}

 protected:
  /// The new spelling of the times of an event that has some and is no metadata; `event` is its place among the objects
  /// of the event list.
  virtual SpelledTimes change(const EventRecord& record, std::uint64_t event) = 0;
  /// Bytes of the input, which begin at `offset` in it, that are to be copied; and bytes that are new.
  virtual void copy(std::string_view bytes, std::uint64_t offset) = 0;
  virtual void insert(std::string_view bytes) = 0;

  /// The window at hand from its begin to `position`.
  [[nodiscard]] std::string_view window_up_to(const char* position) const;
  /// Hands on what lies before `position` and has not been handed on yet.
  void copy_up_to(const char* position);

 private:
  void replace(std::string_view old, std::string_view text);

  Window window_{};
  const char* copied_ = nullptr;  // everything before it, in this window, has been copied or replaced
  std::uint64_t events_ = 0;
};

/// Collects small pieces for a file, and hashes them: both are slow piece by piece. The file must outlive it, and is
/// committed by its owner.
class BlockWriter {
 public:
  explicit BlockWriter(OutputFile& file);

  void write(std::string_view bytes);
  /// Hands everything on to the file.
  void flush();
  /// Of what was flushed.
  [[nodiscard]] const ContentHash& hash() const { return hash_; }

 private:
  OutputFile& file_;
  std::string block_;
  ContentHash hash_;
};

}  // namespace orrery::kineto
