#include "formats/kineto/document_copy.h"

namespace orrery::kineto {
namespace {

constexpr std::size_t kCopiedBlockBytes = 128u << 10;

}  // namespace

void DocumentCopy::begin_window(const Window& window) {
  window_ = window;
  copied_ = window.begin;
}

Status DocumentCopy::end_window(const char* taken) {
  copy_up_to(taken);
  return {};
}

void DocumentCopy::on_event(const EventRecord& record, std::string_view /*text*/, std::uint64_t /*offset*/) {
  const std::uint64_t event = events_++;
  if (record.phase == 'M' || !record.has_time) return;
  const SpelledTimes text = change(record, event);
  const bool ts_first = !record.has_duration || record.time_text.data() < record.duration_text.data();
  if (ts_first) replace(record.time_text, text.ts);
  if (record.has_duration) replace(record.duration_text, text.dur);
  if (!ts_first) replace(record.time_text, text.ts);
}

std::string_view DocumentCopy::window_up_to(const char* position) const {
  return {window_.begin, static_cast<std::size_t>(position - window_.begin)};
}

void DocumentCopy::copy_up_to(const char* position) {
  if (position <= copied_) return;
  copy({copied_, static_cast<std::size_t>(position - copied_)},
       window_.offset + static_cast<std::uint64_t>(copied_ - window_.begin));
  copied_ = position;
}

void DocumentCopy::replace(std::string_view old, std::string_view text) {
  if (text == old) return;
  copy_up_to(old.data());
  insert(text);
  copied_ = old.data() + old.size();
}

BlockWriter::BlockWriter(OutputFile& file) : file_(file) { block_.reserve(2 * kCopiedBlockBytes); }

void BlockWriter::write(std::string_view bytes) {
  block_ += bytes;
  if (block_.size() >= kCopiedBlockBytes) flush();
}

void BlockWriter::flush() {
  file_.write(block_);
  hash_.add(block_);
  block_.clear();
}

}  // namespace orrery::kineto
