#include "formats/flight_recorder/format.h"

#include <string>

#include "base/io/input.h"
#include "base/json/json_walk.h"
#include "base/plain/pickle.h"
#include "formats/flight_recorder/reader.h"
#include "trace/job_files.h"

namespace orrery::flight_recorder {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Members of the outermost object only: Kineto traces have a "pg_config", too, below "distributedInfo". Keys may be
/// sorted, so that the list of entries hides what follows it; then its first entry tells.
bool is_json_dump(const formats::Head& head) {
  if (!head.is_json()) return false;
  std::string text(head.bytes);
  text.append(MappedFile::kPaddingBytes, '\0');
  const char* const end = text.data() + head.bytes.size();
  const char* const open = text.data() + head.bytes.find_first_of("{[");
  if (*open != '{') return false;
  bool has_version = false, has_groups = false, has_entries = false;
  JsonWalk walk(end);
  const char* const after = walk.each_member(open, [&](std::string_view key, const char* value) {
    has_version |= key == "version";
    has_groups |= key == "pg_config";
    const std::string_view rest(value, static_cast<std::size_t>(end - value));
    has_entries |= key == "entries" && has(rest, "\"profiling_name\"") && has(rest, "\"collective_seq_id\"");
    return walk.skip_value(value);
  });
  // Of a file that is cut off what is there has to do: its reader says what is missing.
  return (has_version && has_groups) || (after == nullptr && (has_groups || has_entries));
}

bool is_dump(const formats::Head& head) {
  if (begins_as_pickle(head.bytes) || begins_as_old_pickle(head.bytes))
    return has(head.bytes, "pg_config") && has(head.bytes, "version");
  return is_json_dump(head);
}

std::optional<std::int64_t> peek_rank(const formats::Head& head) { return trace::rank_before_ending(head.name); }

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions& options) {
  return read_job(paths, diagnostics, {.on_progress = options.on_progress});
}

Result<trace::ReadRank> read_one(const std::string& path, const formats::TraceOptions& options) {
  return read_rank(path, {.on_progress = options.on_progress});
}

Result<trace::Trace> join(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                          Diagnostics& diagnostics, const formats::TraceOptions&) {
  return join_ranks(paths, std::move(ranks), diagnostics);
}

}  // namespace

const formats::Format kFormat{.name = "flight_recorder",
                              .title = "a dump of PyTorch's Flight Recorder",
                              .content = formats::Content::trace,
                              .priority = 6,
                              .sniff = is_dump,
                              .read_traces = read_traces,
                              .read_rank = read_one,
                              .join_ranks = join,
                              .peek_rank = peek_rank};

}  // namespace orrery::flight_recorder
