// One event as views into the input, between being parsed and being committed to the columns.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/json/json_scan.h"
#include "formats/kineto/event_fields.h"

namespace orrery::kineto {

/// A JSON string without its quotes; still with its escapes if `escaped`.
struct RawText {
  std::string_view view;
  bool escaped = false;
};

/// A member that may be a number or a text: pid, tid, id.
struct RawKey {
  RawText text;
  std::int64_t number = 0;
  enum : std::uint8_t {
    absent,
    integer,
    string,
    unusable
  } kind = absent;  ///< unusable: a number that is no 64-bit integer, as written in `text`
};

/// What the arguments of an event say of the way it was recorded.
enum Recorded : std::uint8_t {
  kRecordedShapes = 1,
  kRecordedStacks = 2,
  kRecordedHostTrace = 4,  ///< operators are numbered, which only the recorder of a host trace asks for
};

struct EventRecord {
  RawText name;
  RawText category;
  RawText label;
  RawKey process;
  RawKey thread;
  RawKey id;
  RawText scope;
  std::string_view id2;  ///< JSON
  Decimal time;
  Decimal duration;
  std::string_view time_text;      ///< the number `time` as written, if has_time
  std::string_view duration_text;  ///< the same for `duration`
  bool has_time = false;
  bool has_duration = false;
  bool has_category = false;
  bool bad_time = false;      ///< a ts is there that is no number
  bool bad_duration = false;  ///< the same for dur
  bool has_other_arguments =
      false;                  ///< an argument is there that no Field keeps; told of the first event of a shape only
  std::uint8_t recorded = 0;  ///< bits of Recorded
  char phase = 0;
  std::uint64_t present = 0;                                ///< bit per Field
  std::array<std::int64_t, trace::kIntegerFields> numbers;  ///< valid where present, for the fields that hold integers
  std::array<RawText, trace::kFieldCount - trace::kIntegerFields> texts;  ///< the same for the others

  void clear() {
    name = {}, category = {}, label = {}, scope = {},
    id2 = {};  // one by one: a chain would load what it has just stored in parts
    process.kind = thread.kind = id.kind = RawKey::absent;
    has_time = has_duration = has_category = bad_time = bad_duration = has_other_arguments = false;
    recorded = 0;
    phase = 0;
    present = 0;
  }
};
static_assert(trace::kFieldCount <= 64, "EventRecord::present has a bit per Field");

/// Takes note of a value that is of no use to any member: an array, an object, a word.
inline void take_unusable(EventRecord& record, Slot slot);
/// Takes the value of a member that is an array or an object: as written where lists are wanted, else unusable.
inline void take_container(EventRecord& record, Slot slot, std::string_view json);
/// Takes the value of a member that is a word at `p`: true, false, null, or Python's NaN, Infinity and -Infinity.
/// Returns the position after it, `p` if there is none, nullptr if the window ends.
const char* take_word(EventRecord& record, Slot slot, const char* p, const char* end);
/// Takes the value of a member that is a string.
ORRERY_INLINE void take_string(EventRecord& record, Slot slot, RawText text);
/// Takes the value of a member that is a number at `p`; returns the position after it, nullptr if there is none or the
/// window ends.
ORRERY_INLINE const char* take_number(EventRecord& record, Slot slot, const char* p, const char* end);

}  // namespace orrery::kineto

#include "formats/kineto/event_record_inl.h"
