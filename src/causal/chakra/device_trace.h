// The events of a profiler trace as chakra_trace_link sorts them: host operators, launches and device work, each in the
// order of time.
//
// Times are the doubles that Python reads from the file, in microseconds: two moments that differ by less than a double
// can tell are equal here, and sums round as they do there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::causal::chakra {

// Where chakra_trace_link stops with an exception.

inline Error stop(const std::string& file, std::string why) {
  return {std::move(why),        file, Error::kNoOffset, "chakra_trace_link stops here", Error::Kind::unusable,
          Remedy::without_compat};
}

inline constexpr std::int64_t kNoExternalId = -1;

/// Operators and annotations, but no profiler steps. By ts, then by place in the file.
struct HostOps {
  Column<trace::EventIndex> event;
  Column<double> ts;
  Column<double> dur;
  Column<std::uint32_t> thread;
  Column<std::int64_t> external_id;
  Column<std::int64_t> record_function;  ///< trace::kNoNumber: none

  [[nodiscard]] std::size_t size() const { return event.size(); }
};

/// Runtime and driver calls that launch kernels and copies. By correlation, which no two share.
struct LaunchCalls {
  Column<std::int64_t> correlation;
  Column<double> ts;
  Column<std::uint32_t> thread;

  static constexpr std::size_t kMissing = ~std::size_t{0};
  [[nodiscard]] std::size_t find(std::int64_t with_correlation) const;  ///< O(log n)
};

/// Kernels and copies. By ts, then by place in the file.
struct DeviceWork {
  Column<trace::EventIndex> event;
  Column<double> ts;
  Column<double> dur;
  Column<std::int64_t> external_id;
  Column<std::int64_t> correlation;

  [[nodiscard]] std::size_t size() const { return event.size(); }
};

struct DeviceTrace {
  Column<std::uint32_t> thread_of_lane;  ///< threads are known by number alone, whatever their process
  std::vector<trace::LaneKey> threads;
  HostOps host;
  LaunchCalls launches;
  DeviceWork work;
};

/// Fails if two launches have the same correlation, or none.
Result<DeviceTrace> sort_events(const trace::Trace& trace, const trace::RankTrace& rank);

/// A key that orders doubles as their values do: for radix_sort.
std::uint64_t radix_key_of(double value);

}  // namespace orrery::causal::chakra
