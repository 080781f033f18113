// The answers of Holistic Trace Analysis about whole jobs: breakdown, kernels, launches, memory, blame and diff with
// --compat hta.
#pragma once

#include <optional>
#include <vector>

#include "cli/frame/exit_code.h"
#include "cli/frame/flag.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

// What each verb takes with --compat hta, --compat itself not included.
std::vector<Flag> hta_breakdown_flags();
std::vector<Flag> hta_kernels_flags();
std::vector<Flag> hta_launches_flags();
std::vector<Flag> hta_memory_flags();
std::vector<Flag> hta_blame_flags();
std::vector<Flag> hta_diff_flags();

/// A verb's own flags, --compat and those of HTA behind them.
std::vector<Flag> with_hta_flags(std::vector<Flag> flags, const std::vector<Flag>& hta_flags);

/// A flag of the other mode: with --compat hta one that HTA has no notion of, without it one of HTA's. Ignoring it
/// would look like heeding it.
std::optional<UsageError> flag_of_other_mode(const Invocation& invocation);

// Each reads the operands as HTA does and answers in its tables. What HTA cannot answer is null, with the reason under
// "unavailable", and no failure: the exit status stays 0. Only diff fails without a usable step.
ExitCode run_hta_breakdown(Invocation& invocation);
ExitCode run_hta_kernels(Invocation& invocation);
ExitCode run_hta_launches(Invocation& invocation);
ExitCode run_hta_memory(Invocation& invocation);
ExitCode run_hta_blame(Invocation& invocation);
ExitCode run_hta_diff(Invocation& invocation);

}  // namespace orrery::cli
