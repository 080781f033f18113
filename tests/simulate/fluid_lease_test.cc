// Routes whose links are kept for the next flow. A network that tells a recorder of every flow keeps none, and is what
// the others are held against.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "simulate/fluid/fluid_network.h"
#include "simulate/link_series.h"

using namespace orrery;
using namespace orrery::simulate;

namespace {

constexpr std::uint32_t kLinksOfLeases = 40;

std::vector<LinkShare> route(std::uint32_t first, std::uint32_t count, std::uint32_t weights) {
  std::vector<LinkShare> shares;
  for (std::uint32_t i = 0; i < count; ++i) shares.push_back({first + i, 1.0 + i % weights});
  return shares;
}

/// Long ones that have links in common or none, of one weight and of several, and short ones across them.
const std::vector<std::vector<LinkShare>>& routes_for_leases() {
  static const std::vector<std::vector<LinkShare>> routes = {route(0, 12, 1),  route(0, 12, 3),  route(12, 15, 2),
                                                             route(20, 20, 1), route(27, 13, 2), route(5, 3, 1),
                                                             route(30, 2, 1)};
  return routes;
}

void check_links(const FluidNetwork& a, const FluidNetwork& b) {
  for (machine::LinkId link = 0; link < kLinksOfLeases; ++link) {
    const LinkTotals first = a.totals(link), second = b.totals(link);
    RC_ASSERT(first.bytes == second.bytes);
    RC_ASSERT(first.busy_ps == second.busy_ps);
    RC_ASSERT(first.peak_flows == second.peak_flows);
    RC_ASSERT(a.count(link).bytes == b.count(link).bytes);
    RC_ASSERT(a.count(link).busy_ps == b.count(link).busy_ps);
  }
}

}  // namespace

TEST_CASE("a lease changes nothing: neither ends nor what links carried") {
  CHECK(rc::check([] {
    const std::vector<double> capacities(kLinksOfLeases, 1e9);
    const std::vector<std::uint64_t> link_bytes(kLinksOfLeases, 1);
    const std::vector<TimePs> link_busy(kLinksOfLeases, 1);
    LinkRecorder recorder(link_bytes, link_busy, kPsPerSecond);
    FluidNetwork plain(capacities, &recorder), leasing(capacities);
    TimePs now = 0;
    std::vector<FluidNetwork::FlowId> finished, finished_leasing;
    for (int step = 0; step < 150; ++step) {
      const auto& shares = routes_for_leases()[*rc::gen::inRange<std::size_t>(0, routes_for_leases().size())];
      const double bytes = 1000.0 / *rc::gen::inRange(1, 4);
      switch (*rc::gen::inRange(0, 5)) {
        case 0: {
          const auto flow = plain.add(bytes, shares, now);
          RC_ASSERT(leasing.add(bytes, shares, now) == flow);
          const auto off = plain.called_off(), off_leasing = leasing.called_off();
          RC_ASSERT(std::equal(off.begin(), off.end(), off_leasing.begin(), off_leasing.end()));
          break;
        }
        case 1: {
          const TimePs begin = now + *rc::gen::inRange<TimePs>(0, 3) * 500'000;
          const auto flow = plain.reserve(bytes, shares, now, begin);
          RC_ASSERT(leasing.reserve(bytes, shares, now, begin) == flow);
          break;
        }
        default: {
          const TimePs next = plain.next_completion();
          RC_ASSERT(leasing.next_completion() == next);
          now = next == kNever ? now + 1 : *rc::gen::inRange(0, 4) == 0 ? now + (next - now) / 2 : next;
          finished.clear();
          finished_leasing.clear();
          plain.advance(now, finished);
          leasing.advance(now, finished_leasing);
          RC_ASSERT(finished == finished_leasing);
          for (const auto flow : finished) RC_ASSERT(plain.bottleneck(flow) == leasing.bottleneck(flow));
        }
      }
      check_links(plain, leasing);
    }
  }));
}
