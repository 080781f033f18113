// What goes wrong in the engine, on its way to an exception of the package.
#pragma once

#include <pybind11/pybind11.h>

#include "base/diagnostics.h"
#include "base/result.h"
#include "cli/frame/message.h"

namespace orrery::python {

/// {"code", "message", "excerpt", "hint", "file", "offset"}: what orrery._errors makes an exception of; code is the
/// exit status.
pybind11::dict describe(const cli::Failure& failure);
[[noreturn]] void raise(const Error& error);
/// {"code", "severity", "count", "message", "hint"} each, as in the envelope.
pybind11::list describe(const Diagnostics& diagnostics);
pybind11::list describe(const std::vector<cli::Remark>& remarks);

}  // namespace orrery::python
