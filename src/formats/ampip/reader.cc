#include "formats/ampip/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/io/file_content.h"
#include "base/json/json_writer.h"
#include "base/parallel.h"
#include "formats/ampip/call_times.h"
#include "formats/ampip/diagnostics.h"
#include "formats/ampip/report.h"
#include "formats/ampip/site_join.h"
#include "match/mpi/mpi_files.h"
#include "report/counted.h"

// Ranks are read side by side; then the report is joined to them: callsites are matched by call, count and bytes, since
// numbers differ from rank to rank, and the times of each callsite are split over its calls within what their deltas
// allow.

namespace orrery::ampip {
namespace {

namespace fs = std::filesystem;
using match::MpiRankFile;
using trace::EventIndex;
using trace::Field;

struct RankReading {
  match::MpiRankRead read;
  Diagnostics diagnostics;
  Status status;
};

/// Ranks by the names of the files, ascending.
Result<std::vector<MpiRankFile>> number_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<MpiRankFile> files;
  const std::string *numbered = nullptr, *unnumbered = nullptr;
  for (const std::string& path : paths) {
    const std::optional<std::int64_t> rank = rank_in_name(fs::path(path).filename().string());
    // Any of each kind will do for the message.
    (rank ? numbered : unnumbered) = &path;
    files.push_back({rank.value_or(static_cast<std::int64_t>(files.size())), path});
  }
  // Either all names have numbers or none: else a guessed number might be that of another file.
  if (numbered != nullptr && unnumbered != nullptr) {
    return Error{"the name of this trace does not say its rank, but that of " + *numbered + " does", *unnumbered,
                 Error::kNoOffset, "name it as A-mpiP -A does: trace_3"};
  }
  if (unnumbered != nullptr && paths.size() > 1) diagnostics.add_many(kRankGuessed, paths.size(), paths.front());
  if (Status sorted = match::sort_by_rank(files); !sorted) return sorted.error();
  return files;
}

Status read_rank(const MpiRankFile& file, const ReadOptions& options, RankReading& out) {
  const Result<FileContent> content = FileContent::open(file.path, options.on_progress);
  if (!content) return content.error();
  match::MpiRank& rank = out.read.rank;
  Status parsed = parse_rank(content->bytes(), file.path, file.rank, rank, out.diagnostics);
  if (!parsed) {
    // What was read before the damage is good, if there is any of it.
    if (!options.salvage || rank.trace.event_count() == 0) return parsed;
    out.diagnostics.add(kSalvaged, [&] { return parsed.error().to_string(); });
  }
  if (rank.trace.event_count() == 0)
    return Error{"there is no record in this trace", file.path, content->bytes().size()};
  match::set_source(file, *content, "ampip", rank.trace);
  if (options.on_progress && !content->is_compressed()) options.on_progress(content->file_bytes());
  return {};
}

}  // namespace

std::vector<std::string> reports_beside(const std::string& trace_path) {
  std::vector<std::string> found;
  std::error_code error;
  const fs::path folder = fs::path(trace_path).parent_path();
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = (folder / entry->path().filename()).string();
    if (path.find(".mpiP") == std::string::npos || !entry->is_regular_file(error)) continue;
    // Other files may have this in their names: the content decides.
    const Result<std::string> head = read_first_bytes(path, 16);
    if (head && is_report(*head)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

/// The only file beside the traces that is a report.
std::optional<std::string> find_report(const std::string& trace_path, Diagnostics& diagnostics) {
  const std::vector<std::string> found = reports_beside(trace_path);
  if (found.size() > 1) diagnostics.add_many(kSeveralReports, found.size(), found.front());
  // Of several reports nobody knows which belongs to these traces.
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::optional<Report> take_report(const std::string& first_trace, const ReadOptions& options,
                                  Diagnostics& diagnostics) {
  const std::optional<std::string> path = options.report ? options.report : find_report(first_trace, diagnostics);
  if (!path || path->empty()) return std::nullopt;
  Result<Report> report = read_report(*path);
  if (report) return std::move(*report);
  diagnostics.add(kBadReport, [&] { return report.error().to_string(); });
  return std::nullopt;
}

RankSites local_sites(const trace::RankTrace& rank, const Interner& strings) {
  std::map<std::int64_t, LocalSite> sites;
  const trace::SparseColumn& numbers = rank.field(Field::callsite);
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    LocalSite& site = sites[numbers.value[e]];  // every call has one
    site.number = numbers.value[e];
    // Without "MPI_", as reports name calls.
    site.call = strings.text(rank.name[e]).substr(4);
    ++site.count;
  }
  const trace::SparseColumn& bytes = rank.field(Field::bytes);
  for (std::size_t i = 0; i < bytes.event.size(); ++i) {
    // Collectives with a list of counts have 0 here, whatever they send.
    if (bytes.value[i] == 0) continue;
    LocalSite& site = sites[numbers.value[bytes.event[i]]];
    site.sent_bytes += static_cast<double>(bytes.value[i]);
    site.has_bytes = true;
  }
  RankSites out{rank.rank, {}};
  for (auto& [number, site] : sites) out.sites.push_back(std::move(site));
  return out;
}

/// Joins what the traces and the report say: names of callsites, and of each call how long it took.
class ReportMerge {
 public:
  ReportMerge(const std::optional<Report>& report, Diagnostics& diagnostics)
      : report_(report), diagnostics_(diagnostics) {}

  void merge(const std::vector<trace::RankTrace*>& ranks, const std::vector<Interner*>& strings) {
    std::vector<std::map<std::int64_t, const SiteTime*>> joined(ranks.size());
    std::map<std::int64_t, std::string> names;
    if (report_) {
      std::vector<RankSites> sites;
      for (std::size_t i = 0; i < ranks.size(); ++i) sites.push_back(local_sites(*ranks[i], *strings[i]));
      joined = join_sites(sites, *report_);
      names = name_sites(*report_);
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      set_sites(*ranks[i], joined[i], names, *strings[i]);
      set_times(*ranks[i], joined[i]);
    }
  }

 private:
  void set_sites(trace::RankTrace& rank, const std::map<std::int64_t, const SiteTime*>& joined,
                 const std::map<std::int64_t, std::string>& names, Interner& strings) {
    if (!report_) return;
    std::map<std::int64_t, StringId> texts;  // by number of the trace; 0: none
    const trace::SparseColumn& numbers = rank.field(Field::callsite);
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const std::int64_t number = numbers.value[e];
      const auto [text, is_new] = texts.try_emplace(number, 0);
      // Names are looked up once per callsite, and remarks made once.
      if (is_new) {
        const auto site = joined.find(number);
        if (site == joined.end()) {
          diagnostics_.add(kSiteNotFound, [&] {
            return fmt::format("{}: callsite {}, {}", rank.source.path, number, strings.text(rank.name[e]));
          });
        } else if (const auto name = names.find(site->second->site); name != names.end() && !name->second.empty()) {
          text->second = strings.intern(name->second);
        } else {
          diagnostics_.add(kSiteWithoutStack,
                           [&] { return fmt::format("site {}, MPI_{}", site->second->site, site->second->call); });
        }
      }
      if (text->second != 0) rank.field(Field::callsite_text).push(e, text->second);
    }
  }

  void set_times(trace::RankTrace& rank, const std::map<std::int64_t, const SiteTime*>& joined) {
    const trace::SparseColumn& numbers = rank.field(Field::callsite);
    const trace::SparseColumn& deltas = rank.field(Field::recorded_delta);  // of all but the first
    std::map<std::int64_t, std::vector<EventIndex>> calls;
    for (EventIndex e = 0; e < rank.event_count(); ++e) calls[numbers.value[e]].push_back(e);
    std::size_t estimated = 0;
    for (const auto& [number, events] : calls) {
      const auto site = joined.find(number);
      if (site == joined.end()) continue;
      std::vector<TimePs> limits;
      // What the first delta should have been is not known; the report's most bounds it.
      for (const EventIndex e : events) limits.push_back(e == 0 ? site->second->max_ps : deltas.value[e - 1]);
      const std::vector<TimePs> times =
          split_deltas(limits, {site->second->mean_ps, site->second->min_ps, site->second->max_ps});
      for (std::size_t i = 0; i < events.size(); ++i) {
        rank.duration[events[i]] = times[i];
        rank.flags[events[i]] |= trace::kDurationEstimated;
      }
      estimated += events.size();
    }
    // Recorded are the times between ends of calls: time goes on by these, and starts follow from the durations.
    TimePs now = rank.duration[0];
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      if (e > 0) now += deltas.value[e - 1];
      rank.start[e] = now - rank.duration[e];
    }
    if (estimated > 0) diagnostics_.add_many(kEstimatedTimes, estimated, rank.source.path);
  }

  const std::optional<Report>& report_;
  Diagnostics& diagnostics_;
};

void describe(const Report& report, trace::RankTrace& rank, Diagnostics& diagnostics) {
  const auto add = [&](const std::string& key, const std::string& value) {
    std::string quoted;
    append_json_string(quoted, value);
    rank.source.properties.emplace_back(key, std::move(quoted));
  };
  for (const auto& [key, value] : report.properties) add(key, value);
  // Not SourceInfo::host: ranks of one host have one clock, but here each counts from its own beginning.
  const auto number = static_cast<std::size_t>(rank.rank);
  if (number < report.hosts.size()) add("MPI Task Assignment", report.hosts[number]);
  std::int64_t calls = 0;
  for (const SiteTime& time : report.site_times) calls += time.rank == rank.rank ? time.count : 0;
  if (static_cast<std::int64_t>(rank.event_count()) < calls) {
    diagnostics.add(kFewerCalls, [&] {
      return fmt::format("{} has {}, the report {}", rank.source.path, report::counted(rank.event_count(), "call"),
                         calls);
    });
  }
}

std::int64_t world_size_of(const std::vector<RankReading>& readings, const std::optional<Report>& report) {
  std::int64_t size = report ? static_cast<std::int64_t>(report->hosts.size()) : 0;
  for (const RankReading& reading : readings) {
    // Not all ranks need be there: the highest number that anything names decides.
    size = std::max(size, reading.read.rank.trace.rank + 1);
    for (const std::vector<std::int64_t>* const members : reading.read.rank.communicators.lists())
      size = std::max(size, *std::max_element(members->begin(), members->end()) + 1);
  }
  return size;
}

}  // namespace

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  const Result<std::vector<MpiRankFile>> files = number_files(paths, diagnostics);
  if (!files) return files.error();
  std::vector<RankReading> readings(files->size());
  parallel_for(readings.size(),
               [&](std::size_t i) { readings[i].status = read_rank((*files)[i], options, readings[i]); });
  std::vector<trace::RankTrace*> ranks;
  std::vector<Interner*> strings;
  for (RankReading& reading : readings) {
    if (!reading.status) return reading.status.error();
    diagnostics.merge(reading.diagnostics);
    ranks.push_back(&reading.read.rank.trace);
    strings.push_back(&reading.read.strings);
  }
  const std::optional<Report> report = take_report(files->front().path, options, diagnostics);
  if (!report) diagnostics.add_many(kNoReport, files->size(), files->front().path);
  ReportMerge(report, diagnostics).merge(ranks, strings);
  const bool has_all_calls = diagnostics.count(kWithoutCollectives) == 0;
  const std::int64_t world_size = world_size_of(readings, report);
  trace::Trace job;
  std::vector<match::CommunicatorUses> uses;
  for (RankReading& reading : readings) {
    trace::RankTrace& rank = reading.read.rank.trace;
    rank.source.world_size = world_size;
    // Where calls are missing from the traces, sums of the report differ from theirs without anything being wrong.
    Diagnostics ignored;
    if (report) describe(*report, rank, has_all_calls ? diagnostics : ignored);
    uses.push_back(std::move(reading.read.rank.communicators));
    if (!trace::add_rank(job, std::move(rank), reading.read.strings))
      return Error{"its records are more than 26 days long", reading.read.rank.trace.source.path};
  }
  match::name_communicators(uses, world_size, job);
  // Ranks are unique and below the size, so that this cannot be negative.
  const auto missing = static_cast<std::uint64_t>(world_size) - files->size();
  if (missing > 0) {
    // The first rank that is missing serves as example.
    std::int64_t first = 0;
    while (static_cast<std::size_t>(first) < files->size() && (*files)[static_cast<std::size_t>(first)].rank == first)
      ++first;
    diagnostics.add_many(kRanksMissing, missing, fmt::format("rank {} of {}", first, world_size));
  }
  return job;
}

}  // namespace orrery::ampip
