// Parses one event object into an EventRecord: by the learned skeleton where it fits, member by member where it does
// not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/kineto/event_record.h"
#include "formats/kineto/skeleton.h"

namespace orrery::kineto {

enum class ParseOutcome : std::uint8_t {
  parsed,
  incomplete,  ///< the window ends inside the event
  malformed,   ///< `position` is where it stops being JSON
  too_deep,    ///< nested beyond kMaxDepth
};

struct ParsedEvent {
  ParseOutcome outcome;
  const char* position;  ///< after the event when parsed, else where the trouble is
};

class EventParser {
 public:
  /// Which arguments are kept beside those that always are. Set before the first event: shapes learned without it do
  /// not look for them.
  void keep(RequestedArguments requested) { requested_ = requested; }

  /// `p` is at a {. The record's views point into the window.
  ParsedEvent parse(const char* p, const char* end, EventRecord& record);
  /// The same of an event whose texts may lack their quotes ("datatype": ncclFloat32, "Stream": 0x262ca50), as NCCL's
  /// example plugin wrote before 2.29. The record's views point into this parser, until the next call.
  ParsedEvent parse_lenient(const char* p, const char* end, EventRecord& record);

 private:
  ParsedEvent parse_generic(const char* p, const char* end, EventRecord& record);
  ParsedEvent parse_members(const char* p, const char* end, EventRecord& record, bool in_args);
  ParsedEvent parse_value(const char* p, const char* end, EventRecord& record, Slot slot);
  void note_step(const char* value, ValueKind kind, Slot slot, const char* after);

  RequestedArguments requested_;
  Skeleton skeleton_;
  std::vector<SkeletonStep> steps_;
  const char* literal_start_ = nullptr;
  std::string repaired_;  // by parse_lenient
};

}  // namespace orrery::kineto
