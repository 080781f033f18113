// The descriptor of tables of training operations, so that every verb knows one when it sees it.
#pragma once

#include "formats/format.h"

namespace orrery::training_operations {

extern const formats::Format kFormat;

}  // namespace orrery::training_operations
