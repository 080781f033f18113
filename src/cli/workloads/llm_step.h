// orrery llm CONFIG.yml...: training steps from their configurations.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "base/team/sweep.h"
#include "cli/frame/exit_code.h"
#include "cli/frame/invocation.h"
#include "llm/catalog.h"

namespace orrery::cli {

/// What is told or written of one step alone. A flag that would be ignored is refused: nobody should look for a file
/// that was never written.
inline constexpr std::array<std::string_view, 6> kOneStepFlags = {"output",      "et",    "manifest",
                                                                  "sensitivity", "edges", "report"};

/// Every operand is a configuration. One is shown in full, several are compared.
ExitCode run_llm_steps(Invocation& invocation, const llm::Catalog& catalog);
/// See Verb::open_sweep.
std::unique_ptr<Sweep> open_llm_sweep(Invocation& invocation);

}  // namespace orrery::cli
