#include "cli/link_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/output_file.h"
#include "formats/chakra/writer.h"
#include "formats/pytorch_et/linked_writer.h"

namespace orrery::cli {
namespace {

using analyze::LinkedJob;

Status write_chakra(const LinkTarget& target, const LinkedJob& job) {
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    chakra::WriteOptions options;
    const Result<std::string> bytes = chakra::to_protobuf(job.workload, r, options);
    if (!bytes) return bytes.error();
    if (const Status written = write_whole_file(target_file(target, job.ranks[r].rank), *bytes); !written) return written;
  }
  if (job.workload.groups.empty()) return {};
  const std::string prefix = target.file_per_rank ? target.path : target.path.substr(0, target.path.size() - 3);
  return write_whole_file(prefix + ".groups.json", chakra::groups_json(job.workload));
}

}  // namespace

LinkTarget link_target(const Invocation& invocation, std::size_t ranks) {
  LinkTarget target;
  target.path = invocation.has("output") ? invocation.text("output") : invocation.text("output-file");
  if (target.path.empty()) return target;
  const bool is_json = target.path.ends_with(".json") || target.path.ends_with(".json.gz");
  const bool is_et = target.path.ends_with(".et");
  target.form = is_json || (!is_et && invocation.has("output-file")) ? LinkTarget::Form::linked_json : LinkTarget::Form::chakra;
  target.file_per_rank = ranks > 1 || (!is_json && !is_et && !invocation.has("output-file"));
  if (!target.file_per_rank) return target;
  std::error_code ignored;
  if (std::filesystem::is_directory(target.path, ignored) || target.path.ends_with('/')) {
    target.path = (std::filesystem::path(target.path) / "linked").string();
  }
  for (const std::string_view ending : {".gz", ".json", ".et"}) {
    if (target.path.ends_with(ending)) target.path.resize(target.path.size() - ending.size());
  }
  return target;
}

std::string target_file(const LinkTarget& target, std::int64_t rank) {
  if (!target.file_per_rank) return target.path;
  return fmt::format("{}.{}.{}", target.path, rank, target.form == LinkTarget::Form::chakra ? "et" : "json");
}

Status write_linked(const LinkTarget& target, const LinkedJob& job) {
  switch (target.form) {
    case LinkTarget::Form::none: return {};
    case LinkTarget::Form::chakra: return write_chakra(target, job);
    case LinkTarget::Form::linked_json: break;
  }
  return Error{"not built yet", target.path};
}

}  // namespace orrery::cli
