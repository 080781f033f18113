// The descriptor of OTF2 archives, so that every verb knows one when it sees it.
#pragma once

#include "formats/format.h"

namespace orrery::otf2 {

extern const formats::Format kFormat;

}  // namespace orrery::otf2
