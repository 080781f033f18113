// Which files of the command line are the two recordings of one rank.
#pragma once

#include <string>
#include <vector>

#include "analyze/link_job.h"
#include "cli/invocation.h"

namespace orrery::cli {

/// Pairs from --host and --device (or Chakra's names for them), each a file, folder or glob, and from operands, whose files are told apart by
/// their names. A host trace belongs to the profiler trace that is called the same up to the ending (ddp4.rank0.et.json.gz and
/// ddp4.rank0.kineto.json.gz), else to the one with the same rank in its name; one of each belong together whatever they are called. Profiler
/// traces without a host trace stay alone. Files are recorded as inputs of the invocation.
Result<std::vector<analyze::TracePair>> find_pairs(Invocation& invocation);

/// Whether a file of this name is a host trace: "x.et.json.gz", "x.host.json", "x_et.json", "execution_trace_0.json".
bool is_host_trace_name(const std::string& path);

/// `devices` with the hosts that belong to them; an Error names a host that belongs to none.
Result<std::vector<analyze::TracePair>> pair_traces(const std::vector<std::string>& hosts, const std::vector<std::string>& devices);

}  // namespace orrery::cli
