// From the operands of a verb to a Trace: what every verb that analyses recorded time does first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/invocation.h"
#include "job/read/rank_answers.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "job/read/trace_input.h"
#include "trace/trace.h"

namespace orrery::cli {

/// --csv, of verbs that answer with tables.
Flag csv_flag();

/// The flags of every verb that reads traces (--salvage), to be placed among the verb's own.
std::vector<Flag> with_input_flags(std::vector<Flag> flags);

/// How a job is read for this invocation: --salvage, remarks, inputs recorded, progress on stderr. `progress` and the
/// invocation must outlive it.
job::Reading reading_of(Invocation& invocation, Progress& progress);

/// The bytes of all files, for progress.
std::uint64_t total_bytes(const std::vector<std::string>& files);

/// Finds the files that `operands` name and reads them, whatever they are, with progress on stderr. With `one_rank`,
/// the rank of --rank or the lowest, and a remark on those that were not looked at. A job that was opened before
/// (cli/frame/hosting.h) is not read again but shared.
Result<std::shared_ptr<const trace::Trace>> load_job(Invocation& invocation, const std::vector<std::string>& operands,
                                                     const job::TraceRequest& request = {});
/// The same for whoever changes it.
Result<trace::Trace> load_own_job(Invocation& invocation, const std::vector<std::string>& operands,
                                  const job::TraceRequest& request);

/// What every rank of it answers by itself. Its events are looked at where they are read, and not kept.
Result<job::RankAnswers> ask_ranks(Invocation& invocation, const std::vector<std::string>& operands,
                                   const job::RankQuestion& question);

/// "rank 3"; "run 3" of one that lies beside others (trace/rank_numbers.h).
std::string what_it_is(const trace::RankTrace& rank);

/// The rank named by --rank, or the lowest; an Error lists what there is.
Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job);

}  // namespace orrery::cli
