#include "scrub/survey.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/file_content.h"
#include "base/inflate.h"
#include "base/input.h"
#include "base/json_members.h"
#include "formats/kineto/reader.h"
#include "scrub/chakra_rewriter.h"
#include "scrub/document_scanner.h"
#include "scrub/time_shift.h"

namespace orrery::scrub {
namespace {

bool parse_integer(std::string_view text, std::int64_t& number) {
  if (is_json_string(text)) text = string_content(text);
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && after == text.data() + text.size();
}

class Surveyor final : public DocumentVisitor {
 public:
  Surveyor(FileFacts& facts) : facts_(facts) {}

  Status on_member(const JsonMember& member, std::uint64_t /*offset*/) override {
    ++members_;
    std::int64_t number = 0;
    if (member.key == "pid" && parse_integer(member.value, number)) facts_.processes.collect(number);
    else if (member.key == "baseTimeNanoseconds" && parse_integer(member.value, number)) facts_.base_ns = number;
    else if ((member.key == "start_ts" || member.key == "finish_ts") && parse_integer(member.value, number)) facts_.clock_ms.add(number);
    else if (member.key == "distributedInfo") take_rank(member.value);
    is_groups_ = is_groups_ && is_rank_list(member.value);
    return {};
  }

  Status on_list(std::string_view name) override {
    list_ = name == "traceEvents" ? FileKind::kineto : name == "nodes" ? FileKind::host : FileKind::feeder;
    if (!has_list_) facts_.kind = *list_;
    has_list_ = true;
    return {};
  }

  Status on_record(std::string_view text, std::uint64_t offset) override {
    ++facts_.records;
    if (text.front() != '{') return {};
    record_.clear();
    if (!list_members(text, record_)) return Error{"malformed JSON in a record", facts_.path, offset, "the file is damaged"};
    for (const auto& [key, value] : record_) {
      std::int64_t number = 0;
      if (key == "ts") take_moment(value);
      else if (key == "pid" && parse_integer(value, number)) facts_.processes.collect(number);
      else if (key == "tid" && parse_integer(value, number)) facts_.threads.collect(number);
      else if (key == "inclusive_dur" && list_ == FileKind::host) facts_.kind = FileKind::linked;
    }
    return {};
  }

  Status on_list_end() override { return {}; }

  Status finish() {
    if (has_list_) return {};
    if (is_groups_ && members_ > 0) return facts_.kind = FileKind::groups, Status();
    return Error{"this is no trace that scrub knows", facts_.path, Error::kNoOffset,
                 "it knows profiler traces (traceEvents), execution traces (nodes), Chakra files, and communicators ({\"1\": [0, 1]})"};
  }

 private:
  void take_rank(std::string_view info) {
    record_.clear();
    if (!list_members(info, record_)) return;
    for (const auto& [key, value] : record_) {
      std::int64_t number = 0;
      if (key == "rank" && parse_integer(value, number) && number >= 0) facts_.rank = number;
    }
  }

  // The whole microseconds are enough, rounded down.
  void take_moment(std::string_view value) {
    if (value.empty() || !starts_number(value.front())) return;
    std::int64_t us = 0;
    const auto [after, error] = std::from_chars(value.data(), value.data() + value.size(), us);
    const bool is_plain = error == std::errc() && (after == value.data() + value.size() || *after == '.');
    if (is_plain) return facts_.moments_us.add(value.front() == '-' ? us - 1 : us);
    double real = 0;
    const auto [end, real_error] = std::from_chars(value.data(), value.data() + value.size(), real);
    if (real_error == std::errc() && real > -4e18 && real < 4e18) facts_.moments_us.add(static_cast<std::int64_t>(real) - 1);
  }

  static bool is_rank_list(std::string_view value) {
    bool all = true;
    const bool is_list = for_each_entry(value, [&](std::string_view entry) { all = all && starts_number(entry.front()); });
    return is_list && all;
  }

  FileFacts& facts_;
  std::vector<JsonMember> record_;
  std::optional<FileKind> list_;
  std::uint64_t members_ = 0;
  bool has_list_ = false;
  bool is_groups_ = true;
};

// PREFIX.3.et.gz -> 3, as ASTRA-sim names files; else as profilers do.
std::optional<std::int64_t> rank_of_name(const std::string& path) {
  std::string_view name = path;
  name.remove_prefix(std::min(name.size(), name.rfind('/') + 1));
  for (const std::string_view end : {".gz", ".zst"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  for (const std::string_view end : {".et", ".json"}) {
    if (!name.ends_with(end)) continue;
    const std::string_view stem = name.substr(0, name.size() - end.size());
    const std::string_view last = stem.substr(stem.rfind('.') + 1);
    std::int64_t number = 0;
    if (last.size() < stem.size() && !last.empty() && last.front() != '-' && parse_integer(last, number)) return number;
  }
  return kineto::rank_from_name(path);
}

// The first byte that is no white space, inflated; 0: there is none.
char first_byte(const MappedFile& file) {
  std::string head = first_bytes_of(file, 4096);
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  const std::size_t at = head.find_first_not_of(" \n\r\t");
  return at == std::string::npos ? '\0' : head[at];
}

}  // namespace

std::string_view to_string(FileKind kind) {
  switch (kind) {
    case FileKind::kineto: return "kineto";
    case FileKind::host: return "host";
    case FileKind::linked: return "linked";
    case FileKind::feeder: return "feeder";
    case FileKind::chakra: return "chakra";
    case FileKind::groups: return "groups";
  }
  return "kineto";
}

Result<FileFacts> survey_file(const std::string& path, const std::function<void(std::uint64_t)>& on_progress) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  FileFacts blank;
  blank.path = path;
  blank.file_bytes = file->bytes().size();
  blank.compressed = detect_compression(file->bytes()) != Compression::none;
  FileFacts facts = blank;
  const char first = first_byte(*file);
  // The length of the metadata in front of a Chakra file may be 123 or 91, that is { or [: what is no JSON to the end is tried as Chakra then.
  if (first == '{' || first == '[') {
    Surveyor surveyor(facts);
    const auto scanned = scan_document(*file, surveyor, on_progress);
    Status outcome = scanned ? surveyor.finish() : Status(scanned.error());
    if (scanned) facts.text_bytes = scanned->text_bytes;
    if (!outcome) {
      facts = blank;
      if (file->bytes().front() != first || !survey_chakra(*file, facts)) return outcome.error();
    }
  } else if (const Status surveyed = survey_chakra(*file, facts); !surveyed) {
    return surveyed.error();
  }
  if (!facts.rank) facts.rank = rank_of_name(path);
  return facts;
}

JobFacts join_facts(std::span<const FileFacts> files) {
  JobFacts job;
  Range moments, starts, clocks;
  std::optional<std::int64_t> base;
  for (const FileFacts& file : files) {
    job.processes.collect(file.processes);
    job.threads.collect(file.threads);
    moments.add(file.moments_us);
    starts.add(file.starts_us);
    clocks.add(file.clock_ms);
    if (file.base_ns) base = std::min(base.value_or(*file.base_ns), *file.base_ns);
  }
  job.processes.seal();
  job.threads.seal();
  if (!moments.empty()) job.first_us = moments.first, job.shift_us = choose_shift_us(moments.first);
  job.base_shift_ns = base.value_or(0);
  job.clock_shift_ms = clocks.empty() ? 0 : clocks.first;
  if (!starts.empty()) {
    // Starts that lie among the moments of the profiler traces are on their clock, and move with them.
    const bool same_clock = !moments.empty() && starts.first >= moments.first && starts.first <= moments.last;
    // Of others the earliest becomes 1: 0 would mean that no start was recorded.
    job.node_shift_us = static_cast<std::uint64_t>(same_clock ? job.shift_us : starts.first - 1);
  }
  return job;
}

}  // namespace orrery::scrub
