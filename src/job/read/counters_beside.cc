#include "job/read/counters_beside.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include "formats/gpu_counters/format.h"
#include "job/read/registry.h"

namespace orrery::job {
namespace {

constexpr DiagnosticKind kCountersRead{"J103", Severity::note, "counters beside the trace are read with it",
                                       "clocks, power and temperature of its devices; move the file away if it is of "
                                       "another run"};

constexpr std::int64_t kQuarterNs = std::int64_t{15} * 60 * 1'000'000'000;
constexpr std::int64_t kMostQuarters = 14 * 4;  // no place on earth is further from Greenwich

struct Span {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();
};

Span span_of(const trace::Trace& trace) {
  Span span;
  for (const trace::RankTrace& rank : trace.ranks) {
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      span.begin = std::min(span.begin, rank.start[e] / kPsPerNs);
      span.end = std::max(span.end, rank.end(e) / kPsPerNs);
    }
  }
  if (span.begin <= span.end) span.begin += trace.epoch_unix_ns, span.end += trace.epoch_unix_ns;
  return span;
}

/// What is added to samples. Of equal ones the nearest to Greenwich.
std::int64_t shift_of(const Span& samples, const Span& trace) {
  std::int64_t best = 0, longest = -1;
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

}  // namespace

std::vector<std::string> counter_tables_beside(const std::vector<std::string>& files) {
  std::set<std::filesystem::path> folders;
  for (const std::string& file : files) folders.insert(std::filesystem::path(file).parent_path());
  std::vector<std::string> tables;
  for (const std::filesystem::path& folder : folders) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, none)) {
      const std::string name = entry.path().filename().string();
      // Folders of thousands of traces are not opened file by file.
      const bool is_table = name.ends_with(".csv") || name.ends_with(".csv.gz") || name.ends_with(".csv.zst");
      if (!is_table || !entry.is_regular_file(none)) continue;
      const Result<FileHead> head = read_head(entry.path().string());
      if (head && gpu_counters::kFormat.sniff(head->view())) tables.push_back(entry.path().string());
    }
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

void add_counters(const gpu_counters::CounterTable& table, trace::Trace& trace) {
  Span samples;
  for (const gpu_counters::Sample& sample : table.samples) {
    samples.begin = std::min(samples.begin, sample.local_ns);
    samples.end = std::max(samples.end, sample.local_ns);
  }
  const Span recorded = span_of(trace);
  if (recorded.begin > recorded.end) return;
  const std::int64_t shift = shift_of(samples, recorded);
  std::vector<StringId> names, units;
  for (const auto& counter : table.counters) {
    names.push_back(trace.strings.intern(counter.name));
    units.push_back(counter.unit.empty() ? 0 : trace.strings.intern(counter.unit));
  }
  for (trace::RankTrace& rank : trace.ranks) {
    const std::set<std::int64_t> devices = devices_of(rank);
    for (const gpu_counters::Sample& sample : table.samples) {
      if (!devices.empty() && !devices.contains(sample.device)) continue;
      const Int128 at = (static_cast<Int128>(sample.local_ns) + shift - trace.epoch_unix_ns) * kPsPerNs;
      if (!trace::is_moment(at)) continue;
      rank.counters.push(sample.device, names[sample.counter], units[sample.counter], static_cast<TimePs>(at),
                         sample.value);
    }
  }
}

Status read_counters_beside(const std::vector<std::string>& files, trace::Trace& trace, Diagnostics& diagnostics) {
  for (const std::string& path : counter_tables_beside(files)) {
    const Result<gpu_counters::CounterTable> table = gpu_counters::read_counter_table(path, diagnostics);
    if (!table) return table.error();
    diagnostics.add(kCountersRead, [&] { return path; });
    add_counters(*table, trace);
  }
  return {};
}

}  // namespace orrery::job
