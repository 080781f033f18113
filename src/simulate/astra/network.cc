#include "simulate/astra/network.h"

#include <fmt/format.h>

#include <algorithm>

// Without congestion a delay is hops and bytes of the first dimension in which two ranks differ. With it a message goes
// link by link: a link carries one at a time, others wait in a list that is threaded through the messages, and arrivals
// and free links are events of the queue.

namespace orrery::simulate::astra {

using machine::AstraTopology;

Grid::Grid(const std::vector<machine::AstraDimension>& dimensions) {
  for (const machine::AstraDimension& dimension : dimensions) {
    counts_.push_back(dimension.npus);
    strides_.push_back(ranks_);
    ranks_ *= dimension.npus;
  }
}

std::size_t Grid::first_difference(std::uint32_t a, std::uint32_t b) const {
  for (std::size_t d = 0; d < counts_.size(); ++d) {
    if (a % counts_[d] != b % counts_[d]) return d;
    a /= counts_[d];
    b /= counts_[d];
  }
  return counts_.size();
}

std::int64_t UnawareNetwork::delay_ns(std::uint32_t source, std::uint32_t target, std::int64_t size) {
  const std::size_t d = grid_.first_difference(source, target);
  const machine::AstraDimension& dimension = dimensions_[d];
  std::uint32_t hops = dimension.topology == AstraTopology::switched ? 2 : 1;
  if (dimension.topology == AstraTopology::ring) {
    const std::uint32_t clockwise =
        (grid_.coordinate(target, d) + dimension.npus - grid_.coordinate(source, d)) % dimension.npus;
    hops = std::min(clockwise, dimension.npus - clockwise);
  }
  // Messages of one collective are alike: the division is done once for them.
  if (last_.dimension == d && last_.hops == hops && last_.size == size) return last_.delay;
  const auto delay =
      static_cast<std::int64_t>(hops * dimension.latency_ns + static_cast<double>(size) / dimension.bytes_per_ns());
  last_ = {d, hops, size, delay};
  return delay;
}

AwareNetwork::AwareNetwork(const machine::AstraSystem& system, const Grid& grid, Queue& queue, bool folded)
    : description_(system.dimensions), grid_(grid), queue_(queue), folded_(folded) {
  std::size_t links = 0;
  for (const machine::AstraDimension& dimension : description_) {
    dimensions_.push_back({dimension.topology, links, {}});
    // Per rank: to its two neighbours; to every rank of its dimension; to and from its switch.
    links += std::size_t{grid.ranks()} * (dimension.topology == AstraTopology::fully_connected ? dimension.npus : 2);
  }
  links_.resize(links);
}

AwareNetwork::Step AwareNetwork::next_step(const Message& message) const {
  const std::size_t d = grid_.first_difference(message.at, message.target);
  const Dimension& dimension = dimensions_[d];
  const std::uint32_t n = grid_.count(d), stride = grid_.stride(d);
  const std::uint32_t here = grid_.coordinate(message.at, d), there = grid_.coordinate(message.target, d);
  const std::uint32_t base = message.at - here * stride;
  // Folded, every rank's links are those of the one that is simulated, told apart by distance.
  const std::uint32_t owner = folded_ ? 0 : message.at;
  const auto link = [&](std::uint64_t offset) { return static_cast<std::uint32_t>(dimension.first_link + offset); };
  switch (dimension.topology) {
    case AstraTopology::ring: {
      const std::uint32_t clockwise = (there + n - here) % n;
      const bool back = n - clockwise < clockwise;  // a tie goes clockwise
      const std::uint32_t next = back ? (here + n - 1) % n : (here + 1) % n;
      return {link(std::uint64_t{owner} * 2 + (back ? 1 : 0)), base + next * stride, false};
    }
    case AstraTopology::fully_connected: {
      const std::uint32_t towards = folded_ ? (there + n - here) % n : there;
      return {link(std::uint64_t{owner} * n + towards), base + there * stride, false};
    }
    case AstraTopology::switched: break;
  }
  if (!message.at_switch) return {link(owner), message.at, true};
  const std::uint32_t to = base + there * stride;
  return {link(std::uint64_t{grid_.ranks()} + (folded_ ? 0 : to)), to, false};
}

const LinkTimes& AwareNetwork::times(std::size_t d, std::int64_t size) {
  LinkTimes& last = dimensions_[d].last;
  if (last.size != size) {
    const double transfer = static_cast<double>(size) / description_[d].bytes_per_ns();
    last = {size, static_cast<std::int64_t>(transfer),
            static_cast<std::int64_t>(description_[d].latency_ns + transfer)};
  }
  return last;
}

std::size_t AwareNetwork::dimension_of(std::uint32_t link) const {
  std::size_t d = dimensions_.size() - 1;
  while (link < dimensions_[d].first_link) --d;
  return d;
}

void AwareNetwork::go_on(std::vector<Message>& messages, std::uint32_t number) {
  const std::uint32_t link_number = next_step(messages[number]).link;
  Link& link = links_[link_number];
  link.peak = std::max(link.peak, ++link.waiting);
  if (!link.busy) return transmit(messages, link_number, number);
  messages[number].next = ~0u;
  if (link.head == ~0u) link.head = number;
  else messages[link.tail].next = number;
  link.tail = number;
}

void AwareNetwork::transmit(std::vector<Message>& messages, std::uint32_t link_number, std::uint32_t number) {
  Message& message = messages[number];
  const Step step = next_step(message);
  Link& link = links_[link_number];
  const LinkTimes& time = times(dimension_of(link_number), message.size);
  message.at = step.to;
  message.at_switch = step.to_switch;
  link.busy = true;
  link.bytes += static_cast<std::uint64_t>(message.size);
  link.busy_ns += time.busy_ns;
  if (recorder_ != nullptr) {
    const TimePs now = queue_.now() * kPsPerNs;
    recorder_->add(link_number, now, now + time.busy_ns * kPsPerNs, static_cast<double>(message.size));
  }
  // The arrival comes first: at equal times it is seen before the link is free.
  queue_.push(queue_.now() + time.arrival_ns, {ActionKind::arrival, number, link_number + 1, queue_.now()});
  queue_.push(queue_.now() + time.busy_ns, {ActionKind::link_free, link_number, 0, queue_.now()});
}

void AwareNetwork::link_free(std::vector<Message>& messages, std::uint32_t link_number) {
  Link& link = links_[link_number];
  link.busy = false;
  --link.waiting;
  if (link.head == ~0u) return;
  const std::uint32_t number = link.head;
  link.head = messages[number].next;
  transmit(messages, link_number, number);
}

std::string AwareNetwork::link_name(std::size_t link) const {
  const std::size_t d = dimension_of(static_cast<std::uint32_t>(link));
  const auto offset = static_cast<std::uint32_t>(link - dimensions_[d].first_link);
  const std::uint32_t n = grid_.count(d), stride = grid_.stride(d);
  const auto moved = [&](std::uint32_t rank, std::uint32_t to) {
    return rank - grid_.coordinate(rank, d) * stride + to % n * stride;
  };
  switch (dimensions_[d].topology) {
    case AstraTopology::ring: {
      const std::uint32_t rank = offset / 2, here = grid_.coordinate(rank, d);
      return fmt::format("{} -> {} (dim {})", rank, moved(rank, offset % 2 == 0 ? here + 1 : here + n - 1), d);
    }
    case AstraTopology::fully_connected:
      return fmt::format("{} -> {} (dim {})", offset / n, moved(offset / n, offset % n), d);
    case AstraTopology::switched: break;
  }
  return offset < grid_.ranks() ? fmt::format("{} -> switch (dim {})", offset, d)
                                : fmt::format("switch -> {} (dim {})", offset - grid_.ranks(), d);
}

}  // namespace orrery::simulate::astra
