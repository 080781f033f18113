// A Source as a Workload: what simulators, replays and converters ask for, whatever was recorded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "job/pairs/linked_job.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "trace/host_trace.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::job {

struct WorkloadRequest {
  std::string schema = {};            ///< of Chakra files that do not say it
  std::size_t ranks = 0, passes = 1;  ///< of text workloads, which leave it open
  std::string groups_file = {};       ///< members of groups; empty: PREFIX.groups.json if it is there
  bool whole_microseconds = false;    ///< recorded times are rounded with care for the unit of Chakra's files
  /// Groups and peers that are named by role stay so, for who can take them: 16,384 ranks written out need 100 GB.
  bool keep_roles = false;
  bool micros_only = false;  ///< of Chakra files: durations as ASTRA-sim reads them
  bool complete = true;      ///< ranks that the files say there were, and that are not there, are an Error
};

/// What was read. `hosts` and `job` keep what a workload does not hold, for the details of a Chakra file.
struct WorkloadInput {
  workload::Workload workload;
  std::vector<std::size_t> rank_numbers;  ///< by rank of the workload: as the files are numbered, else their place
  std::vector<trace::HostTrace> hosts;    ///< of host traces, one per rank; texts in workload.strings
  LinkedJob job;                          ///< of traces; its workload is `workload`
};

/// A job that is better made while it runs than held in memory: a recipe of many steps. Null if the source is none.
Result<std::unique_ptr<workload::WorkloadSource>> open_workload(const Source& source, const Reading& reading);

/// Programs are read; traces are linked, with their host traces where there are some; host traces alone are programs
/// without device work.
Result<WorkloadInput> read_workload(const Source& source, const WorkloadRequest& request, const Reading& reading);

}  // namespace orrery::job
