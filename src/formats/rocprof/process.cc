#include "formats/rocprof/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "formats/rocprof/diagnostics.h"
#include "match/communication.h"
#include "trace/names/numbered_steps.h"
#include "trace/names/range_name.h"
#include "trace/names/rank_numbers.h"

namespace orrery::rocprof {
namespace {

using trace::Activity;
using trace::Field;

constexpr int kStreamRow = 1;  // lanes of devices, whose numbers threads may have, too

/// "Memcpy HtoD" of MEMORY_COPY_HOST_TO_DEVICE, in the words of PyTorch's profiler.
std::string copy_name(std::string_view kind) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"HOST_TO_DEVICE", "HtoD"}, {"DEVICE_TO_HOST", "DtoH"}, {"DEVICE_TO_DEVICE", "DtoD"}, {"HOST_TO_HOST", "HtoH"}};
  for (const auto& [written, name] : kNames) {
    if (kind.ends_with(written)) return fmt::format("Memcpy {}", name);
  }
  return std::string(kind);
}

}  // namespace

ApiKind api_kind(std::string_view kind) {
  if (kind.starts_with("HIP_") || kind.starts_with("HSA_")) return ApiKind::runtime;
  if (kind.starts_with("MARKER_")) return ApiKind::marker;
  if (kind.starts_with("RCCL_")) return ApiKind::library;
  return ApiKind::other;
}

Process::Process(std::int64_t process, std::int64_t base_ns, Interner& strings)
    : number(process), base_ns_(base_ns), strings_(strings), rows_(rank, strings) {
  rank.epoch_unix_ns = base_ns;
}

bool Process::add(Span span, StringId name, trace::LaneIndex lane, std::uint16_t category) {
  std::int64_t start = 0, end = 0;
  return !__builtin_sub_overflow(span.start_ns, base_ns_, &start) &&
         !__builtin_sub_overflow(span.end_ns, base_ns_, &end) && rows_.add(start, end, name, lane, category);
}

trace::LaneIndex Process::stream_lane(const DevicePlace& place) {
  return rows_.lane({.number = place.device}, {.number = place.stream}, kStreamRow);
}

void Process::set_place(const DevicePlace& place) {
  rows_.set(Field::device, place.device);
  rows_.set(Field::stream, place.stream);
  if (place.correlation > 0) rows_.set(Field::correlation, place.correlation);
}

bool Process::add_kernel(Span span, StringId name, const DevicePlace& place) {
  // What fills and copies memory by kernels (__amd_rocclr_fillBuffer, __amd_rocclr_copyBuffer) is a kernel, too.
  if (!add(span, name, stream_lane(place), rows_.category("kernel", Activity::kernel))) return false;
  set_place(place);
  if (is_of_library(name))
    kernels_.push_back({rows_.last(), place.correlation > 0 ? place.correlation : -1, place.stream});
  return true;
}

bool Process::add_copy(Span span, std::string_view kind, std::int64_t bytes, const DevicePlace& place) {
  if (!add(span, strings_.intern(copy_name(kind)), stream_lane(place),
           rows_.category("gpu_memcpy", Activity::memory_copy)))
    return false;
  set_place(place);
  rows_.set(Field::bytes, bytes);
  return true;
}

bool Process::add_call(ApiKind kind, Span span, std::string_view name, std::int64_t thread, std::int64_t correlation,
                       const match::CallArguments& arguments) {
  const trace::LaneIndex lane = rows_.lane({.number = number}, {.number = thread});
  if (kind == ApiKind::marker) {
    const trace::RangeName range = trace::read_range_name(name);
    const std::uint16_t category = range.is_operator ? rows_.category("cpu_op", Activity::cpu_operator)
                                                     : rows_.category("user_annotation", Activity::annotation);
    if (!add(span, strings_.intern(range.name), lane, category)) return false;
    if (range.operation) rows_.set(Field::external_id, *range.operation);
    if (range.sequence) rows_.set(Field::sequence_number, *range.sequence);
    return true;
  }
  const std::uint16_t category = kind == ApiKind::runtime   ? rows_.category("hip_runtime", Activity::runtime_call)
                                 : kind == ApiKind::library ? rows_.category("cpu_op", Activity::cpu_operator)
                                                            : rows_.category("other", Activity::other);
  if (!add(span, strings_.intern(name), lane, category)) return false;
  if (kind == ApiKind::runtime && correlation > 0) rows_.set(Field::correlation, correlation);
  if (kind == ApiKind::library) calls_.push_back({rows_.last(), arguments});
  return true;
}

bool Process::add_instant(std::int64_t at_ns, std::string_view name, std::int64_t thread) {
  std::int64_t at = 0;
  return !__builtin_sub_overflow(at_ns, base_ns_, &at) &&
         rows_.add_instant(at, strings_.intern(name), rows_.lane({.number = number}, {.number = thread}),
                           rows_.category("cpu_instant_event", Activity::other));
}

void Process::set_extents(const std::int64_t (&threads)[3], const std::int64_t (&block)[3]) {
  const auto blocks = [&](int i) { return block[i] > 0 ? threads[i] / block[i] : threads[i]; };
  rows_.set(Field::grid_text, strings_.intern(fmt::format("[{}, {}, {}]", blocks(0), blocks(1), blocks(2))));
  rows_.set(Field::block_text, strings_.intern(fmt::format("[{}, {}, {}]", block[0], block[1], block[2])));
}

void Process::name_thread(std::int64_t thread, std::string_view name) {
  if (!name.empty()) thread_names_.emplace_back(thread, strings_.intern(name));
}

void Process::add_device(std::int64_t device, std::string_view name) {
  rank.source.devices.push_back({device, std::string(name), 0, 0});
}

bool Process::is_of_library(StringId name) {
  if (name >= of_library_.size()) of_library_.resize(name + std::size_t{1}, 2);
  std::uint8_t& known = of_library_[name];
  if (known == 2) known = match::library_kernel(strings_.text(name)) != match::LibraryKernel::none ? 1 : 0;
  return known == 1;
}

void Process::finish() {
  std::set<std::int64_t> used;
  std::vector<std::uint8_t> is_stream(rank.lanes.size(), 0);
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    if (trace::is_device_work(rank.activity(e))) is_stream[rank.lane[e]] = 1;
  }
  for (std::size_t i = 0; i < rank.lanes.size(); ++i) {
    trace::Lane& lane = rank.lanes[i];
    if (is_stream[i] == 0) {
      const auto name = std::find_if(thread_names_.begin(), thread_names_.end(),
                                     [&](const auto& one) { return one.first == lane.thread.number; });
      if (name != thread_names_.end()) lane.thread_name = name->second;
      continue;
    }
    used.insert(lane.process.number);
    lane.process_name = strings_.intern(fmt::format("GPU {}", lane.process.number));
    lane.thread_name = strings_.intern(fmt::format("stream {}", lane.thread.number));
  }
  // A machine has more devices than a process uses.
  std::erase_if(rank.source.devices, [&](const trace::Device& device) { return !used.contains(device.id); });
  rank.source.entries = rank.event_count();
  trace::mark_numbered_steps(strings_, rank);
  library = {match::find_library_works(strings_, rank, calls_, kernels_), match::find_memberships(calls_)};
}

Result<trace::Trace> join(const std::vector<std::string>& paths, std::vector<ReadFile> files,
                          Diagnostics& diagnostics) {
  struct Joined {
    std::size_t file;
    Process* process;
    std::optional<std::int64_t> by_library, by_name;
  };
  std::vector<Joined> all;
  for (std::size_t f = 0; f < files.size(); ++f) {
    diagnostics.merge(files[f].diagnostics);
    auto& processes = files[f].processes;
    std::stable_sort(processes.begin(), processes.end(),
                     [](const auto& a, const auto& b) { return a->number < b->number; });
    for (const std::unique_ptr<Process>& process : processes) {
      all.push_back({f, process.get(), match::told_rank(process->library),
                     processes.size() == 1 ? trace::rank_in_name(paths[f]) : std::nullopt});
    }
  }
  const auto are_told = [&](std::optional<std::int64_t> Joined::*number) {
    std::set<std::int64_t> seen;
    return std::all_of(all.begin(), all.end(), [&](const Joined& one) {
      return one.*number && *(one.*number) >= 0 && seen.insert(*(one.*number)).second;
    });
  };
  const auto number = are_told(&Joined::by_library) ? &Joined::by_library
                      : are_told(&Joined::by_name)  ? &Joined::by_name
                                                    : nullptr;
  if (number == nullptr && all.size() > 1) diagnostics.add(kRanksGuessed, [&] { return paths.front(); });
  const bool all_communicate =
      std::all_of(all.begin(), all.end(), [](const Joined& one) { return !one.process->library.works.empty(); });
  // Files of one process each that never communicate are recordings side by side.
  const bool are_runs = number == nullptr && files.size() > 1 && all.size() == files.size() && !all_communicate;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].process->rank.rank = number == nullptr ? static_cast<std::int64_t>(i) : *(all[i].*number);
    all[i].process->rank.source.is_run = are_runs;
    if (all[i].by_library) all[i].process->rank.source.rank = all[i].by_library;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Joined& a, const Joined& b) { return a.process->rank.rank < b.process->rank.rank; });
  trace::Trace job;
  std::vector<match::LibraryRank> libraries;
  for (Joined& one : all) {
    // Machines that were started months apart count from moments that far apart.
    if (!trace::add_run(job, std::move(one.process->rank), files[one.file].strings))
      return Error{"its times do not fit those of the other files", paths[one.file], Error::kNoOffset,
                   "do the files belong to one job?"};
    libraries.push_back(std::move(one.process->library));
  }
  match::add_communication(libraries, "rccl", job);
  return job;
}

}  // namespace orrery::rocprof
