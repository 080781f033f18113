#include "job/read/hta_input.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/io/file_content.h"
#include "base/io/window_stream.h"
#include "base/json/json_members.h"
#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "formats/kineto/format.h"
#include "formats/kineto/other_arguments.h"
#include "job/read/trace_input.h"

// HTA takes the first `"rank": N` anywhere in the text of a file for its rank, so the text is searched, not parsed, in
// windows that overlap by what might be cut. Arguments of events are read from the file again when an analysis asks for
// them.

namespace orrery::job {

Status visit_arguments(const trace::RankTrace& rank, const std::vector<trace::EventIndex>& wanted,
                       const std::function<void(std::size_t, const std::vector<JsonMember>&)>& visit) {
  if (rank.source.format != kineto::kFormat.name || rank.source_offset.empty()) return {};
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) places.emplace_back(rank.source_offset[wanted[i]], i);
  // In the order of the file, so that one pass over it is enough.
  std::sort(places.begin(), places.end());
  std::vector<std::uint64_t> offsets;
  offsets.reserve(places.size());
  for (const auto& [offset, i] : places) offsets.push_back(offset);
  std::vector<JsonMember> members;
  return kineto::visit_event_texts(rank.source.path, offsets, [&](std::size_t k, std::string_view text) {
    members.clear();
    const auto [args] = members_of(text, std::array<std::string_view, 1>{"args"});
    if (!args.starts_with('{') || !list_members(args, members)) members.clear();
    visit(places[k].second, members);
  });
}

Result<std::vector<Arguments>> read_arguments(const trace::RankTrace& rank,
                                              const std::vector<trace::EventIndex>& wanted) {
  std::vector<Arguments> arguments(wanted.size());
  const Status visited = visit_arguments(rank, wanted, [&](std::size_t i, const std::vector<JsonMember>& members) {
    for (const JsonMember& member : members) arguments[i][unescape_json(member.key)] = std::string(member.value);
  });
  if (!visited) return visited.error();
  return arguments;
}

namespace {

using causal::hta::RowIndex;
using causal::hta::Rows;

/// Looks for `"rank": 3` in the windows of a text.
class RankSearch {
 public:
  /// Returns up to where the window holds nothing that might go on in the next.
  const char* look(const Window& window) {
    constexpr std::string_view kKey = "\"rank\":";
    const char* p = window.begin;
    const auto left = [&] { return static_cast<std::size_t>(window.end - p); };
    while (!found_) {
      const auto* const key = static_cast<const char*>(memmem(p, left(), kKey.data(), kKey.size()));
      if (key == nullptr) break;
      p = key + kKey.size();
      const char* const digits = std::find_if(
          p, window.end, [](char c) { return c == '\n' || std::strchr(" \t\r\f\v", c) == nullptr || c == '\0'; });
      const char* const after = std::find_if(digits, window.end, [](char c) { return c < '0' || c > '9'; });
      if (after == window.end && !window.is_last) return key;  // may go on
      // Digits that are no number are too many: the search goes on.
      if (digits > p) found_ = parse_number<std::int64_t>({digits, static_cast<std::size_t>(after - digits)});
    }
    // The key itself may be cut by the end of the window.
    return window.is_last ? window.end : window.end - std::min(left(), kKey.size() - 1);
  }
  [[nodiscard]] std::optional<std::int64_t> found() const { return found_; }

 private:
  std::optional<std::int64_t> found_;
};

Result<trace::Trace> read_one(const Source& source, const std::string& file, const Reading& reading,
                              Diagnostics& diagnostics) {
  Result<trace::Trace> trace =
      source.format->read_traces({file}, diagnostics, {.salvage = reading.salvage, .on_progress = reading.on_progress});
  if (!trace) return trace;
  if (const auto given = reading.ranks.find(file); given != reading.ranks.end()) {
    trace->ranks.front().rank = given->second;
    return trace;
  }
  const Result<std::int64_t> number = hta_rank_of(file);
  if (!number) {
    // What lies behind the damage of a salvaged file does not count either.
    if (!reading.salvage) return number.error();
    return trace;
  }
  trace->ranks.front().rank = *number;
  return trace;
}

std::vector<trace::EventIndex> events_of(const Rows& rows, const std::vector<RowIndex>& wanted) {
  std::vector<trace::EventIndex> events;
  events.reserve(wanted.size());
  for (const RowIndex row : wanted) events.push_back(rows.event[row]);
  return events;
}

}  // namespace

Result<std::int64_t> hta_rank_of(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  RankSearch search;
  const auto streamed = stream_windows(*file,
                                       [&](const Window& window) -> Result<const char*> {
                                         const char* const taken = search.look(window);
                                         if (search.found())
                                           return Error{"found"};  // ends the stream: it is near the front as a rule
                                         return taken;
                                       },
                                       {});
  if (search.found()) return *search.found();
  if (!streamed) return streamed.error();
  if (streamed->input_error) return *streamed->input_error;
  return 0;
}

Result<HtaInput> read_hta_job(const Source& source, const Reading& reading) {
  HtaInput input;
  if (source.format != &kineto::kFormat) {
    Result<TraceInput> read = read_trace(source, {}, reading);
    if (!read) return read.error();
    input.traces.push_back(std::make_shared<trace::Trace>(std::move(read->trace)));
  } else {
    struct Read {
      Diagnostics diagnostics;
      std::optional<Result<trace::Trace>> trace;
    };
    std::vector<Read> reads(source.files.size());
    for (const std::string& file : source.files) {
      if (const Status told = reading.tell(file); !told) return told.error();
    }
    parallel_for(reads.size(), [&](std::size_t i) {
      reads[i].trace = read_one(source, source.files[i], reading, reads[i].diagnostics);
    });
    for (Read& read : reads) {
      if (!*read.trace) return read.trace->error();
      reading.diagnostics.merge(read.diagnostics);
      input.traces.push_back(std::make_shared<trace::Trace>(std::move(**read.trace)));
    }
  }
  for (const auto& trace : input.traces) {
    for (const trace::RankTrace& rank : trace->ranks) input.ranks.push_back({rank.rank, trace.get(), &rank});
  }
  return input;
}

Result<std::vector<Arguments>> read_arguments(const Rows& rows, const std::vector<RowIndex>& wanted) {
  return read_arguments(*rows.rank, events_of(rows, wanted));
}

Result<std::vector<double>> read_number_argument(const Rows& rows, const std::vector<RowIndex>& wanted,
                                                 std::string_view name, double missing) {
  std::vector<double> numbers(wanted.size(), missing);
  const Status visited =
      visit_arguments(*rows.rank, events_of(rows, wanted), [&](std::size_t i, const std::vector<JsonMember>& members) {
        for (const JsonMember& member : members) {
          if (member.key == name) numbers[i] = leading_number<double>(member.value).value_or(numbers[i]);
        }
      });
  if (!visited) return visited.error();
  return numbers;
}

}  // namespace orrery::job
