// Which members of an event the reader keeps, and where each goes.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace orrery::kineto {

/// Where the value of a member goes. Values below kFirstField are members of the event itself; from there on, members
/// of its "args" that become columns: kFirstField + Field.
enum Slot : std::uint8_t {
  kIgnored,
  kPhase,
  kCategory,
  kName,
  kProcess,
  kThread,
  kTime,
  kDuration,
  kId,
  kScope,  ///< of an async event: ids of different scopes are different
  kId2,    ///< of the same: {"local": "0x9"}, an id of its process alone, or {"global": ...}
  kArgs,
  kLabel,           ///< args.name or args.labels of metadata events: the name of a process or thread
  kRecordFunction,  ///< args."Record function id", of which only whether it is 0 is of interest
  kShapes,          ///< args."Input Dims": that it is there
  kStack,           ///< args."Call stack" of before 2022: whether it is empty
  kFirstField,
};

/// Slot of a member of the event object ({"ph": "X", "ts": ...}).
Slot event_slot(std::string_view key);
/// Slot of a member of its "args" object ({"correlation": 17, "stream": 7}).
Slot argument_slot(std::string_view key);
/// Whether the value of an argument that goes there becomes no column.
inline bool is_other_argument(Slot slot) {
  return slot == kIgnored || slot == kRecordFunction || slot == kShapes || slot == kStack;
}
/// Arguments that are read on request only.
struct RequestedArguments {
  bool record_functions = false;  ///< Field::record_function
  bool operands = false;          ///< see trace::is_operand
};
/// Slot of a member of "args" where some are asked for.
Slot argument_slot(std::string_view key, RequestedArguments requested);

inline trace::Field field_of(Slot slot) { return static_cast<trace::Field>(slot - kFirstField); }

}  // namespace orrery::kineto
