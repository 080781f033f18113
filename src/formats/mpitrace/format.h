// The descriptor of the files of liborrery_mpi.so.
#pragma once

#include "formats/format.h"

namespace orrery::mpitrace {

extern const formats::Format kFormat;

}  // namespace orrery::mpitrace
