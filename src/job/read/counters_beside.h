// Counters that were recorded beside a trace: found in its folder, put on its clock.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/gpu_counters/counter_table.h"
#include "trace/trace.h"

namespace orrery::job {

/// Tables of counters (.csv, also compressed) in the folders of these files, by name.
std::vector<std::string> counter_tables_beside(const std::vector<std::string>& files);

/// Adds the samples of each device to the ranks that worked on it. Tables are written in the time of the clock on the
/// wall: they are taken as Greenwich's, or moved by the quarters of an hour at which most of the trace is covered.
void add_counters(const gpu_counters::CounterTable& table, trace::Trace& trace);

/// Both, with a remark for each table that is read.
Status read_counters_beside(const std::vector<std::string>& files, trace::Trace& trace, Diagnostics& diagnostics);

}  // namespace orrery::job
