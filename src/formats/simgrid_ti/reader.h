// Reads SimGrid's time-independent (TI) traces, what `smpirun -trace-ti` writes and `smpirun -replay` runs, into a
// Workload: docs/formats/simgrid_ti.md.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "workload/workload.h"

namespace orrery::simgrid_ti {

/// `path` lists one file per rank, or has the actions of all ranks itself. Files are looked for beside `path` and, as
/// SimGrid does, where the command runs. Computing has operations and no duration; all collectives are of all ranks, as
/// in SimGrid's replay. An Error names file and byte. `diagnostics` may be null: then what is odd is an Error.
Result<workload::Workload> read_workload(const std::string& path, Diagnostics* diagnostics);

/// The actions of all ranks in one text; `path` is used in errors.
Result<workload::Workload> parse_actions(std::string_view text, const std::string& path, Diagnostics* diagnostics);

/// What the first lines of a file are, whatever it is called. `is_all`: they are the whole file; else the last may be
/// cut.
enum class Content : std::uint8_t {
  other,
  list,     ///< each line names a file, and all are called alike but for their numbers:
            ///< "smpi_simgrid.txt_files/0_rank-0.txt"
  job,      ///< actions of several ranks, or of a rank 0 that speaks to nobody
  one_rank  ///< the actions of one rank among others: a part of a job
};
Content content_of(std::string_view text, bool is_all);

}  // namespace orrery::simgrid_ti
