#include "cli/replay_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>

#include "cli/inputs.h"
#include "formats/astra/config.h"
#include "formats/chakra/reader.h"

namespace orrery::cli {
namespace {

struct RankFile {
  std::size_t rank;
  std::string path;
};

// What a prefix stands for: PREFIX.0.et, PREFIX.1.et, ...
Result<std::vector<RankFile>> files_of_prefix(const std::string& prefix) {
  std::vector<RankFile> files;
  for (std::string path; !(path = chakra::program_path(prefix, files.size())).empty();) files.push_back({files.size(), path});
  if (!files.empty()) return files;
  return Error{.message = "there is neither this file nor a first rank of that name",
               .file = prefix,
               .hint = "give files, or the PREFIX of PREFIX.0.et, PREFIX.1.et, ... (also .et.gz, .et.zst or .json)"};
}

Result<std::vector<RankFile>> numbered(const std::vector<std::string>& paths) {
  std::vector<RankFile> files;
  for (const std::string& path : paths) files.push_back({rank_in_name(path).value_or(paths.size()), path});
  std::vector<std::size_t> ranks;
  for (const RankFile& file : files) ranks.push_back(file.rank);
  std::sort(ranks.begin(), ranks.end());
  const bool distinct = std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end() && rank_in_name(paths.back());
  for (std::size_t i = 0; i < files.size() && !distinct; ++i) files[i].rank = i;
  std::sort(files.begin(), files.end(), [](const RankFile& a, const RankFile& b) { return a.rank < b.rank; });
  return files;
}

Result<std::vector<RankFile>> find_files(const Invocation& invocation) {
  const std::vector<std::string>& operands = invocation.operands();
  std::error_code ignored;
  const bool is_pattern = operands[0].find_first_of("*?[") != std::string::npos;
  if (operands.size() == 1 && !is_pattern && !std::filesystem::is_regular_file(operands[0], ignored)) return files_of_prefix(operands[0]);
  const auto paths = expand_inputs(operands);
  if (!paths) return paths.error();
  return numbered(*paths);
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

std::optional<std::size_t> rank_in_name(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  for (const std::string_view ending : {".et", ".json"}) {
    if (!path.ends_with(ending)) continue;
    path.remove_suffix(ending.size());
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view digits = path.substr(dot + 1);
    std::size_t rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return rank;
  }
  return std::nullopt;
}

Result<ReplayInput> load_replay(Invocation& invocation) {
  Result<std::vector<RankFile>> files = find_files(invocation);
  if (!files) return files.error();
  if (const Status chosen = choose_rank(invocation, *files); !chosen) return chosen.error();
  std::vector<std::string> paths;
  ReplayInput input;
  for (const RankFile& file : *files) {
    paths.push_back(file.path);
    input.rank_numbers.push_back(file.rank);
    if (const Status added = invocation.add_input(file.path); !added) return added.error();
  }
  Result<workload::Workload> workload = chakra::read_workload(paths, {.diagnostics = &invocation.diagnostics()});
  if (!workload) return workload.error();
  if (invocation.has("comm-group")) {
    const std::string groups = invocation.text("comm-group");
    if (const Status read = astra::read_groups(groups, *workload); !read) return read.error();
    if (const Status added = invocation.add_input(groups); !added) return added.error();
  }
  input.workload = std::move(*workload);
  return input;
}

}  // namespace orrery::cli
