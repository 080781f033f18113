#include "formats/otf2/reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "base/numbers.h"
#include "formats/otf2/archive_reader.h"
#include "formats/otf2/diagnostics.h"
#include "match/mpi/mpi_rank.h"
#include "trace/names/rank_numbers.h"

namespace orrery::otf2 {
namespace {

using trace::Field;

/// 3 of "MPI Rank 3".
std::optional<std::int64_t> number_in(const std::string& name) {
  const std::size_t blank = name.find_last_of(" \t");
  return blank == std::string::npos ? std::nullopt
                                    : parse_number<std::int64_t>(std::string_view(name).substr(blank + 1));
}

/// What processes are numbered by: their names if all of them say one, and each another; else their order.
std::vector<std::int64_t> rank_numbers(const std::vector<Process>& processes) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(processes.size());
  for (const Process& process : processes) numbers.push_back(number_in(process.name).value_or(-1));
  const std::set<std::int64_t> distinct(numbers.begin(), numbers.end());
  if (distinct.size() == numbers.size() && *distinct.begin() >= 0) return numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  return numbers;
}

class RankWriter {
 public:
  RankWriter(const Archive& archive, const std::vector<std::int64_t>& numbers, match::MpiRank& rank,
             Diagnostics& diagnostics)
      : archive_(archive), numbers_(numbers), rank_(rank), diagnostics_(diagnostics) {}

  void write(const Process& process) {
    std::uint32_t ordinal = 0;
    for (const Call& call : process.calls) {
      const auto name = archive_.functions.find(call.function);
      rank_.add_call(name == archive_.functions.end() ? std::string_view("MPI") : std::string_view(name->second),
                     call.start, call.end - call.start, 0, {ordinal++, call.position});
      set_arguments(call);
    }
    for (const Region& region : process.regions) add_region(region, ordinal++);
    add_samples(process.samples);
  }

 private:
  void add_region(const Region& region, std::uint32_t ordinal) {
    const auto at = archive_.regions.find(region.region);
    if (at == archive_.regions.end()) return;
    const RegionKind& kind = at->second;
    const auto category = kind.is_of_user       ? category_of("user_annotation", trace::Activity::annotation)
                          : kind.is_of_recorder ? category_of("overhead", trace::Activity::overhead)
                                                : category_of("region", trace::Activity::annotation);
    rank_.trace.append_event({.start = region.start,
                              .duration = region.end - region.start,
                              .name = rank_.intern(kind.name),
                              .lane = lane_of(region.thread),
                              .category = category},
                             {ordinal, region.position});
  }

  [[nodiscard]] std::uint16_t category_of(std::string_view text, trace::Activity activity) {
    std::vector<trace::Category>& all = rank_.trace.categories;
    const StringId id = rank_.intern(text);
    const auto at = std::find_if(all.begin(), all.end(), [&](const trace::Category& one) { return one.text == id; });
    const auto place = static_cast<std::uint16_t>(at - all.begin());
    if (at == all.end()) all.push_back({id, activity});
    return place;
  }

  /// The first thread's lane is that of the calls.
  [[nodiscard]] trace::LaneIndex lane_of(std::uint32_t thread) {
    std::vector<trace::Lane>& lanes = rank_.trace.lanes;
    for (trace::LaneIndex l = 0; l < lanes.size(); ++l) {
      if (lanes[l].thread.number == thread) return l;
    }
    trace::Lane lane = lanes.front();
    lane.thread.number = thread;
    lane.thread_name = rank_.intern("thread " + std::to_string(thread));
    lanes.push_back(lane);
    return static_cast<trace::LaneIndex>(lanes.size() - 1);
  }

  void add_samples(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      const Metric& metric = archive_.metrics.at(sample.metric);
      if (!std::isfinite(sample.value) || !trace::is_moment(sample.time)) continue;
      rank_.trace.counters.push(trace::Counters::kNoDevice, rank_.intern(metric.name),
                                metric.unit.empty() ? 0 : rank_.intern(metric.unit), sample.time, sample.value);
    }
  }

  void set_arguments(const Call& call) {
    const std::vector<std::int64_t> members = members_of(call);
    const auto rank_at = [&](std::uint32_t place) { return place < members.size() ? members[place] : -1; };
    const bool is_all_to_all = rank_.last_function() != nullptr && rank_.last_function()->kind == "all_to_all";
    if (call.bytes) {
      // Of all that goes out, the part of each member: that is what such a call is given.
      const std::uint64_t parts = is_all_to_all && !members.empty() ? members.size() : 1;
      rank_.set(Field::bytes, static_cast<std::int64_t>(std::min(*call.bytes / parts, kMostBytes)));
    }
    if (call.receive_bytes && call.receive_bytes != call.bytes)
      rank_.set(Field::receive_bytes, static_cast<std::int64_t>(std::min(*call.receive_bytes, kMostBytes)));
    if (call.tag) rank_.set(Field::tag, *call.tag);
    if (call.receive_tag) rank_.set(Field::receive_tag, *call.receive_tag);
    if (call.root) rank_.set(Field::group_rank, *call.root);
    if (call.destination)
      rank_.set(Field::destination_rank, call.is_cancelled ? match::kNobody : rank_at(*call.destination));
    if (call.source) rank_.set(Field::source_rank, rank_at(*call.source));
    else if ((call.is_cancelled && !call.destination) || is_receive_of_nobody(call))
      rank_.set(Field::source_rank, match::kNobody);
    if (is_send_to_nobody(call)) rank_.set(Field::destination_rank, match::kNobody);
    if (call.request) rank_.set(Field::request, *call.request);
    if (!call.completed.empty()) rank_.set_text(Field::requests_text, match::list_text(call.completed));
    if (!members.empty()) rank_.set_communicator(*call.communicator, members);
  }

  /// MPI_PROC_NULL leaves no record. A request that nobody completed has none either: then nothing is known.
  [[nodiscard]] bool is_receive_of_nobody(const Call& call) const {
    const match::MpiFunction* const function = rank_.last_function();
    if (function == nullptr || call.source || call.request) return false;
    return function->role == match::MpiRole::receive || function->role == match::MpiRole::send_receive;
  }
  [[nodiscard]] bool is_send_to_nobody(const Call& call) const {
    const match::MpiFunction* const function = rank_.last_function();
    if (function == nullptr || call.destination) return false;
    return function->role == match::MpiRole::send || function->role == match::MpiRole::send_receive;
  }

  [[nodiscard]] std::vector<std::int64_t> members_of(const Call& call) {
    if (!call.communicator) return {};
    const auto at = archive_.communicators.find(*call.communicator);
    if (at == archive_.communicators.end()) {
      diagnostics_.add(kUnknownCommunicator);
      return {};
    }
    std::vector<std::int64_t> members;
    for (const std::size_t process : at->second) members.push_back(numbers_[process]);
    return members;
  }

  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
  const Archive& archive_;
  const std::vector<std::int64_t>& numbers_;
  match::MpiRank& rank_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool is_anchor(std::string_view head) {
  return head.starts_with(
      "\x03"
      "BOTF2");
}

bool is_available() {
#ifdef ORRERY_OTF2
  return true;
#else
  return false;
#endif
}

Result<trace::Trace> read_archive(const std::string& anchor, Diagnostics& diagnostics) {
  const Result<Archive> archive = collect_archive(anchor);
  if (!archive) return archive.error();
  if (archive->processes.empty())
    return Error{"this archive has no process", anchor, Error::kNoOffset, "its location groups are of other types"};
  if (archive->open_calls > 0) diagnostics.add_many(kOpenCall, archive->open_calls, anchor);
  if (archive->stray_records > 0) diagnostics.add_many(kStrayRecord, archive->stray_records, anchor);
  const std::vector<std::int64_t> numbers = rank_numbers(archive->processes);
  const std::int64_t world = *std::max_element(numbers.begin(), numbers.end()) + 1;
  std::vector<std::size_t> order(numbers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(anchor, none);
  trace::Trace job;
  std::vector<match::CommunicatorUses> uses;
  for (const std::size_t p : order) {
    match::MpiRankRead read;
    RankWriter(*archive, numbers, read.rank, diagnostics).write(archive->processes[p]);
    trace::RankTrace& rank = read.rank.trace;
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      if (!trace::is_moment(rank.start[e]) || !trace::is_moment(rank.end(e)))
        return Error{"calls of this archive are more than 26 days apart", anchor};
    }
    rank.rank = numbers[p];
    rank.source.rank = numbers[p];
    rank.source.world_size = world;
    rank.source.path = anchor;
    rank.source.format = "otf2";
    rank.source.file_bytes = none ? 0 : bytes;
    rank.source.text_bytes = rank.source.file_bytes;
    rank.source.entries = rank.event_count();
    rank.source.communicates = true;
    rank.source.properties.emplace_back("otf2_library", '"' + std::string(library_version()) + '"');
    rank.epoch_unix_ns = archive->begin_unix_ns.value_or(0);
    uses.push_back(std::move(read.rank.communicators));
    if (!trace::add_rank(job, std::move(rank), read.strings)) return Error{"its ranks do not share a clock", anchor};
  }
  match::name_communicators(uses, world, job);
  return job;
}

}  // namespace orrery::otf2
