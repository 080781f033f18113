#include "simulate/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

// Explanations of single starts, bus bandwidths, and checks that hold for every schedule whoever made it: times in
// order, links that carry what they say, and ranks that do not work longer than they run.

namespace orrery::simulate {

std::string_view to_string(CauseKind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"begin", "dependency", "start",
                                                             "slot",  "turn",       "last arrival"};
  return kNames[static_cast<std::size_t>(kind)];
}

StartCause explain_start(std::uint64_t activity, TimePs start, TimePs begin, const LastDone& done, CauseKind queue,
                         const LastEnd& before) {
  const TimePs ready = std::max(done.at(), begin);
  // Of several reasons at the same moment a dependency is the one to tell: it would hold on any machine.
  if (done.at() == start) return {done.kind(), done.activity(), ready};
  // At time 0 nobody has waited, even if something that takes no time came before it on its communicator.
  if (queue == CauseKind::begin || before.at() != start || start == 0) return {CauseKind::begin, activity, ready};
  return {queue, before.activity(), ready};
}

namespace {

// The share of a collective's bytes that each of n ranks must at least send or receive.
double bus_factor(workload::Collective kind, double n) {
  switch (kind) {
    // A ring sends every byte but its own share twice, once to reduce and once to gather.
    case workload::Collective::all_reduce: return 2 * (n - 1) / n;
    case workload::Collective::all_gather:
    case workload::Collective::reduce_scatter:
    case workload::Collective::all_to_all:
    case workload::Collective::gather:
    case workload::Collective::scatter: return (n - 1) / n;
    case workload::Collective::broadcast:
    case workload::Collective::reduce: return 1;
    case workload::Collective::barrier: return 0;
  }
  return 0;
}

Status check_activities(const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.start_ps.size(); ++i) {
    if (schedule.start_ps[i] >= 0 && schedule.start_ps[i] <= schedule.end_ps[i]) continue;
    return Error{.message =
                     fmt::format("activity {} runs from {} ps to {} ps", i, schedule.start_ps[i], schedule.end_ps[i])};
  }
  return {};
}

Status check_links(const Schedule& schedule) {
  const TimePs makespan = schedule.makespan_ps();
  for (std::size_t i = 0; i < schedule.link_bytes.size(); ++i) {
    const TimePs busy = schedule.link_busy_ps[i];
    // What was carried took time; and no link works longer than the run.
    if (busy >= 0 && busy <= makespan && (schedule.link_bytes[i] == 0 || busy > 0)) continue;
    return Error{.message = fmt::format("link {} carries {} bytes in {} ps of {} ps", i, schedule.link_bytes[i], busy,
                                        makespan)};
  }
  return {};
}

Status check_link_series(const Schedule& schedule) {
  const LinkSeries& series = schedule.link_series;
  if (series.bytes.size() != series.links.size() * LinkSeries::kBins)
    return Error{.message = fmt::format("{} bins of {} links over time", series.bytes.size(), series.links.size())};
  for (std::size_t row = 0; row < series.links.size(); ++row) {
    const std::uint32_t link = series.links[row];
    const std::span<const std::uint64_t> bins = series.of(row);
    const std::uint64_t sum = std::accumulate(bins.begin(), bins.end(), std::uint64_t{0});
    if (link < schedule.link_bytes.size() && sum == schedule.link_bytes[link]) continue;
    return Error{.message = fmt::format("link {} carries {} bytes over time", link, sum)};
  }
  return {};
}

Status check_ranks(const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.ranks.size(); ++i) {
    const RankUse& rank = schedule.ranks[i];
    // Exposed communication is that without computation beside it: so both together fit into the run.
    const bool in_range = rank.compute_ps >= 0 && rank.exposed_ps >= 0 && rank.exposed_ps <= rank.communication_ps &&
                          std::max(rank.communication_ps, rank.compute_ps + rank.exposed_ps) <= rank.finish_ps;
    if (in_range) continue;
    return Error{.message =
                     fmt::format("rank {} computes for {} ps and communicates for {} ps ({} ps exposed) of {} ps", i,
                                 rank.compute_ps, rank.communication_ps, rank.exposed_ps, rank.finish_ps)};
  }
  return {};
}

Status check_collectives(const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.collectives.size(); ++i) {
    const CollectiveUse& use = schedule.collectives[i];
    if (use.first_arrival_ps >= 0 && use.first_arrival_ps <= use.last_arrival_ps && use.last_arrival_ps <= use.end_ps)
      continue;
    return Error{.message = fmt::format("collective {} has arrivals from {} ps to {} ps and ends at {} ps", i,
                                        use.first_arrival_ps, use.last_arrival_ps, use.end_ps)};
  }
  return {};
}

}  // namespace

double bus_bytes_per_second(workload::Collective kind, std::int64_t bytes, std::uint32_t ranks, TimePs elapsed) {
  // A collective of one rank moves nothing.
  if (elapsed <= 0 || ranks < 2) return 0;
  const double seconds = static_cast<double>(elapsed) / static_cast<double>(kPsPerSecond);
  return static_cast<double>(bytes) / seconds * bus_factor(kind, static_cast<double>(ranks));
}

double bus_bytes_per_second(const CollectiveUse& collective) {
  return bus_bytes_per_second(collective.kind, collective.bytes, collective.ranks,
                              // From the last arrival on: waiting for each other is not the network's doing.
                              collective.end_ps - collective.last_arrival_ps);
}

Schedule::Schedule(std::size_t activities, std::size_t links)
    : start_ps(activities, 0),
      end_ps(activities, 0),
      link_bytes(links, 0),
      link_busy_ps(links, 0),
      link_peak_sharing(links, 0) {}

TimePs Schedule::makespan_ps() const {
  // Activities that went to a sink left their ends in what ranks did.
  if (!end_ps.empty()) return *std::max_element(end_ps.begin(), end_ps.end());
  TimePs last = 0;
  for (const RankUse& rank : ranks) last = std::max(last, rank.finish_ps);
  return last;
}

std::vector<std::uint32_t> Schedule::ranks_with_activities(std::size_t rank_count) const {
  // Ranks of one class do the same: only the first of each was simulated.
  if (!class_of_rank.empty()) return {executed_ranks.begin(), executed_ranks.end()};
  std::vector<std::uint32_t> all(rank_count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status Schedule::check() const {
  if (start_ps.size() != end_ps.size())
    return Error{.message = fmt::format("{} starts but {} ends", start_ps.size(), end_ps.size())};
  if (link_bytes.size() != link_busy_ps.size()) {
    return Error{.message =
                     fmt::format("bytes for {} links but busy times for {}", link_bytes.size(), link_busy_ps.size())};
  }
  if (link_bytes.size() != link_peak_sharing.size()) {
    return Error{.message =
                     fmt::format("bytes for {} links but sharing for {}", link_bytes.size(), link_peak_sharing.size())};
  }
  if (Status status = check_activities(*this); !status) return status;
  if (Status status = check_links(*this); !status) return status;
  if (Status status = check_link_series(*this); !status) return status;
  if (Status status = check_ranks(*this); !status) return status;
  return check_collectives(*this);
}

bool operator==(const Schedule& a, const Schedule& b) {
  const auto same = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return same(a.start_ps, b.start_ps) && same(a.end_ps, b.end_ps) && same(a.link_bytes, b.link_bytes) &&
         same(a.link_busy_ps, b.link_busy_ps) && same(a.link_peak_sharing, b.link_peak_sharing) &&
         same(a.link_series.links, b.link_series.links) && same(a.link_series.bytes, b.link_series.bytes) &&
         same(a.ranks, b.ranks) && same(a.collectives, b.collectives) && same(a.causes.kinds, b.causes.kinds) &&
         same(a.causes.activities, b.causes.activities) && same(a.causes.last_places, b.causes.last_places);
}

}  // namespace orrery::simulate
