#include "cli/replay_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli/inputs.h"
#include "formats/astra/config.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"
#include "job/groups_beside.h"

namespace orrery::cli {
namespace {

using chakra::RankFile;

// What a prefix stands for: PREFIX.0.et, PREFIX.1.et, ...
Result<std::vector<RankFile>> files_of_prefix(const std::string& prefix) {
  std::vector<RankFile> files = chakra::find_rank_files(prefix);
  if (!files.empty()) return files;
  return Error{.message = "there is neither this file nor a first rank of that name",
               .file = prefix,
               .hint = "give files, or the PREFIX of PREFIX.0.et, PREFIX.1.et, ... (also .et.gz, .et.zst or .json)"};
}

Result<std::vector<RankFile>> find_files(const Invocation& invocation) {
  const std::vector<std::string>& operands = invocation.operands();
  std::error_code ignored;
  const bool is_pattern = operands[0].find_first_of("*?[") != std::string::npos;
  if (operands.size() == 1 && !is_pattern && !std::filesystem::is_regular_file(operands[0], ignored)) return files_of_prefix(operands[0]);
  const auto paths = expand_inputs(operands);
  if (!paths) return paths.error();
  return chakra::number_files(*paths);
}

Error with_hint(Error error) {
  error.hint = "--alone replays every rank on its own";
  return error;
}

Status choose_rank(const Invocation& invocation, std::vector<RankFile>& files) {
  if (!invocation.has("rank")) return {};
  const auto rank = static_cast<std::size_t>(invocation.integer("rank"));
  const auto found = std::find_if(files.begin(), files.end(), [&](const RankFile& file) { return file.rank == rank; });
  if (found == files.end()) {
    return Error{.message = fmt::format("there is no rank {} among {} file{}", rank, files.size(), files.size() == 1 ? "" : "s"),
                 .hint = fmt::format("there are ranks {} to {}", files.front().rank, files.back().rank)};
  }
  files = {*found};
  return {};
}

}  // namespace

Result<ReplayInput> load_replay(Invocation& invocation) {
  Result<std::vector<RankFile>> files = find_files(invocation);
  if (!files) return files.error();
  if (const Status chosen = choose_rank(invocation, *files); !chosen) return chosen.error();
  const bool together = files->size() > 1 && !invocation.has("alone");
  if (Status complete = together ? chakra::check_complete(*files, 0) : Status(); !complete) return with_hint(complete.error());
  std::vector<std::string> paths;
  ReplayInput input;
  for (const RankFile& file : *files) {
    paths.push_back(file.path);
    input.rank_numbers.push_back(file.rank);
    if (const Status added = invocation.add_input(file.path); !added) return added.error();
  }
  Result<workload::Workload> workload = chakra::read_workload(paths, {.diagnostics = &invocation.diagnostics()});
  if (!workload) return workload.error();
  if (Status complete = together ? chakra::check_recorded_ranks(*workload, paths.front()) : Status(); !complete)
    return with_hint(complete.error());
  if (const auto prefix = chakra::prefix_of_name(paths.front()); prefix && together && !invocation.has("comm-group")) {
    if (const Status read = job::read_groups_beside(*prefix, *workload, invocation.diagnostics()); !read) return read.error();
  }
  if (invocation.has("comm-group")) {
    const std::string groups = invocation.text("comm-group");
    if (const Status read = astra::read_groups(groups, *workload); !read) return read.error();
    if (const Status added = invocation.add_input(groups); !added) return added.error();
  }
  input.workload = std::move(*workload);
  return input;
}

}  // namespace orrery::cli
