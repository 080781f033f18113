// The report that mpiP writes at the end of a run (.mpiP): where calls of MPI stand in the program, and how long they
// took, per rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace orrery::ampip {

inline constexpr std::int64_t kAllRanks = -1;  ///< the rows that a report marks with *

struct TaskTime {
  std::int64_t rank = kAllRanks;
  TimePs application_ps = 0, mpi_ps = 0;
  double mpi_percent = 0;
};

/// One level of a call stack. `line` -1 and an address as `file` where the report knows no better.
struct StackFrame {
  std::string file;
  std::int64_t line = -1;
  std::string function;
  [[nodiscard]] bool is_known() const { return line >= 0 && function != "[unknown]"; }
};

struct ReportSite {
  std::int64_t id = 0;
  std::optional<std::int64_t>
      local_id;  ///< TmpID: the number that the lowest rank with this site gave it; reports before 3.5 have none
  std::optional<std::int64_t> hash;
  std::string call;               ///< "Isend"
  std::vector<StackFrame> stack;  ///< the call itself first
};

struct AggregateTime {
  std::string call;
  std::int64_t site = 0;
  TimePs time_ps = 0;
  double application_percent = 0, mpi_percent = 0;
  std::int64_t count = 0;
  double variation = 0;
};

struct AggregateSize {
  std::string call;
  std::int64_t site = 0, count = 0;
  double total_bytes = 0, mean_bytes = 0, sent_percent = 0;
};

/// Of one site on one rank. Times have three significant digits.
struct SiteTime {
  std::string call;
  std::int64_t site = 0, rank = kAllRanks, count = 0;
  TimePs max_ps = 0, mean_ps = 0, min_ps = 0;
  double application_percent = 0, mpi_percent = 0;
};

/// Sizes have four significant digits.
struct SiteSize {
  std::string call;
  std::int64_t site = 0, rank = kAllRanks, count = 0;
  double max_bytes = 0, mean_bytes = 0, min_bytes = 0, sum_bytes = 0;
};

struct Report {
  std::vector<std::pair<std::string, std::string>>
      properties;                  ///< "Version" -> "3.5.0", in order; without the task assignment
  std::vector<std::string> hosts;  ///< by rank
  std::vector<TaskTime> tasks;
  std::vector<ReportSite> sites;  ///< by id
  std::vector<AggregateTime> aggregate_times;
  std::vector<AggregateSize> aggregate_sizes;
  std::vector<SiteTime> site_times;
  std::vector<SiteSize> site_sizes;

  /// Null if there is none. O(log sites).
  [[nodiscard]] const ReportSite* find_site(std::int64_t id) const;
};

/// The Error names the byte. A report without its last line ("End of Report") was cut short, and is one.
Result<Report> parse_report(std::string_view text, const std::string& path);
Result<Report> read_report(const std::string& path);

inline bool is_report(std::string_view text) { return text.starts_with("@ mpiP"); }

/// "MPI_Send halo.cc:31 exchange < halo.cc:80 main": what is the same on every rank and in every run. Empty if the
/// innermost level is unknown.
std::string stack_text(const ReportSite& site);

}  // namespace orrery::ampip
