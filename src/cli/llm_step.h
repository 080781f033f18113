// orrery llm CONFIG.yml...: training steps from their configurations.
#pragma once

#include "cli/exit_code.h"
#include "cli/invocation.h"
#include "llm/catalog.h"

namespace orrery::cli {

/// Every operand is a configuration. One is shown in full, several are compared.
ExitCode run_llm_steps(Invocation& invocation, const llm::Catalog& catalog);

}  // namespace orrery::cli
