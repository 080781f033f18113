#include "simulate/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::simulate {

Schedule::Schedule(std::size_t activities, std::size_t links)
    : start_ps(activities, 0), end_ps(activities, 0), link_bytes(links, 0), link_busy_ps(links, 0) {}

TimePs Schedule::makespan_ps() const { return end_ps.empty() ? 0 : *std::max_element(end_ps.begin(), end_ps.end()); }

Status Schedule::check() const {
  if (start_ps.size() != end_ps.size()) return Error{.message = fmt::format("{} starts but {} ends", start_ps.size(), end_ps.size())};
  if (link_bytes.size() != link_busy_ps.size()) {
    return Error{.message = fmt::format("bytes for {} links but busy times for {}", link_bytes.size(), link_busy_ps.size())};
  }
  for (std::size_t i = 0; i < start_ps.size(); ++i) {
    if (start_ps[i] >= 0 && start_ps[i] <= end_ps[i]) continue;
    return Error{.message = fmt::format("activity {} runs from {} ps to {} ps", i, start_ps[i], end_ps[i])};
  }
  const TimePs makespan = makespan_ps();
  for (std::size_t i = 0; i < link_bytes.size(); ++i) {
    const bool busy_in_range = link_busy_ps[i] >= 0 && link_busy_ps[i] <= makespan;
    if (busy_in_range && (link_bytes[i] == 0 || link_busy_ps[i] > 0)) continue;
    return Error{.message = fmt::format("link {} carries {} bytes in {} ps of {} ps", i, link_bytes[i], link_busy_ps[i], makespan)};
  }
  return {};
}

bool operator==(const Schedule& a, const Schedule& b) {
  const auto same = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return same(a.start_ps, b.start_ps) && same(a.end_ps, b.end_ps) && same(a.link_bytes, b.link_bytes) &&
         same(a.link_busy_ps, b.link_busy_ps);
}

}  // namespace orrery::simulate
