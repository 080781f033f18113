#include "cli/load.h"

#include <algorithm>
#include <filesystem>

#include "base/file_content.h"
#include "cli/inputs.h"
#include "formats/kineto/reader.h"
#include "formats/xspace/reader.h"

namespace orrery::cli {
namespace {

// A file that cannot be read is none: its reader says why.
bool begins_like_xspace(const std::string& path) {
  const Result<std::string> first = read_first_bytes(path, 64);
  return first && xspace::looks_like_xspace(*first);
}

Result<trace::Trace> read_job(const std::vector<std::string>& files, Diagnostics& diagnostics, bool salvage, Progress& progress,
                              const LoadOptions& wanted) {
  const auto on_progress = [&](std::uint64_t bytes) { progress.add(bytes); };
  const bool are_xspaces = !files.empty() && is_xspace(files.front());
  for (const std::string& file : files) {
    if (is_xspace(file) != are_xspaces)
      return Error{.message = "one of these is an XSpace and the other is not: " + files.front(),
                   .file = file,
                   .hint = "a job is read from files of one format"};
  }
  if (are_xspaces)
    return xspace::read_job(
        files, diagnostics,
        {.salvage = salvage, .positions = wanted.positions, .far_clocks = wanted.far_clocks, .on_progress = on_progress});
  kineto::ReadOptions options;
  options.salvage = salvage;
  options.on_progress = on_progress;
  return kineto::read_job(files, diagnostics, options);
}

}  // namespace

bool is_xspace(const std::string& path) {
  const std::string_view name = path;
  return name.ends_with(".xplane.pb") || name.ends_with(".xplane.pb.gz") || begins_like_xspace(path);
}

std::vector<Flag> with_input_flags(std::vector<Flag> flags) {
  flags.push_back(
      Flag{.name = "salvage", .help = "read a truncated or damaged file up to the damage instead of refusing it", .group = "Input"});
  return flags;
}

Result<trace::Trace> load_job(Invocation& invocation, const std::vector<std::string>& operands, const LoadOptions& options) {
  const Result<std::vector<std::string>> files = expand_inputs(operands);
  if (!files) return files.error();
  std::uint64_t total = 0;
  for (const std::string& file : *files) {
    std::error_code ignored;
    if (const auto size = std::filesystem::file_size(file, ignored); !ignored) total += size;
    if (const Status added = invocation.add_input(file); !added) return added.error();
  }
  Progress progress = invocation.progress("reading", total);
  return read_job(*files, invocation.diagnostics(), invocation.has("salvage"), progress, options);
}

Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job) {
  if (!invocation.has("rank")) return &job.ranks.front();
  const std::int64_t wanted = invocation.integer("rank");
  const auto at = std::find_if(job.ranks.begin(), job.ranks.end(), [&](const trace::RankTrace& rank) { return rank.rank == wanted; });
  if (at != job.ranks.end()) return &*at;
  std::string known;
  for (const trace::RankTrace& rank : job.ranks) known += (known.empty() ? "" : ", ") + std::to_string(rank.rank);
  return Error{"there is no rank " + std::to_string(wanted), {}, Error::kNoOffset, "ranks in these files: " + known};
}

}  // namespace orrery::cli
