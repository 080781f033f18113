#include "scrub/survey.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "base/io/input.h"
#include "base/json/json_document.h"
#include "base/numbers.h"
#include "formats/ampip/reader.h"
#include "formats/astra/config.h"
#include "formats/astra/format.h"
#include "formats/kineto/format.h"
#include "formats/pytorch_et/profiler_part.h"
#include "scrub/files/ampip_rewriter.h"
#include "scrub/files/chakra_survey.h"
#include "scrub/rules.h"
#include "scrub/time_shift.h"
#include "trace/names/rank_numbers.h"

// A walk over the whole document finds damage and collects the numbers that all files share (processes, threads,
// moments); then the file is read once as other verbs would. Only when all files were seen is it known by how much
// times are shifted, so this pass comes before any rewriting.

namespace orrery::scrub {
namespace {

namespace fs = std::filesystem;

bool parse_integer(std::string_view text, std::int64_t& number) {
  return parse_number(is_json_string(text) ? string_content(text) : text, number);
}

class Surveyor {
 public:
  explicit Surveyor(FileFacts& facts) : facts_(facts) {}

  static bool is_record_list(std::string_view key) { return record_rules(key) != nullptr; }

  Status on_member(const JsonMember& member, std::uint64_t offset) {
    std::int64_t number = 0;
    if (member.key == "pid" && parse_integer(member.value, number)) facts_.processes.collect(number);
    else if (member.key == "baseTimeNanoseconds" && parse_integer(member.value, number)) facts_.base_ns = number;
    else if ((member.key == "start_ts" || member.key == "finish_ts") && parse_integer(member.value, number))
      facts_.clock_ms.add(number);
    else if (member.key == "distributedInfo") take_rank(member.value);
    else if (member.key == "schema") has_schema_ = has_schema_ || is_json_string(member.value);
    if (facts_.kind == FileKind::groups && !is_rank_list(member.value))
      return Error{"this is no list of ranks", facts_.path, offset,
                   "a file of communicators is {\"1\": [0, 1], \"2\": [2, 3]}"};
    return {};
  }

  Status on_list(std::string_view key, std::uint64_t /*offset*/) {
    list_ = key.empty() ? record_list_of(FileKind::kineto) : key;
    // Other lists with rules may be there as well, and are cleaned by those.
    has_list_ = has_list_ || list_ == record_list_of(facts_.kind);
    return {};
  }
  static Status on_list_end() { return {}; }

  Result<const char*> take_record(const char* p, const Window& window) {
    const std::uint64_t offset = window.offset + static_cast<std::uint64_t>(p - window.begin);
    const WholeValue whole = whole_value(p, window);
    // A value that is not whole asks for more of the file, which is not a fault yet.
    if (whole.after == nullptr)
      return whole.fault == JsonFault::ends ? Result<const char*>(nullptr) : fault(whole.fault, offset);
    ++facts_.records;
    if (*p != '{') return whole.after;
    record_.clear();
    if (!list_members({p, static_cast<std::size_t>(whole.after - p)}, record_))
      return Error{"malformed JSON in a record", facts_.path, offset, "the file is damaged"};
    for (const auto& [key, value] : record_) {
      std::int64_t number = 0;
      // Of records of every kind: a number that stands elsewhere only makes the maps larger.
      if (key == "ts") take_moment(value);
      else if (key == "pid" && parse_integer(value, number)) facts_.processes.collect(number);
      else if (key == "tid" && parse_integer(value, number)) facts_.threads.collect(number);
      else if (key == "inclusive_dur" && facts_.kind == FileKind::host) facts_.kind = FileKind::linked;
    }
    return whole.after;
  }

  [[nodiscard]] Error fault(JsonFault fault, std::uint64_t offset) const {
    return {std::string(to_string(fault)), facts_.path, offset,
            "scrub takes whole files only: what it does not understand it could not clean"};
  }

  [[nodiscard]] Status finish() const {
    if (!has_list_ && facts_.kind != FileKind::groups)
      return Error{"there is no list of " + std::string(record_list_of(facts_.kind)) + " in this file", facts_.path,
                   Error::kNoOffset, "it looked like one of " + std::string(to_string(facts_.kind)) + " traces"};
    // Nothing else says how to read the rows: no reader would take what is written.
    if (!has_schema_ && (facts_.kind == FileKind::host || facts_.kind == FileKind::linked))
      return Error{"the file does not say which schema it has", facts_.path, Error::kNoOffset,
                   "PyTorch writes 1.0.1 to 1.1.1"};
    return {};
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
    std::string_view rest = value;
    std::int64_t us = 0;
    const bool is_plain = take_number(rest, us) && (rest.empty() || rest.front() == '.');
    // The whole part is cut toward zero: -0.5 would count as 0, and come out negative.
    if (is_plain) return facts_.moments_us.add(value.front() == '-' ? us - 1 : us);
    const auto real = leading_number<double>(value);
    // "1.5e15": no profiler writes it, other tools do. Beyond, it is no time, and a conversion would be undefined.
    if (real && *real > -4e18 && *real < 4e18) facts_.moments_us.add(static_cast<std::int64_t>(*real) - 1);
  }

  static bool is_rank_list(std::string_view value) {
    bool all = true;
    const bool is_list =
        for_each_entry(value, [&](std::string_view entry) { all = all && starts_number(entry.front()); });
    return is_list && all;
  }

  FileFacts& facts_;
  std::vector<JsonMember> record_;
  std::string list_;  // the one at hand
  bool has_list_ = false;
  bool has_schema_ = false;
};

// As ASTRA-sim names files (PREFIX.3.et.gz), else as profilers do.
std::optional<std::int64_t> rank_of_name(const std::string& path) {
  if (const auto name = trace::program_name(path)) return static_cast<std::int64_t>(name->rank);
  return trace::rank_in_name(path);
}

Status survey_json(const MappedFile& file, FileFacts& facts, const std::function<void(std::uint64_t)>& on_progress) {
  Surveyor surveyor(facts);
  const auto text_bytes = walk_json_document(file, surveyor, on_progress);
  if (!text_bytes) return text_bytes.error();
  facts.text_bytes = *text_bytes;
  return surveyor.finish();
}

/// The file as other verbs read it: what their readers refuse, for its form or for what it means (two rows of one id,
/// nodes that wait for each other, a negative size), they would refuse after scrubbing, too, since that leaves ids,
/// dependencies and numbers as they were. Readers pass over much, and count what is odd; the walk over the document
/// finds what they do not look at. MPI traces have no reader of one file alone: survey_ampip asks the parser that
/// theirs has.
Status read_as_others_do(const Input& input) {
  const formats::Format& format = *input.format;
  const auto as_profiler_trace = [&]() -> Status {
    const auto rank = kineto::kFormat.read_rank(input.path, {.positions = false, .in_parts = false});
    return rank ? Status() : Status(rank.error());
  };
  Diagnostics odd;
  if (&format == &kineto::kFormat) return as_profiler_trace();
  if (format.read_host != nullptr) {
    Interner strings;
    const auto host = format.read_host(input.path, strings, odd);
    if (!host) return host.error();
    return pytorch_et::has_profiler_part(*host) ? as_profiler_trace() : Status();
  }
  if (&format == &astra::kGroupsFormat) {
    const auto groups = astra::read_group_file(input.path);
    return groups ? Status() : Status(groups.error());
  }
  if (format.read_workload != nullptr) {
    const auto workload = format.read_workload(std::array{input.path}, {.diagnostics = &odd});
    if (!workload) return workload.error();
  }
  return {};
}

}  // namespace

Result<FileFacts> survey_file(const Input& input, const std::function<void(std::uint64_t)>& on_progress) {
  const Result<FileKind> kind = kind_of(*input.format, input.path);
  if (!kind) return kind.error();
  auto file = MappedFile::open(input.path);
  if (!file) return file.error();
  FileFacts facts;
  facts.path = input.path;
  facts.kind = *kind;
  facts.file_bytes = file->bytes().size();
  facts.compressed = detect_compression(file->bytes()) != Compression::none;
  if (is_read_whole(facts.kind)) {
    const auto content = FileContent::of(std::move(*file));
    if (!content) return content.error();
    const Status surveyed =
        facts.kind == FileKind::chakra ? survey_chakra(content->bytes(), facts) : survey_ampip(content->bytes(), facts);
    if (!surveyed) return surveyed.error();
    if (on_progress) on_progress(facts.file_bytes);
  } else if (const Status surveyed = survey_json(*file, facts, on_progress); !surveyed) {
    return surveyed.error();
  }
  if (const Status read = read_as_others_do(input); !read) return read.error();
  if (!facts.rank)
    facts.rank = facts.kind == FileKind::ampip ? ampip::rank_in_name(fs::path(input.path).filename().string())
                                               : rank_of_name(input.path);
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
    // Files that link wrote are on the profiler's clock, simulated ones begin anywhere, and neither says so.
    const bool same_clock = !moments.empty() && starts.first >= moments.first && starts.first <= moments.last;
    // Of others the earliest becomes 1: 0 would mean that no start was recorded.
    job.node_shift_us = static_cast<std::uint64_t>(same_clock ? job.shift_us : starts.first - 1);
  }
  return job;
}

}  // namespace orrery::scrub
