#include "job/write/aligned_names.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "trace/rank_numbers.h"

namespace orrery::job {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStatisticsEnding = ".alignment_stats.json";
constexpr DiagnosticKind kNamedByRank{"A732", Severity::note,
                                      "aligned file that has the number of its rank in its name",
                                      "several files, of different folders, have the same name"};

/// "host.xplane.pb.gz" -> "host".
std::string_view stem_of(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".xplane.pb", ".json", ".mpitrace"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

/// XSpaces say in their names which node they are of: two of one node are of two runs, or one file named twice.
Status check_nodes(const trace::Trace& trace) {
  std::map<std::int64_t, std::string> path_of_node;
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::optional<std::int64_t> node =
        rank.source.format == "xspace" ? trace::node_in_name(rank.source.path) : std::nullopt;
    if (!node) continue;
    const auto [found, is_new] = path_of_node.emplace(*node, rank.source.path);
    if (!is_new)
      return Error{"by its name this is of the same node as " + found->second, rank.source.path, Error::kNoOffset,
                   "are both of one run? name them node0.xplane.pb, node1.xplane.pb, ..."};
  }
  return {};
}

}  // namespace

AlignedTarget aligned_target(const std::string& output, std::size_t traces) {
  const fs::path path(output);
  const std::string name = path.filename().string();
  std::error_code none;
  const std::string ending = name.substr(stem_of(name).size());
  const bool is_file = ending.find(".xplane.pb") != std::string::npos || ending.find(".json") != std::string::npos ||
                       ending.find(".mpitrace") != std::string::npos;
  if (traces != 1 || !is_file || fs::is_directory(path, none)) return {output, {}};
  return {path.has_parent_path() ? path.parent_path().string() : ".", name};
}

Result<std::vector<AlignedName>> aligned_names(const trace::Trace& trace, const AlignedTarget& target,
                                               Diagnostics& diagnostics) {
  if (!target.file.empty()) {
    const std::string stem(stem_of(target.file));
    return std::vector<AlignedName>{{target.file, stem + std::string(kStatisticsEnding)}};
  }
  if (const Status distinct = check_nodes(trace); !distinct) return distinct.error();
  std::map<std::string, int, std::less<>> uses;
  for (const trace::RankTrace& rank : trace.ranks)
    ++uses[std::string(stem_of(fs::path(rank.source.path).filename().string()))];
  std::vector<AlignedName> names;
  std::set<std::string> taken;
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::string name = fs::path(rank.source.path).filename().string();
    std::string stem(stem_of(name));
    const std::string ending = name.substr(stem.size());
    if (uses.find(stem)->second > 1) {
      stem += ".rank" + std::to_string(rank.rank);
      diagnostics.add(kNamedByRank, [&] { return stem + ending; });
    }
    AlignedName& added = names.emplace_back(AlignedName{stem, stem});
    added.file += ending;
    added.statistics += kStatisticsEnding;
    if (!taken.insert(stem).second)
      return Error{.message = "two aligned files would be called " + added.file,
                   .file = rank.source.path,
                   .hint = "give the files of different ranks different names"};
  }
  return names;
}

bool is_alignment_report(std::string_view name) {
  return name == kAlignmentReport || name.ends_with(kStatisticsEnding);
}

}  // namespace orrery::job
