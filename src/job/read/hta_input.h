// A job as HTA reads it: every file by itself, with the rank that HTA finds in its text.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_members.h"
#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "trace/trace.h"

namespace orrery::job {

// Arguments of events that no analysis keeps: found again in the file, by the place of each event in it.

/// visit(i, members of "args") for each of `wanted`, in the order of the file. Nothing for traces whose files do not
/// have events' text.
Status visit_arguments(const trace::RankTrace& rank, const std::vector<trace::EventIndex>& wanted,
                       const std::function<void(std::size_t, const std::vector<JsonMember>&)>& visit);

/// The members of the "args" of each, names unescaped and values as JSON.
using Arguments = std::map<std::string, std::string>;
Result<std::vector<Arguments>> read_arguments(const trace::RankTrace& rank,
                                              const std::vector<trace::EventIndex>& wanted);

struct HtaInput {
  std::vector<std::shared_ptr<trace::Trace>> traces;
  std::vector<causal::hta::RankInput> ranks;  ///< in the order of the files; they point into `traces`
};

/// Files are read side by side. Programs are replayed, and formats with several ranks in a file keep their numbers.
Result<HtaInput> read_hta_job(const Source& source, const Reading& reading);

/// The number behind the first `"rank":` of the text that is followed by blanks and digits, wherever that is; 0 if
/// there is none. HTA wants at least one blank there.
Result<std::int64_t> hta_rank_of(const std::string& path);

/// Of some rows: see job/read/hta_input.h.
Result<std::vector<Arguments>> read_arguments(const causal::hta::Rows& rows,
                                              const std::vector<causal::hta::RowIndex>& wanted);

/// Of the same rows one argument as a number; `missing` where there is none.
Result<std::vector<double>> read_number_argument(const causal::hta::Rows& rows,
                                                 const std::vector<causal::hta::RowIndex>& wanted,
                                                 std::string_view name, double missing);

}  // namespace orrery::job
