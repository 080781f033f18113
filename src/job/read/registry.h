// Which format a file is of: the one place that decides it, for every verb.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format.h"

namespace orrery::job {

/// Every format that is recognised, in the order in which they are asked.
std::span<const formats::Format* const> all_formats();

/// By Format::name; null if there is none.
const formats::Format* format_called(std::string_view name);

/// Dumps of a job in trouble: called as its user likes, several of one rank, empty ones among them. All files of a
/// folder that are of this format are the job, and an empty file beside them is a rank that recorded nothing.
bool has_loose_files(const formats::Format& format);

/// The beginning of a file, inflated if it is compressed. Of a damaged one as far as it can be read.
struct FileHead {
  std::string bytes;
  std::string name;
  bool is_all = false;
  [[nodiscard]] formats::Head view() const { return {bytes, name, is_all}; }
};
Result<FileHead> read_head(const std::string& path);

/// The format whose sniffer says yes first. An Error if none does, or if the file is empty or cannot be read.
Result<const formats::Format*> detect(const std::string& path);
Result<const formats::Format*> detect(const FileHead& head, const std::string& path);

}  // namespace orrery::job
