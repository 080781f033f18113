// A job as HTA reads it: every file by itself, with the rank that HTA finds in its text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "causal/hta/job_rows.h"
#include "job/read/event_arguments.h"
#include "job/read/reading.h"
#include "job/read/source.h"

namespace orrery::job {

struct HtaInput {
  std::vector<std::shared_ptr<trace::Trace>> traces;
  std::vector<causal::hta::RankInput> ranks;  ///< in the order of the files; they point into `traces`
};

/// Files are read side by side. Programs are replayed, and formats with several ranks in a file keep their numbers.
Result<HtaInput> read_hta_job(const Source& source, const Reading& reading);

/// The number behind the first `"rank":` of the text that is followed by blanks and digits, wherever that is; 0 if
/// there is none. HTA wants at least one blank there.
Result<std::int64_t> hta_rank_of(const std::string& path);

/// Of some rows: see job/read/event_arguments.h.
Result<std::vector<Arguments>> read_arguments(const causal::hta::Rows& rows,
                                              const std::vector<causal::hta::RowIndex>& wanted);

/// Of the same rows one argument as a number; `missing` where there is none.
Result<std::vector<double>> read_number_argument(const causal::hta::Rows& rows,
                                                 const std::vector<causal::hta::RowIndex>& wanted,
                                                 std::string_view name, double missing);

}  // namespace orrery::job
