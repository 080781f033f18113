#include "formats/kineto/stretches.h"

#include <algorithm>
#include <cstring>

#include "formats/kineto/event_parser.h"
#include "formats/kineto/limits.h"

namespace orrery::kineto {
namespace {

// The last character before `p` that is not white space, or 0.
char last_before(const char* begin, const char*& p) {
  while (p > begin) {
    const char c = *--p;
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
  }
  return '\0';
}

}  // namespace

std::optional<std::uint64_t> guess_event_start(std::string_view text, std::uint64_t from, std::uint64_t limit) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* const stop = begin + std::min<std::uint64_t>(text.size(), from + limit);
  EventParser parser;
  EventRecord record;
  for (const char* p = begin + from; p < stop; ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<std::size_t>(stop - p)));
    if (p == nullptr) return std::nullopt;
    const char* back = p;
    // Behind a brace and a comma a list goes on: that is where the next event begins, or something that looks like it.
    if (last_before(begin, back) != ',') continue;
    if (last_before(begin, back) != '}') continue;  // `back` has moved on to what is before the comma
    const ParsedEvent event = parser.parse(p, end, record);
    // A phase is what events have and their arguments do not.
    if (event.outcome == ParseOutcome::parsed && record.phase != '\0') return static_cast<std::uint64_t>(p - begin);
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t kCutWindowBytes =
    64 << 10;  // how far from the end to look for a place to cut: more than most events take

}  // namespace

void StretchCutter::inflate(Stretch& out, std::size_t bytes) {
  out.buffer.resize_uninitialized(out.text_bytes + bytes + MappedFile::kPaddingBytes);
  const Result<std::size_t> got = inflater_.read(std::span<char>(out.buffer.data() + out.text_bytes, bytes));
  const std::size_t size = got ? *got : inflater_.delivered();
  if (!got) out.input_error = got.error();
  out.is_last = !got || size < bytes;
  out.text_bytes += size;
  text_bytes_ += size;
  std::memset(out.buffer.data() + out.text_bytes, 0, MappedFile::kPaddingBytes);
}

bool StretchCutter::next(Stretch& out) {
  if (ended_) return false;
  out.input_error.reset();
  out.offset = text_bytes_ - carry_.size();
  out.text_bytes = carry_.size();
  out.buffer.resize_uninitialized(carry_.size());
  // What was left over from the stretch before comes first.
  if (!carry_.empty()) std::memcpy(out.buffer.data(), carry_.data(), carry_.size());
  inflate(out, nominal_bytes_);
  std::optional<std::uint64_t> cut;
  while (!out.is_last) {
    const std::size_t from = out.text_bytes - std::min(out.text_bytes, kCutWindowBytes);
    cut = guess_event_start(out.text(), from, kCutWindowBytes);
    if (cut) break;
    // No event begins in so much text: this is no usual trace, and the way that needs no guess reads it.
    if (out.text_bytes > kMaxStretchGrowth * nominal_bytes_) {
      ended_ = gave_up_ = true;
      return false;
    }
    // A long event: a little more text, and the search again.
    inflate(out, nominal_bytes_ / 4);
  }
  out.stop_at = cut ? out.offset + *cut : ~std::uint64_t{0};
  ended_ = out.is_last;
  carry_.clear();
  if (cut) carry_.append(std::span<const char>(out.buffer.data() + *cut, out.text_bytes - *cut));
  out.compressed_bytes = inflater_.consumed() - consumed_;
  consumed_ = inflater_.consumed();
  return true;
}

}  // namespace orrery::kineto
