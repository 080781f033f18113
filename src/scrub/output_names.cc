#include "scrub/output_names.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "scrub/diagnostics.h"

namespace orrery::scrub {
namespace {

std::string stem_of(const FileFacts& file, std::int64_t rank, int copy) {
  const std::string again = copy > 1 ? fmt::format("_{}", copy) : "";
  switch (file.kind) {
    case FileKind::groups: return fmt::format("job{}.groups.json", again);
    case FileKind::chakra: return fmt::format("job{}.{}.et", again, rank);
    case FileKind::feeder: return fmt::format("job{}.{}.json", again, rank);
    case FileKind::ampip: return fmt::format("trace{}_{}", again, rank);  // as the tool has it: the reader takes the rank from the name
    case FileKind::mpip: return fmt::format("report{}.mpiP", again);
    default: return fmt::format("rank_{}.{}{}.json", rank, to_string(file.kind), again);
  }
}

std::string kept_name(const FileFacts& file) {
  std::string name = std::filesystem::path(file.path).filename().string();
  // Outputs are compressed as gzip: every viewer reads it.
  if (name.ends_with(".zst")) name.replace(name.size() - 4, 4, ".gz");
  return name;
}

}  // namespace

std::vector<std::string> name_outputs(std::span<const FileFacts> files, bool keep_names, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileFacts& file = files[i];
    if (!file.rank && file.kind != FileKind::groups && file.kind != FileKind::mpip && files.size() > 1)
      diagnostics.add(kRankUnknown, [&] { return file.path; });
    const std::int64_t rank = file.rank.value_or(static_cast<std::int64_t>(i));
    std::string name = keep_names ? kept_name(file) : "";
    for (int copy = 1; name.empty() || taken.contains(name); ++copy) {
      name = stem_of(file, rank, copy);
      if (file.compressed) name += ".gz";
    }
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace orrery::scrub
