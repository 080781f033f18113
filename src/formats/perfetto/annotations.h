// Arguments of events: what a DebugAnnotation says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "formats/perfetto/argument_keys.h"
#include "formats/perfetto/sequence.h"

namespace orrery::perfetto {

struct ArgumentValue {
  enum Kind : std::uint8_t { none, integer, real, text } kind = none;
  std::int64_t number = 0;  ///< of integers; true is 1
  double fraction = 0;      ///< of reals
  StringId words = 0;       ///< of texts; dictionaries and lists are JSON
};

class AnnotationReader {
 public:
  AnnotationReader(Interner& strings, ArgumentKeys& keys, Diagnostics& diagnostics)
      : strings_(strings), keys_(keys), diagnostics_(diagnostics) {}

  /// `message` is a DebugAnnotation of a packet of `sequence`. Values that nobody asked for are not looked at.
  ArgumentValue read(std::string_view message, const Sequence& sequence, StringId& key);

 private:
  ArgumentValue first_value(std::string_view message, const Sequence& sequence);
  ArgumentValue value_of(const WireField& field, std::string_view message, const Sequence& sequence);
  void write_json(std::string_view message, const Sequence& sequence, int depth);
  void write_value(const WireField& field, const Sequence& sequence);
  void write_nested(std::string_view message, int depth);
  void write_members(std::string_view message, const Sequence& sequence, std::uint32_t which, int depth);
  [[nodiscard]] std::string_view key_of(std::string_view message, const Sequence& sequence) const;
  StringId text_of(const NumberTable& table, std::uint64_t number);

  Interner& strings_;
  ArgumentKeys& keys_;
  Diagnostics& diagnostics_;
  std::string json_;
};

}  // namespace orrery::perfetto
