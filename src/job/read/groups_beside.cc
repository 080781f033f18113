#include "job/read/groups_beside.h"

#include <filesystem>

#include "formats/astra/config.h"

namespace orrery::job {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kGroupsBeside{"J101", Severity::note, "the members of groups were read from the file beside the workload",
                                       "name another file of groups to use that instead"};

}  // namespace

Status read_groups_beside(const std::string& prefix, workload::Workload& workload, Diagnostics& diagnostics) {
  const std::string path = prefix + ".groups.json";
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  if (Status read = astra::read_groups(path, workload); !read) return read;
  diagnostics.add(kGroupsBeside, [&] { return path; });
  return {};
}

}  // namespace orrery::job
