// orrery llm calibrate: fits a device to the user's own timings of kernels.
#pragma once

#include "cli/frame/invocation.h"
#include "llm/catalog.h"

namespace orrery::cli {

ExitCode run_llm_calibrate(Invocation& invocation, const llm::Catalog& catalog);

}  // namespace orrery::cli
