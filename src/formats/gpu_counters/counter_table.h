// What nvidia-smi (--query-gpu=... --format=csv) and `dcgmi dmon` write about GPUs while a job runs:
// docs/formats/gpu_counters.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"

namespace orrery::gpu_counters {

struct Sample {
  std::int64_t local_ns = 0;  ///< since 1970, as if the clock on the wall were that of Greenwich
  std::int64_t device = 0;
  std::uint32_t counter = 0;  ///< place in CounterTable::counters
  double value = 0;
};

struct CounterTable {
  struct Counter {
    std::string name;  ///< clocks.current.sm
    std::string unit;  ///< MHz; empty: not said
  };
  std::vector<Counter> counters;
  std::vector<Sample> samples;  ///< as in the file
};

/// nvidia-smi: the first line is a header with a `timestamp` and something that GPUs are asked about. dcgmi: it ends in
/// "#Entity" and names of fields.
bool is_counter_table(std::string_view head);

/// Texts that are no numbers ([N/A], names) are no samples. Rows without a time or a device are counted. An Error if no
/// row can be used.
Result<CounterTable> parse_counter_table(std::string_view text, const std::string& path, Diagnostics& diagnostics);
Result<CounterTable> read_counter_table(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::gpu_counters
