#include "simulate/fluid/route_leases.h"

#include <algorithm>
#include <bit>

namespace orrery::simulate {

const LinkShare& RouteLease::share(machine::LinkId link) const {
  return *std::lower_bound(shares.begin(), shares.end(), link,
                           [](const LinkShare& one, machine::LinkId of) { return one.link < of; });
}

bool RouteLease::can_be_of(std::span<const LinkShare> shares) {
  return std::is_sorted(shares.begin(), shares.end(),
                        [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
}

RouteLeases::Number RouteLeases::place(std::span<const LinkShare> shares) {
  leases_.resize(kLeases);
  const std::uint64_t ends = std::uint64_t{shares.front().link} << 32 | shares.back().link;
  const std::uint64_t hash = (ends + shares.size()) * 0x9e3779b97f4a7c15u;  // the golden ratio: Knuth, vol. 3, 6.4
  return static_cast<Number>((hash >> 32) % kLeases);
}

RouteLeases::Number RouteLeases::find(std::span<const LinkShare> shares, RouteNumber route) {
  if (route < found_.size() && found_[route].number != kNone &&
      leases_[found_[route].number].term == found_[route].term)
    return found_[route].number;
  const Number number = place(shares);
  if (!is_of(number, shares)) return kNone;
  if (route == kNoRoute) return number;
  if (route >= found_.size()) found_.resize(std::size_t{route} + 1);
  found_[route] = {number, leases_[number].term};
  return number;
}

bool RouteLeases::is_of(Number number, std::span<const LinkShare> shares) const {
  const std::vector<LinkShare>& leased = leases_[number].shares;
  if (leased.size() != shares.size()) return false;
  // Mostly they are the same, so that nothing is gained by stopping at the first that differs.
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    difference |= leased[i].link ^ shares[i].link;
    difference |= leased[i].flows ^ shares[i].flows;
    difference |= std::bit_cast<std::uint64_t>(leased[i].weight) ^ std::bit_cast<std::uint64_t>(shares[i].weight);
  }
  return difference == 0;
}

}  // namespace orrery::simulate
