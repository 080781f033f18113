// The shape that almost all events have, read without a walk over their members.
#pragma once

#include <string_view>

#include "formats/xspace/alignment_record.h"

namespace orrery::xspace {

/// An event as every protobuf library writes it: metadata_id, offset_ps, duration_ps unless it is 0, stats.
struct UsualEvent {
  std::string_view head;   // up to the offset
  std::string_view stats;  // behind the duration
  EventTimes times;
};

/// False if the event is anything but usual; it is then up to the general way to copy it or to say what is wrong with
/// it.
bool read_usual_event(std::string_view event, UsualEvent& usual);

}  // namespace orrery::xspace
