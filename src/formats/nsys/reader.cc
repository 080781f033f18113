#include "formats/nsys/reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "formats/nsys/export.h"
#include "match/communication.h"
#include "match/communicators.h"
#include "trace/names/numbered_steps.h"
#include "trace/names/rank_numbers.h"
#include "trace/read_rank.h"

// Each file becomes the rows of its processes; NCCL's calls are joined with its kernels process by process. What only
// all processes know together, who is which rank and which collective is which, follows when all files were read.

namespace orrery::nsys {
namespace {

/// A process of a file that was read.
struct ReadProcess {
  trace::RankTrace rank;
  match::LibraryRank nccl;
};

struct ReadExport {
  Interner strings;
  Diagnostics diagnostics;
  std::vector<ReadProcess> processes;  // by process id
};

Status read_texts(Export& reading) {
  static constexpr std::array<std::string_view, 2> kColumns = {"id", "value"};
  const Status read = reading.walk("StringIds", kColumns, [&](const SqliteRows& row) {
    if (row.is_integer(0)) reading.texts.add(row.integer(0, 0), row.bytes(1));
  });
  reading.texts.finish();
  return read;
}

/// When the recording began; 0 if it does not say.
Result<std::int64_t> read_epoch(Export& reading) {
  static constexpr std::array<std::string_view, 1> kColumns = {"utcEpochNs"};
  std::optional<std::int64_t> epoch;
  const Status read = reading.walk("TARGET_INFO_SESSION_START_TIME", kColumns, [&](const SqliteRows& row) {
    if (!epoch && row.is_integer(0)) epoch = row.integer(0, 0);
  });
  if (!read) return read.error();
  if (!epoch) reading.diagnostics.add(kNoStart, [&] { return reading.path; });
  return epoch.value_or(0);
}

Status read_tables(Export& reading) {
  if (Status read = read_texts(reading); !read) return read;
  const Result<std::int64_t> epoch = read_epoch(reading);
  if (!epoch) return epoch.error();
  // Calls first: they say which processes there are.
  if (Status read = read_calls(reading); !read) return read;
  if (Status read = read_ranges(reading); !read) return read;
  if (Status read = read_device_work(reading); !read) return read;
  return read_names(reading, *epoch);
}

void describe(const SqliteFile& file, const Export& reading, trace::RankTrace& rank) {
  rank.source.path = reading.path;
  rank.source.format = "nsys";
  rank.source.file_bytes = rank.source.text_bytes = file.file_bytes();
  rank.source.entries = rank.event_count();
  if (rank.epoch_unix_ns != 0) rank.source.base_time_ns = rank.epoch_unix_ns;
}

Result<ReadExport> read_export(const std::string& path, const ReadOptions& options) {
  const Result<SqliteFile> file = SqliteFile::open(path);
  if (!file) return file.error();
  ReadExport read;
  Export reading(path, *file, read.strings, read.diagnostics, {options.salvage, options.operands});
  if (Status tables = read_tables(reading); !tables) return tables.error();
  bool names_nccl = false, has_arguments = false;
  for (auto& [key, process] : reading.processes.all()) {
    if (!process->uses_cuda) {
      if (process->rank.event_count() > 0)
        read.diagnostics.add_many(kOtherProcess, process->rank.event_count(),
                                  path + ": process " + std::to_string(process->number));
      continue;
    }
    trace::mark_numbered_steps(read.strings, process->rank);
    const std::vector<match::LibraryCall> calls = process->library_calls();
    match::LibraryRank nccl{match::find_library_works(read.strings, process->rank, calls, process->library_kernels()),
                            match::find_memberships(calls)};
    names_nccl |= !nccl.works.empty();
    has_arguments |= std::any_of(calls.begin(), calls.end(), [](const match::LibraryCall& call) {
      return call.arguments.communicator.has_value();
    });
    describe(*file, reading, process->rank);
    read.processes.push_back({std::move(process->rank), std::move(nccl)});
  }
  if (names_nccl && !has_arguments) read.diagnostics.add(kNoPayloads, [&] { return path; });
  if (read.processes.empty())
    return Error{"no process in it used CUDA while it was recorded", path, Error::kNoOffset,
                 "record with nsys profile --trace=cuda,nvtx"};
  if (options.on_progress) options.on_progress(file->file_bytes());
  return read;
}

/// Of all processes in the order of files and process ids.
struct Numbered {
  std::vector<std::int64_t> numbers;
  bool are_runs = false;
};

/// All tell, and each something else.
bool are_told(const std::vector<std::optional<std::int64_t>>& told) {
  std::set<std::int64_t> numbers;
  for (const auto& number : told) {
    if (!number || *number < 0 || !numbers.insert(*number).second) return false;
  }
  return true;
}

Numbered number_processes(const std::vector<ReadExport>& files, const std::vector<std::string>& paths,
                          Diagnostics& diagnostics) {
  std::vector<std::optional<std::int64_t>> by_nccl, by_name;
  bool all_communicate = true;
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (const ReadProcess& process : files[f].processes) {
      by_nccl.push_back(match::told_rank(process.nccl));
      by_name.push_back(files[f].processes.size() == 1 ? trace::rank_in_name(paths[f]) : std::nullopt);
      all_communicate &= !process.nccl.works.empty();
    }
  }
  Numbered numbered;
  for (const auto* const told : {&by_nccl, &by_name}) {
    if (!are_told(*told)) continue;
    for (const auto& number : *told) numbered.numbers.push_back(*number);
    return numbered;
  }
  for (std::size_t i = 0; i < by_nccl.size(); ++i) numbered.numbers.push_back(static_cast<std::int64_t>(i));
  // Files of one process each that never communicate are recordings side by side.
  numbered.are_runs = files.size() > 1 && files.size() == by_nccl.size() && !all_communicate;
  if (by_nccl.size() > 1) diagnostics.add(kRanksGuessed, [&] { return paths.front(); });
  return numbered;
}

}  // namespace

bool is_export(const std::string& path) {
  const Result<SqliteFile> file = SqliteFile::open(path);
  return file && file->has_table("META_DATA_EXPORT") && file->has_table("StringIds");
}

bool holds_several_processes(const std::string& path) {
  static constexpr std::pair<std::string_view, std::string_view> kTables[] = {
      {"CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"}, {"CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"}};
  const Result<SqliteFile> file = SqliteFile::open(path);
  if (!file) return false;
  std::set<std::uint64_t> keys;
  for (const auto& [table, column] : kTables) {
    Result<SqliteRows> rows = file->rows(table, std::span(&column, 1));
    if (!rows) return false;
    while (keys.size() < 2 && rows->next()) {
      if (rows->is_integer(0)) keys.insert(process_key(rows->integer(0, 0)));
    }
  }
  return keys.size() > 1;
}

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  std::vector<ReadExport> files(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) {
    Result<ReadExport> read = read_export(paths[i], options);
    if (read) files[i] = std::move(*read);
    else errors[i] = read.error();
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  for (const ReadExport& file : files) diagnostics.merge(file.diagnostics);
  const Numbered numbered = number_processes(files, paths, diagnostics);
  struct Place {
    std::int64_t number;
    std::size_t file, process;
  };
  std::vector<Place> order;
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (std::size_t p = 0; p < files[f].processes.size(); ++p) order.push_back({numbered.numbers[order.size()], f, p});
  }
  std::stable_sort(order.begin(), order.end(), [](const Place& a, const Place& b) { return a.number < b.number; });
  trace::Trace job;
  std::vector<match::LibraryRank> nccl;
  for (const Place& place : order) {
    ReadProcess& process = files[place.file].processes[place.process];
    process.rank.rank = place.number;
    process.rank.source.is_run = numbered.are_runs;
    if (const auto told = match::told_rank(process.nccl)) process.rank.source.rank = told;
    const bool is_added = numbered.are_runs ? trace::add_run(job, std::move(process.rank), files[place.file].strings)
                                            : trace::add_rank(job, std::move(process.rank), files[place.file].strings);
    if (!is_added)
      return Error{"it was recorded more than 26 days away from the other files", paths[place.file], Error::kNoOffset,
                   "do the files belong to one job?"};
    nccl.push_back(std::move(process.nccl));
  }
  match::add_communication(nccl, "nccl", job);
  return job;
}

}  // namespace orrery::nsys
