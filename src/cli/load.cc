#include "cli/load.h"

#include <algorithm>
#include <filesystem>

#include "cli/inputs.h"
#include "formats/kineto/reader.h"

namespace orrery::cli {

std::vector<Flag> with_input_flags(std::vector<Flag> flags) {
  flags.push_back(
      Flag{.name = "salvage", .help = "read a truncated or damaged file up to the damage instead of refusing it", .group = "Input"});
  return flags;
}

Result<trace::Trace> load_job(Invocation& invocation, const std::vector<std::string>& operands) {
  const Result<std::vector<std::string>> files = expand_inputs(operands);
  if (!files) return files.error();
  std::uint64_t total = 0;
  for (const std::string& file : *files) {
    std::error_code ignored;
    if (const auto size = std::filesystem::file_size(file, ignored); !ignored) total += size;
    if (const Status added = invocation.add_input(file); !added) return added.error();
  }
  Progress progress = invocation.progress("reading", total);
  kineto::ReadOptions options;
  options.salvage = invocation.has("salvage");
  options.on_progress = [&](std::uint64_t bytes) { progress.add(bytes); };
  return kineto::read_job(*files, invocation.diagnostics(), options);
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
