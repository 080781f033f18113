#include "causal/join/arrival_chains.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace orrery::causal {
namespace {

struct Members {
  explicit Members(std::vector<PartMoments> when) : moments(std::move(when)), everybody(moments.size(), 1) {
    operation.count = static_cast<std::uint32_t>(moments.size());
    for (std::uint32_t r = 0; r < operation.count; ++r) parts.push_back({.rank = r});
  }

  [[nodiscard]] ArrivalChains chains(bool cut_at_end = false) const {
    return chain_arrivals(std::span(&operation, 1), parts, moments, everybody, cut_at_end);
  }

  JobOperation operation;
  std::vector<JobPart> parts;
  std::vector<PartMoments> moments;
  std::vector<std::uint8_t> everybody;
};

/// Each comes one later than the one before it, and stays for `length`.
Members one_after_another(std::uint32_t count, TimePs length) {
  std::vector<PartMoments> moments;
  for (std::uint32_t i = 0; i < count; ++i) moments.push_back({i, i + length});
  return Members(moments);
}

TEST_CASE("few members, members that all meet, and few arrivals need no chain") {
  CHECK(one_after_another(kMostWithoutChains, kMostWithoutChains - 2).chains().hubs.empty());
  CHECK(one_after_another(40, 40).chains().hubs.empty());
  // Three that were gone before the others came.
  std::vector<PartMoments> moments(40, {10, 20});
  std::fill_n(moments.begin(), 3, PartMoments{0, 5});
  CHECK(Members(moments).chains().hubs.empty());
}

TEST_CASE("a rank that takes part twice is told one by one") {
  Members members = one_after_another(40, 20);
  CHECK_FALSE(members.chains().hubs.empty());
  members.parts[7].rank = 6;
  CHECK(members.chains().hubs.empty());
}

TEST_CASE("a hub stands for all who came before the end of those that wait there, in edges linear in the members") {
  CHECK(rc::check([] {
    const auto count = *rc::gen::inRange<std::uint32_t>(kMostWithoutChains + 1, 60);
    std::vector<PartMoments> moments(count);
    for (PartMoments& moment : moments) {
      moment.arrival = *rc::gen::inRange(0, 40);
      moment.end = moment.arrival + *rc::gen::inRange(0, 40);
    }
    Members members(moments);
    for (std::uint8_t& waits : members.everybody) waits = *rc::gen::inRange(0, 8) != 0;
    const bool cut_at_end = *rc::gen::arbitrary<bool>();
    const ArrivalChains chains = members.chains(cut_at_end);
    RC_ASSERT(chains.hubs.size() <= count);
    RC_ASSERT(chains.arrivals.size() <= count);
    for (std::uint32_t p = 0; p < count; ++p) {
      const std::uint32_t hub = chains.find(p);
      if (hub == ArrivalChains::kNoHub) continue;
      RC_ASSERT(members.everybody[p] != 0);
      std::vector<std::uint32_t> told, needed;
      for (std::uint32_t h = hub;; --h) {
        told.insert(told.end(), chains.arrivals.begin() + chains.hubs[h].first,
                    chains.arrivals.begin() + chains.hubs[h].end);
        RC_ASSERT(chains.hubs[h].end > chains.hubs[h].first);
        if (!chains.hubs[h].has_before()) break;
      }
      for (std::uint32_t other = 0; other < count; ++other) {
        const TimePs arrival = moments[other].arrival;
        if (cut_at_end ? arrival < moments[p].end : arrival <= moments[p].end) needed.push_back(other);
      }
      RC_ASSERT(told.size() == chains.hubs[hub].arrived);
      std::sort(told.begin(), told.end());
      RC_ASSERT(told == needed);
    }
  }));
}

}  // namespace
}  // namespace orrery::causal
