// What a conversion writes: which format, and which files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "job/read/source.h"

namespace orrery::job {

// Which formats are written, and how their names tell them apart. What is read, registry.h tells.

enum class TargetFormat : std::uint8_t { et, feeder, json, jsonl, dot, graphml, timeline, goal, pftrace };
std::optional<TargetFormat> target_format_called(std::string_view name);
std::string_view to_string(TargetFormat format);
inline constexpr std::string_view kTargetFormats = "et feeder json jsonl dot graphml timeline goal pftrace";

/// By how the name ends; nothing if that says nothing (then it is what the names of Chakra files begin with). ".json"
/// may be several.
std::optional<TargetFormat> target_format_of_name(std::string_view path);

/// The part of a name that says the format: ".et.gz" of "job.et.gz"; empty if there is none.
std::string_view format_ending(std::string_view path);

/// What is to be written.
struct ConvertTarget {
  TargetFormat format = TargetFormat::et;
  std::string path;            ///< a file; or, with file_per_rank, what the files begin with
  std::string ending;          ///< with file_per_rank: what they end with, ".et.gz"
  bool file_per_rank = false;  ///< PATH.RANK.ENDING

  [[nodiscard]] std::string file(std::size_t rank) const;
};

/// Whether the source is of the format with this name.
bool is_format(const Source& source, std::string_view name);

/// From the format that is wanted, else the ending of `output`, else what the source is. An Error (misuse) if these do
/// not go together.
Result<ConvertTarget> choose_target(const Source& source, const std::string& output, std::optional<TargetFormat> wanted,
                                    bool like_chakra);

/// One file has all ranks, whatever they are.
bool is_for_all_ranks(TargetFormat format);

/// A file that was written.
struct WrittenFile {
  std::string path;
  std::size_t nodes = 0;  ///< 0: it has none, or they were not counted
};

}  // namespace orrery::job
