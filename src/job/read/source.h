// From what a user names to files of one kind: found, recognised and paired, but not read yet.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/format.h"
#include "job/pairs/pairs.h"

namespace orrery::job {

/// Files that together are one job.
struct Source {
  const formats::Format* format = nullptr;  ///< of `files`; they may be in the two spellings of a rank's program
  std::vector<std::string> files;           ///< one per rank, in order; or one for all
  std::vector<TracePair> pairs;  ///< of traces: each file, with the host trace of the same rank if there is one
  std::string prefix;      ///< what the names of ranks' programs begin with, if they have that in common; else empty
  bool is_prefix = false;  ///< the user named that
  bool is_folder = false;  ///< the user named folders only: what else is there is passed over

  /// Every file that will be read.
  [[nodiscard]] std::vector<std::string> all_files() const;
};

struct SourceOptions {
  const formats::Format* format = nullptr;  ///< what the files are, whatever they look like; null: they tell
  bool may_miss_ranks = false;  ///< some ranks of a job are enough for the question: each is looked at on its own
};

/// Each of `named` is a file, a folder, a glob pattern (inputs.h), or the PREFIX of PREFIX.0.et, PREFIX.1.et, ...
///
/// Of files of several kinds those count that say most: traces, with the host traces that belong to them; else host
/// traces; else programs. In a folder the rest is passed over with a note (J102); a file that was named and does not
/// belong is an Error. So are ranks that are missing among numbered programs.
Result<Source> find_source(const std::vector<std::string>& named, const SourceOptions& options,
                           Diagnostics& diagnostics);

/// Leaves the files of one rank. An Error says which there are if it is none of them, or that the files do not tell.
Status keep_rank(std::size_t rank, Source& source);

}  // namespace orrery::job
