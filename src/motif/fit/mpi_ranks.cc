#include "motif/fit/mpi_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.h"
#include "match/mpi/mpi_communicators.h"
#include "report/counted.h"

namespace orrery::motif::fit {
namespace {

using trace::EventIndex;
using trace::Field;

constexpr std::int64_t kMissing = -1;

double microseconds(TimePs time) { return static_cast<double>(time) / static_cast<double>(kPsPerUs); }

/// What the members of a communicator are to one of them.
Group group_of(const std::vector<std::int64_t>& members, std::uint64_t rank, std::uint64_t ranks) {
  if (members.empty()) return Group::unknown;
  if (members.size() == ranks) return Group::world;
  if (members.size() == 1) return Group::self;
  const std::uint64_t columns = ranks / grid_rows(ranks);
  const auto all = [&](const auto& same) { return std::all_of(members.begin(), members.end(), same); };
  const bool one_row = all([&](std::int64_t other) { return static_cast<std::uint64_t>(other) / columns == rank / columns; });
  const bool one_column = all([&](std::int64_t other) { return static_cast<std::uint64_t>(other) % columns == rank % columns; });
  if (one_row && members.size() == columns) return Group::row;
  if (one_column && members.size() == ranks / columns) return Group::column;
  return Group::unknown;
}

class RankReader {
 public:
  RankReader(const trace::Trace& trace, const trace::RankTrace& rank, std::uint64_t ranks)
      : trace_(trace),
        rank_(rank),
        ranks_(ranks),
        number_(column(Field::callsite)),
        stack_(column(Field::callsite_text)),
        bytes_(column(Field::bytes)),
        peer_(column(Field::destination_rank)),
        members_(column(Field::group_ranks_text)),
        delta_(column(Field::recorded_delta)) {}

  RankRun read(SiteTable& sites) {
    RankRun out;
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (rank_.activity(e) == trace::Activity::mpi_call) events_.push_back(e);
    }
    const std::vector<std::size_t> local = local_sites();
    const std::vector<std::uint32_t> numbers = sites.place(found_, local);
    out.compute_is_known = true;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      CallRecord call = record(i);
      call.site = numbers[local[i]];
      // Without a duration a call is the moment at which it ended: what lies before it says nothing of computing.
      if (i > 0 && rank_.duration[events_[i]] > 0)
        call.compute_us = std::clamp(call.time_us - microseconds(rank_.duration[events_[i]]), 0.0, call.time_us);
      else if (i > 0) ++without_duration_;
      out.calls.push_back(call);
    }
    out.compute_is_known = without_duration_ * 2 < out.calls.size();
    return out;
  }

 private:
  [[nodiscard]] Column<std::int64_t> column(Field field) const { return rank_.field(field).dense(rank_.event_count(), kMissing); }

  /// Which of `found_` each call is at.
  std::vector<std::size_t> local_sites() {
    std::map<std::pair<std::int64_t, std::string>, std::size_t> known;
    std::vector<std::size_t> places;
    for (const EventIndex e : events_) {
      const std::string operation(trace_.name(rank_, e));
      const bool has_stack = stack_[e] != kMissing;
      const auto [found, is_new] = known.emplace(std::pair(has_stack ? stack_[e] : number_[e], operation), found_.size());
      if (is_new)
        found_.push_back({operation, has_stack ? std::string(trace_.strings.text(static_cast<StringId>(stack_[e]))) : std::string()});
      places.push_back(found->second);
    }
    return places;
  }

  CallRecord record(std::size_t i) {
    const EventIndex e = events_[i];
    CallRecord call{.bytes = static_cast<double>(std::max<std::int64_t>(bytes_[e], 0)), .peer = peer_[e]};
    if (i > 0) {
      const TimePs since = delta_[e] != kMissing ? delta_[e] : rank_.end(e) - rank_.end(events_[i - 1]);
      call.time_us = std::max(0.0, microseconds(since));
    }
    if (members_[e] != kMissing) {
      const auto [found, is_new] = groups_.emplace(members_[e], Group::unknown);
      if (is_new)
        found->second = group_of(match::parse_list(trace_.strings.text(static_cast<StringId>(members_[e]))),
                                 static_cast<std::uint64_t>(rank_.rank), ranks_);
      call.group = found->second;
    } else {
      call.group = Group::none;
    }
    return call;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  std::uint64_t ranks_;
  Column<std::int64_t> number_, stack_, bytes_, peer_, members_, delta_;
  std::vector<EventIndex> events_;
  std::vector<LocalSite> found_;
  std::map<std::int64_t, Group> groups_;
  std::size_t without_duration_ = 0;
};

}  // namespace

Result<std::vector<RankRun>> mpi_ranks(const trace::Trace& trace, const RunParameters& run, const std::string& name, SiteTable& sites) {
  const std::uint64_t ranks = trace.ranks.size();
  if (static_cast<double>(ranks) != run.ranks())
    return Error{.message = fmt::format("has {} where the manifest says {}", report::counted(ranks, "rank"), run.ranks()),
                 .file = name,
                 .hint = "nodes times ranks_per_node (1 if the manifest has no such column) are the ranks; the traces of all are needed"};
  std::vector<RankRun> runs;
  for (const trace::RankTrace& rank : trace.ranks) {
    RankRun one = RankReader(trace, rank, ranks).read(sites);
    if (one.calls.empty()) return Error{.message = fmt::format("rank {} has no MPI call", rank.rank), .file = name};
    one.run = run;
    one.name = name;
    one.rank = static_cast<std::uint64_t>(rank.rank);
    one.ranks = ranks;
    runs.push_back(std::move(one));
  }
  return runs;
}

}  // namespace orrery::motif::fit
