// A linked trace as JSON, in the form of chakra_trace_link.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

/// Every member of the original rows is kept as it was written; linking adds its own. Rows by id. Complete or absent.
Status write_linked_trace(const trace::HostTrace& linked, const Interner& strings, const std::string& path);

}  // namespace orrery::pytorch_et
