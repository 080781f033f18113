// From the command line to a step's graph: the window flags that path and whatif share, and where the graph comes from.
#pragma once

#include <optional>

#include "analyze/step_spread.h"
#include "cli/invocation.h"
#include "link/step_graph.h"

namespace orrery::cli {

/// --rank, --annotation, --instance and --restore, with the input flags, behind the verb's own.
std::vector<Flag> with_window_flags(std::vector<Flag> flags);

struct Instances {
  std::optional<std::size_t> first;
  std::optional<std::size_t> last;
};

/// How many steps they span; without --instance, one.
inline std::size_t step_count(const Instances& instances) { return instances.first ? *instances.last - *instances.first + 1 : 1; }

/// The value of --instance: "3" or "0:3", inclusive; a UsageError otherwise.
std::optional<UsageError> parse_instances(const Invocation& invocation, Instances& out);

/// Reads the traces, or restores a saved step, and makes the graph of the window asked for. `spread`: where to tell how much the steps of the
/// recording differ, which a saved step does not know.
Result<link::StepGraph> load_step_graph(Invocation& invocation, const std::vector<std::string>& operands, const Instances& instances,
                                        std::optional<analyze::StepSpread>* spread = nullptr);

}  // namespace orrery::cli
