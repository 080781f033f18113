#include "scrub/files/file_facts.h"

#include <utility>

#include "formats/ampip/format.h"
#include "formats/astra/format.h"
#include "formats/chakra/format.h"
#include "formats/kineto/format.h"
#include "formats/pytorch_et/format.h"

namespace orrery::scrub {

std::string_view to_string(FileKind kind) {
  switch (kind) {
    case FileKind::kineto: return "kineto";
    case FileKind::host: return "host";
    case FileKind::linked: return "linked";
    case FileKind::feeder: return "feeder";
    case FileKind::chakra: return "chakra";
    case FileKind::groups: return "groups";
    case FileKind::ampip: return "ampip";
    case FileKind::mpip: return "mpip";
  }
  return "kineto";
}

Result<FileKind> kind_of(const formats::Format& format, const std::string& path) {
  const std::pair<const formats::Format*, FileKind> kinds[] = {
      {&kineto::kFormat, FileKind::kineto},      {&pytorch_et::kFormat, FileKind::host},
      {&chakra::kFormat, FileKind::chakra},      {&chakra::kFeederFormat, FileKind::feeder},
      {&astra::kGroupsFormat, FileKind::groups}, {&ampip::kFormat, FileKind::ampip},
      {&ampip::kReportFormat, FileKind::mpip}};
  std::string known;
  for (const auto& [candidate, kind] : kinds) {
    // By the descriptor, of which there is one each: what the registry says needs no second opinion.
    if (candidate == &format) return kind;
    known += (known.empty() ? "" : ", ") + std::string(candidate->title);
  }
  return Error{"scrub has no rules for " + std::string(format.title) + ", so it could not say what stays in it", path,
               Error::kNoOffset, "it takes " + known};
}

bool is_read_whole(FileKind kind) {
  return kind == FileKind::chakra || kind == FileKind::ampip || kind == FileKind::mpip;
}

std::string_view record_list_of(FileKind kind) {
  switch (kind) {
    case FileKind::kineto: return "traceEvents";
    case FileKind::host:
    case FileKind::linked: return "nodes";
    case FileKind::feeder: return "workload_graph";
    case FileKind::chakra:
    case FileKind::groups:
    case FileKind::ampip:
    case FileKind::mpip: break;
  }
  return {};
}

}  // namespace orrery::scrub
