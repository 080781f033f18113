#include "job/read/counters_input.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "formats/gpu_counters/counter_table.h"
#include "formats/gpu_counters/format.h"
#include "job/read/registry.h"

namespace orrery::job {
namespace {

constexpr DiagnosticKind kCountersRead{"J103", Severity::note, "counters beside the trace are read with it",
                                       "clocks, power and temperature of its devices; move the file away if it is of "
                                       "another run"};
constexpr DiagnosticKind kCountersUnused{"J104", Severity::note, "counters beside the trace that are of no use to it",
                                         "--counters FILE names those that belong to it"};

constexpr std::int64_t kQuarterNs = std::int64_t{15} * 60 * 1'000'000'000;
constexpr std::int64_t kMostQuarters = 14 * 4;  // no place on earth is further from Greenwich

struct Span {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();

  void cover(std::int64_t from, std::int64_t until) { begin = std::min(begin, from), end = std::max(end, until); }
};

/// Of the ranks, in ns of Unix time.
Span span_of(const trace::Trace& trace, std::span<trace::RankTrace* const> ranks) {
  Span span;
  for (const trace::RankTrace* const rank : ranks) {
    for (trace::EventIndex e = 0; e < rank->event_count(); ++e)
      span.cover(rank->start[e] / kPsPerNs, rank->end(e) / kPsPerNs);
  }
  if (span.begin <= span.end) span.begin += trace.epoch_unix_ns, span.end += trace.epoch_unix_ns;
  return span;
}

/// What is added to samples, the nearest to Greenwich of equal ones; none: they do not meet the trace anywhere.
std::optional<std::int64_t> shift_of(const Span& samples, const Span& trace) {
  std::optional<std::int64_t> best;
  std::int64_t longest = -1;
  for (std::int64_t quarter = 0; quarter <= kMostQuarters; ++quarter) {
    for (const std::int64_t shift : {quarter * kQuarterNs, -quarter * kQuarterNs}) {
      const std::int64_t overlap =
          std::min(samples.end + shift, trace.end) - std::max(samples.begin + shift, trace.begin);
      if (overlap > longest) best = shift, longest = overlap;
    }
  }
  return best;
}

std::set<std::int64_t> devices_of(const trace::RankTrace& rank) {
  std::set<std::int64_t> devices;
  const trace::SparseColumn& column = rank.field(trace::Field::device);
  for (std::size_t i = 0; i < column.event.size(); ++i) {
    if (trace::is_device_work(rank.activity(column.event[i]))) devices.insert(column.value[i]);
  }
  return devices;
}

Status add_table(const gpu_counters::CounterTable& table, const std::string& path,
                 std::span<trace::RankTrace* const> ranks, trace::Trace& trace) {
  Span samples;
  for (const gpu_counters::Sample& sample : table.samples) samples.cover(sample.local_ns, sample.local_ns);
  const Span recorded = span_of(trace, ranks);
  const auto shift = recorded.begin <= recorded.end ? shift_of(samples, recorded) : std::nullopt;
  if (!shift)
    return Error{"no sample of these counters was taken while the trace was recorded", path, Error::kNoOffset,
                 "their times are those of the clock on the wall, in any time zone"};
  std::vector<StringId> names, units;
  for (const auto& counter : table.counters) {
    names.push_back(trace.strings.intern(counter.name));
    units.push_back(counter.unit.empty() ? 0 : trace.strings.intern(counter.unit));
  }
  for (trace::RankTrace* const rank : ranks) {
    const std::set<std::int64_t> devices = devices_of(*rank);
    for (const gpu_counters::Sample& sample : table.samples) {
      if (!devices.empty() && !devices.contains(sample.device)) continue;
      const Int128 at = (static_cast<Int128>(sample.local_ns) + *shift - trace.epoch_unix_ns) * kPsPerNs;
      if (!trace::is_moment(at)) continue;
      rank->counters.push(sample.device, names[sample.counter], units[sample.counter], static_cast<TimePs>(at),
                          sample.value);
    }
  }
  return {};
}

Status read_table(const std::string& path, std::span<trace::RankTrace* const> ranks, trace::Trace& trace,
                  Diagnostics& diagnostics) {
  const Result<gpu_counters::CounterTable> table = gpu_counters::read_counter_table(path, diagnostics);
  if (!table) return table.error();
  return add_table(*table, path, ranks, trace);
}

bool is_called_as_table(const std::string& name) {
  constexpr std::array<std::string_view, 6> kTableEndings = {".csv", ".csv.gz", ".csv.zst",
                                                             ".txt", ".txt.gz", ".txt.zst"};
  return std::any_of(kTableEndings.begin(), kTableEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

CounterFiles find_counters(const std::vector<std::string>& named, const std::vector<std::string>& files) {
  CounterFiles found{.named = named, .beside = {}};
  if (!named.empty()) return found;
  std::set<std::filesystem::path> folders;
  for (const std::string& file : files) folders.insert(std::filesystem::path(file).parent_path());
  for (const std::filesystem::path& folder : folders) {
    std::error_code none;
    // Folders of thousands of traces are not opened file by file: the name must promise a table.
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, none)) {
      const std::string path = (folder / entry.path().filename()).string();
      if (!is_called_as_table(path) || !entry.is_regular_file(none)) continue;
      const Result<FileHead> head = read_head(path);
      if (head && gpu_counters::kFormat.sniff(head->view())) found.beside.push_back(path);
    }
  }
  std::sort(found.beside.begin(), found.beside.end());
  return found;
}

Status tell_counters(const CounterFiles& files, const Reading& reading) {
  for (const auto* const paths : {&files.named, &files.beside}) {
    for (const std::string& path : *paths) {
      if (const Status told = reading.tell(path); !told) return told;
    }
  }
  return {};
}

Status read_counters(const CounterFiles& files, trace::Trace& trace, Diagnostics& diagnostics) {
  std::vector<trace::RankTrace*> ranks;
  for (trace::RankTrace& rank : trace.ranks) ranks.push_back(&rank);
  for (const std::string& path : files.named) {
    if (const Status read = read_table(path, ranks, trace, diagnostics); !read) return read;
  }
  for (const std::string& path : files.beside) {
    std::vector<trace::RankTrace*> own;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(own), [&](const trace::RankTrace* rank) {
      return std::filesystem::path(rank->source.path).parent_path() == folder;
    });
    if (own.empty()) continue;
    const Status read = read_table(path, own, trace, diagnostics);
    if (read) diagnostics.add(kCountersRead, [&] { return path; });
    else diagnostics.add(kCountersUnused, [&] { return read.error().to_string(); });
  }
  return {};
}

}  // namespace orrery::job
