// Traces without what they give away: the files of one job written again, with names replaced by keyed hashes, and shapes, values, paths and
// metadata left out. docs/SCRUB.md says what goes, what stays, and what that is worth.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "scrub/job_facts.h"
#include "scrub/words/renamer.h"
#include "scrub/survey.h"
#include "scrub/tally.h"

namespace orrery::scrub {

struct Request {
  std::vector<Input> inputs;
  std::string output_folder;  ///< made if it is not there; empty: a dry run, which writes nothing
  bool keep_file_names = false;
  Settings settings;
  std::function<void(std::uint64_t)> on_progress = {};  ///< called from any thread with input bytes newly read; every file is read twice
};

struct FileOutcome {
  FileFacts facts;
  std::string output;              ///< the path written, or the name it would get
  std::uint64_t output_bytes = 0;  ///< before compression
};

struct Outcome {
  std::vector<FileOutcome> files;  ///< in the order of the inputs
  JobFacts job;
  Tally tally;
  RenameLedger names;
};

/// Reads every file to see that it is sound, as other verbs read it (survey.h), and what the job's numbers are, and again to write it. Files are done in parallel; the result
/// depends on the inputs and the settings alone. An Error if any file cannot be used: then nothing is written. An input is never overwritten.
Result<Outcome> scrub_job(const Request& request, Diagnostics& diagnostics);

}  // namespace orrery::scrub
