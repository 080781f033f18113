#include <filesystem>
#include <optional>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/json/json_writer.h"
#include "base/parallel.h"
#include "replay/torch/build/emitted_job.h"
#include "replay/torch/write/operation_writer.h"
#include "replay/torch/write/runtime_file.h"

namespace orrery::replay::torch {
namespace {

std::string file_of(const OperationList& rank) { return "rank" + std::to_string(rank.rank) + ".json"; }

std::string job_json(const EmittedJob& job) {
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .field("format", "orrery-replay-job")
      .field("version", 1)
      .field("world_size", job.world_size)
      .key("ranks")
      .begin_array();
  for (const OperationList& rank : job.ranks)
    json.begin_object().field("rank", rank.rank).field("file", file_of(rank)).end_object();
  json.end_array().key("groups").begin_array();
  for (const auto& group : job.groups) {
    json.begin_array();
    for (const std::int64_t rank : group) json.value(rank);
    json.end_array();
  }
  json.end_array().key("source").begin_array();
  for (const std::string& source : job.sources) json.value(source);
  json.end_array().key("remarks").begin_array();
  for (const std::string& remark : job.remarks) json.value(remark);
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace

Result<WrittenFolder> write_folder(const EmittedJob& job, const std::string& folder) {
  OutputSet set;
  if (const Status made = OutputSet::make_folder(folder); !made) return made.error();
  const auto path = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  WrittenFolder written;
  for (const OperationList& rank : job.ranks) {
    const std::string text = to_json(rank);
    written.list_bytes += text.size();
    if (const Status done = write_whole_file(path(file_of(rank)), text); !done) return done.error();
  }
  if (const Status done = write_whole_file(path("job.json"), job_json(job)); !done) return done.error();
  if (const Status done = write_whole_file(path("replay.py"), runtime_file()); !done) return done.error();
  if (const Status published = set.publish(); !published) return published.error();
  return written;
}

}  // namespace orrery::replay::torch
