// What orrery convert writes: one file, or one per rank.
#pragma once

#include <string>
#include <vector>

#include "cli/convert_formats.h"
#include "cli/convert_source.h"

namespace orrery::cli {

struct ConvertTarget {
  TargetFormat format = TargetFormat::et;
  std::string path;            ///< a file; or, with file_per_rank, what the files begin with
  std::string ending;          ///< with file_per_rank: what they end with, ".et.gz"
  bool file_per_rank = false;  ///< PATH.RANK.ENDING

  [[nodiscard]] std::string file(std::size_t rank) const;
};

/// From --to, the ending of -o, and what the source is. A UsageError if these do not go together.
std::optional<UsageError> choose_target(const Invocation& invocation, const job::Source& source, ConvertTarget& out);

/// A file that was written.
struct WrittenFile {
  std::string path;
  std::size_t nodes = 0;
};

/// All files appear, or none does.
Result<std::vector<WrittenFile>> write_target(Invocation& invocation, const job::Source& source, const ConvertTarget& target);

/// What Chakra's own tools write: converter, jsonizer, visualizer, timeline_visualizer.
Result<std::vector<WrittenFile>> write_like_chakra(Invocation& invocation, const job::Source& source, const ConvertTarget& target);

}  // namespace orrery::cli
