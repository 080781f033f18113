#include "motif/fit/mpi_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.h"
#include "match/mpi/mpi_communicators.h"
#include "report/counted.h"

// Call sites of different ranks and runs have to get the same numbers. By their stacks, where recorders have them;
// twins that share a stack are then permuted so that most transitions were seen before. Without stacks, by the longest
// common subsequence of operations in the order of first calls.

namespace orrery::motif::fit {
namespace {
constexpr std::size_t kMostTwins = 6;  // all orders of more would take too long
}

std::uint32_t SiteTable::add(const LocalSite& site) {
  known_.push_back(site);
  return static_cast<std::uint32_t>(known_.size());
}

std::vector<std::uint32_t> SiteTable::place(const std::vector<LocalSite>& sites,
                                            const std::vector<std::size_t>& calls) {
  const bool have_stacks =
      std::none_of(sites.begin(), sites.end(), [](const LocalSite& site) { return site.stack.empty(); });
  // Without stacks a site is told by its operation and by what comes before and behind it in the program.
  std::vector<std::uint32_t> numbers = have_stacks ? by_stack(sites) : align(sites);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> transitions;
  for (std::size_t i = 1; i < calls.size(); ++i) ++transitions[{calls[i - 1], calls[i]}];
  if (have_stacks && !transitions_.empty()) exchange_twins(sites, transitions, numbers);
  for (const auto& [edge, count] : transitions) transitions_.emplace(numbers[edge.first], numbers[edge.second]);
  return numbers;
}

std::vector<std::uint32_t> SiteTable::by_stack(const std::vector<LocalSite>& sites) {
  std::vector<std::uint32_t> numbers;
  for (const LocalSite& site : sites) {
    const auto [found, is_new] = by_stack_.emplace(site.operation + "\n" + site.stack, 0);
    if (is_new) found->second = add(site);
    numbers.push_back(found->second);
  }
  return numbers;
}

/// Twins are numbered so that most transitions are ones that were seen before.
void SiteTable::exchange_twins(const std::vector<LocalSite>& sites,
                               const std::map<std::pair<std::size_t, std::size_t>, std::size_t>& transitions,
                               std::vector<std::uint32_t>& numbers) const {
  const auto unknown = [&] {
    std::size_t count = 0;
    for (const auto& [edge, times] : transitions)
      count += transitions_.contains({numbers[edge.first], numbers[edge.second]}) ? 0 : times;
    return count;
  };
  std::map<std::string, std::vector<std::size_t>> twins;
  for (std::size_t i = 0; i < sites.size(); ++i)
    twins[sites[i].operation + "\n" + sites[i].stack.substr(0, sites[i].stack.find(" #"))].push_back(i);
  std::size_t least = unknown();
  // Groups lean on each other: once one is in place, the next may be told by it.
  for (bool gained = true; gained && least > 0;) {
    gained = false;
    for (const auto& [stack, places] : twins) {
      if (places.size() < 2 || places.size() > kMostTwins) continue;
      std::vector<std::uint32_t> order, best;
      for (const std::size_t place : places) order.push_back(numbers[place]);
      best = order;
      std::sort(order.begin(), order.end());
      do {
        for (std::size_t i = 0; i < places.size(); ++i) numbers[places[i]] = order[i];
        const std::size_t count = unknown();
        if (count >= least) continue;
        least = count;
        best = order;
        gained = true;
      } while (std::next_permutation(order.begin(), order.end()));
      for (std::size_t i = 0; i < places.size(); ++i) numbers[places[i]] = best[i];
    }
  }
}

std::vector<std::uint32_t> SiteTable::align(const std::vector<LocalSite>& sites) {
  const std::size_t rows = sites.size(), columns = order_.size();
  std::vector<std::vector<std::uint32_t>> longest(rows + 1, std::vector<std::uint32_t>(columns + 1, 0));
  const auto same = [&](std::size_t i, std::size_t j) { return sites[i].operation == known_[order_[j] - 1].operation; };
  // The longest common subsequence, from the ends.
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;)
      longest[i][j] = same(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  }
  std::vector<std::uint32_t> numbers, order;
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && same(i, j)) {
      numbers.push_back(order_[j]);
      order.push_back(order_[j]);
      ++i;
      ++j;
    } else if (j == columns || (i < rows && longest[i + 1][j] >= longest[i][j + 1])) {
      // Nobody had this site before: it stands where this rank has it.
      numbers.push_back(add(sites[i++]));
      order.push_back(numbers.back());
    } else {
      order.push_back(order_[j++]);
    }
  }
  order_ = std::move(order);
  return numbers;
}

std::vector<Site> SiteTable::sites() const {
  std::vector<Site> sites;
  for (std::size_t i = 0; i < known_.size(); ++i)
    sites.push_back(
        {.id = static_cast<std::uint32_t>(i + 1), .operation = known_[i].operation, .stack = known_[i].stack});
  return sites;
}

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
  const bool one_row =
      all([&](std::int64_t other) { return static_cast<std::uint64_t>(other) / columns == rank / columns; });
  const bool one_column =
      all([&](std::int64_t other) { return static_cast<std::uint64_t>(other) % columns == rank % columns; });
  // Whole rows and columns alone: a part of one is somebody's own division.
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
    // Where most calls have no duration, what lies between them is no computing time.
    out.compute_is_known = without_duration_ * 2 < out.calls.size();
    return out;
  }

 private:
  [[nodiscard]] Column<std::int64_t> column(Field field) const {
    return rank_.field(field).dense(rank_.event_count(), kMissing);
  }

  /// Which of `found_` each call is at.
  std::vector<std::size_t> local_sites() {
    std::map<std::pair<std::int64_t, std::string>, std::size_t> known;
    std::vector<std::size_t> places;
    for (const EventIndex e : events_) {
      const std::string operation(trace_.name(rank_, e));
      const bool has_stack = stack_[e] != kMissing;
      const auto [found, is_new] =
          known.emplace(std::pair(has_stack ? stack_[e] : number_[e], operation), found_.size());
      if (is_new)
        found_.push_back({operation, has_stack ? std::string(trace_.strings.text(static_cast<StringId>(stack_[e])))
                                               : std::string()});
      places.push_back(found->second);
    }
    return places;
  }

  CallRecord record(std::size_t i) {
    const EventIndex e = events_[i];
    CallRecord call{.bytes = static_cast<double>(std::max<std::int64_t>(bytes_[e], 0)), .peer = peer_[e]};
    if (i > 0) {
      // The recorder's own figure, where it has one.
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

Result<std::vector<RankRun>> mpi_ranks(const trace::Trace& trace, const RunParameters& run, const std::string& name,
                                       SiteTable& sites) {
  const std::uint64_t ranks = trace.ranks.size();
  if (static_cast<double>(ranks) != run.ranks())
    return Error{
        .message = fmt::format("has {} where the manifest says {}", report::counted(ranks, "rank"), run.ranks()),
        .file = name,
        .hint =
            "nodes times ranks_per_node (1 if the manifest has no such column) are the ranks; the traces of all are "
            "needed"};
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
