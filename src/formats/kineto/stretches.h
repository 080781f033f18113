// Cuts a compressed file, while inflating it, into stretches of whole events that can be parsed side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/column.h"
#include "base/io/inflate.h"
#include "formats/kineto/document.h"

namespace orrery::kineto {

// Where a plain file may be cut so that its parts can be read side by side.

/// Byte position of an object at or after `from` that looks like an event of the event list: preceded by "}," and with
/// a "ph" member. A guess: text inside an event can look the same. The reader checks it, since the part before must end
/// exactly there. `text` is followed by at least 64 zero bytes. Looks at no more than `limit` bytes.
std::optional<std::uint64_t> guess_event_start(std::string_view text, std::uint64_t from, std::uint64_t limit);

struct Stretch {
  Column<char> buffer;               ///< the text, a little more of what follows, and zeros
  std::size_t text_bytes = 0;        ///< without the zeros
  std::uint64_t offset = 0;          ///< of the first byte in the inflated file
  std::uint64_t stop_at = 0;         ///< where the next stretch begins; the largest number for the last one
  std::size_t compressed_bytes = 0;  ///< newly taken from the file
  bool is_last = false;
  std::optional<Error> input_error;  ///< the compressed data is damaged behind this, the last stretch

  [[nodiscard]] std::string_view text() const { return {buffer.data(), text_bytes}; }
  /// With damaged input the end of the text is not the end of the document: what is incomplete there is no error of the
  /// document.
  [[nodiscard]] Window window() const {
    return {buffer.data(), buffer.data() + text_bytes, offset, is_last && !input_error};
  }
};

class StretchCutter {
 public:
  /// Stretches take about `nominal_bytes`.
  StretchCutter(Inflater& inflater, std::size_t nominal_bytes) : inflater_(inflater), nominal_bytes_(nominal_bytes) {}

  /// Fills `out`, whose buffer is used again; false after the last one, or when no place to cut was found within four
  /// times the usual length.
  bool next(Stretch& out);
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  /// Inflated so far.
  [[nodiscard]] std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  void inflate(Stretch& out, std::size_t bytes);

  Inflater& inflater_;
  std::size_t nominal_bytes_;
  Column<char> carry_;  // inflated already, of the next stretch
  std::uint64_t text_bytes_ = 0;
  std::size_t consumed_ = 0;
  bool ended_ = false;
  bool gave_up_ = false;
};

}  // namespace orrery::kineto
