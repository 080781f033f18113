// Traces without what they give away: the files of one job written again, with names replaced by keyed hashes, and
// shapes, values, paths and metadata left out. docs/SCRUB.md says what goes, what stays, and what that is worth.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "scrub/files/file_facts.h"
#include "scrub/job_facts.h"
#include "scrub/survey.h"
#include "scrub/tally.h"
#include "scrub/words/renamer.h"

namespace orrery::scrub {

// What can be odd about files to be scrubbed. Codes are listed in docs/DIAGNOSTICS.md.

inline constexpr DiagnosticKind kUnknownMember{"P501", Severity::note, "member that scrub does not know",
                                               "it was left out; a dry run lists them all"};
inline constexpr DiagnosticKind kUnusableMember{
    "P502", Severity::warning, "member whose value is not of the kind it should be", "it was left out"};
inline constexpr DiagnosticKind kUnusableRecord{
    "P503", Severity::warning, "entry of a list of records that is no object", "null was written in its place"};
inline constexpr DiagnosticKind kRankUnknown{"P504", Severity::note,
                                             "neither the file nor its name says which rank it is",
                                             "numbered by its place among the files"};
inline constexpr DiagnosticKind kNotFused{"P505", Severity::note, "there is nothing to fuse in this file",
                                          "it joins nodes of Chakra files (.et) only"};

// What scrubbed files are called: a file's name may tell the model as well.

/// One name per file, each once: rank_3.kineto.json.gz, rank_3.host.json, job.3.et, job.groups.json. The rank is the
/// file's; of a second file of the same rank and kind the name goes on with _2. With `keep_names`, the names they have,
/// .zst as .gz. Compressed files stay compressed.
std::vector<std::string> name_outputs(std::span<const FileFacts> files, bool keep_names, Diagnostics& diagnostics);

struct Request {
  std::vector<Input> inputs;
  std::string output_folder;  ///< made if it is not there; empty: a dry run, which writes nothing
  bool keep_file_names = false;
  Settings settings;
  std::function<void(std::uint64_t)> on_progress =
      {};  ///< called from any thread with input bytes newly read; every file is read twice
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

/// Reads every file to see that it is sound, as other verbs read it (survey.h), and what the job's numbers are, and
/// again to write it. Files are done in parallel; the result depends on the inputs and the settings alone. An Error if
/// any file cannot be used: then nothing is written. An input is never overwritten.
Result<Outcome> scrub_job(const Request& request, Diagnostics& diagnostics);

}  // namespace orrery::scrub
