// What a rank sends and receives in one phase: ring, direct, halving-doubling, double binary tree (docs/ASTRA.md).
#include <algorithm>
#include <bit>

#include "simulate/astra/collectives.h"

namespace orrery::simulate::astra {
namespace {

// At the endpoints of collectives of sub-groups, whatever the system says (docs/ASTRA.md).
constexpr std::int64_t kLocalEndpointNs = 10;
constexpr std::uint32_t kNobody = ~0u;

std::uint32_t log2_of(std::uint32_t n) { return static_cast<std::uint32_t>(std::countr_zero(n)); }

// A complete binary tree over the members but one, numbered in order, below the remaining one as root: the last member
// with the tree as its left child, or, for the second tree, the first with the tree as its right child. Positions of
// the inner tree count from 1.
struct TreePlace {
  std::uint32_t parent, left, right;
};

TreePlace tree_place(std::uint32_t index, std::uint32_t count, bool second) {
  const std::uint32_t shift = second ? 0 : 1;  // member = position - shift
  const std::uint32_t root = second ? 0 : count - 1;
  const std::uint32_t top = count / 2 - shift;  // of the inner tree
  if (index == root) return second ? TreePlace{kNobody, kNobody, top} : TreePlace{kNobody, top, kNobody};
  const std::uint32_t position = index + shift;
  const std::uint32_t height = position & -position;  // leaves are odd
  const std::uint32_t above = (position & ~(height | height << 1)) | height << 1;
  TreePlace place{index == top ? root : above - shift, kNobody, kNobody};
  if (height > 1) {
    place.left = position - height / 2 - shift;
    place.right = position + height / 2 - shift;
  }
  return place;
}

}  // namespace

void Collectives::begin_phase(std::uint32_t number) {
  Stream& stream = streams_[number];
  const Phase& phase = running(stream);
  const std::uint32_t n = phase.members.count;
  stream.free_packets = stream.inserted = stream.sent = stream.received = stream.plain_left = stream.reducing_left = 0;
  stream.toggle = false;
  stream.window = 1;
  switch (phase.algorithm) {
    case Algorithm::ring:
      // An all-to-all round the ring takes a share 1, 2, ... n - 1 hops, one hop per packet.
      stream.sends_left = phase.type == Type::all_reduce   ? 2 * (n - 1)
                          : phase.type == Type::all_to_all ? n * (n - 1) / 2
                                                           : n - 1;
      break;
    case Algorithm::direct:
      stream.sends_left = phase.type == Type::all_reduce ? 2 * (n - 1) : n - 1;
      // A window below 0 is none: all partners at once.
      stream.window = phase.window < 0 ? n - 1 : std::min(static_cast<std::uint32_t>(phase.window), n - 1);
      break;
    case Algorithm::halving_doubling:
      stream.sends_left = phase.type == Type::all_reduce ? 2 * log2_of(n) : log2_of(n);
      break;
    case Algorithm::double_binary_tree: return begin_tree(stream, phase), tree_event(number, false);
  }
  const std::uint32_t window = stream.window;
  for (std::uint32_t i = 0; i < window; ++i) insert_packet(number);
}

Collectives::Packet Collectives::packet(const Phase& phase, std::uint32_t number) {
  const Members& members = phase.members;
  const std::uint32_t n = members.count;
  const bool forward = phase.direction > 0;
  const auto pair_at = [&](std::uint32_t distance, std::int64_t bytes) {
    return forward ? Packet{members.ahead(distance), members.back(distance), bytes}
                   : Packet{members.back(distance), members.ahead(distance), bytes};
  };
  const std::int64_t share = phase.type == Type::all_gather ? phase.bytes : phase.bytes / n;
  if (phase.algorithm == Algorithm::ring) return pair_at(1, share);
  if (phase.algorithm == Algorithm::direct) return pair_at(1 + number % (n - 1), share);
  // Halving-doubling: offsets and sizes follow from the packets before, every halving truncated on its own.
  const bool gathers = phase.type == Type::all_gather;
  std::uint32_t offset = gathers ? n / 2 : 1;
  std::int64_t bytes = gathers ? phase.bytes : phase.bytes / 2;
  bool doubling = gathers;
  for (std::uint32_t i = 0; i < number; ++i) {
    offset = doubling ? offset / 2 : offset * 2;
    bytes = doubling ? bytes * 2 : bytes / 2;
    if (offset == n && phase.type == Type::all_reduce) {
      doubling = true;
      offset /= 2;
      bytes *= 2;
    }
  }
  const std::uint32_t partner = members.rank((members.index ^ offset) % n);
  return {partner, partner, bytes};
}

// A packet passes the endpoint before it can be sent; a received one is reduced there first, by a rule of counting:
// blocks of plain packets, then of reducing ones, and of an all-reduce only every other such pair reduces.
void Collectives::insert_packet(std::uint32_t number) {
  Stream& stream = streams_[number];
  const Phase& phase = running(stream);
  const std::uint32_t n = phase.members.count;
  if (stream.plain_left == 0 && stream.reducing_left == 0) {
    stream.plain_left = stream.window;
    switch (phase.algorithm) {
      case Algorithm::halving_doubling: stream.reducing_left = log2_of(n) - 1; break;
      case Algorithm::direct:
        stream.reducing_left = phase.members.local ? (n - 1) * stream.window : stream.window;
        break;
      default: stream.reducing_left = n - 1; break;
    }
    stream.toggle = !stream.toggle;
  }
  LocalBus::Crossing crossing{.bytes = packet(phase, stream.inserted).bytes};
  if (stream.plain_left > 0) {
    --stream.plain_left;
    crossing.to_network = true;
  } else {
    // What is received goes out again, but for the last of a block.
    crossing.returns = stream.reducing_left > stream.window;
    --stream.reducing_left;
    crossing.reduces = phase.type == Type::reduce_scatter || (phase.type == Type::all_reduce && stream.toggle);
  }
  ++stream.inserted;
  hand_to_endpoint(number, crossing);
}

void Collectives::hand_to_endpoint(std::uint32_t number, const LocalBus::Crossing& packet) {
  const Stream& stream = streams_[number];
  const Phase& phase = running(stream);
  const bool local = phase.members.local && phase.algorithm != Algorithm::double_binary_tree;
  std::int64_t reduction = -1;
  if (packet.reduces) {
    const double bytes_per_second = system_.local_memory_gb_per_s * 1e9;
    // // red(x) of docs/ASTRA.md: cut to whole nanoseconds first, then three times.
    reduction = bytes_per_second > 0
                    ? static_cast<std::int64_t>(static_cast<double>(packet.bytes) / bytes_per_second * 1e9) * 3
                    : 0;
  }
  const Action passed{ActionKind::endpoint_passed, number, 0, reduction};
  // Sub-groups have their own delay, bus or not; and what was worked on at the bus is reduced again behind it, as in
  // ASTRA-sim.
  if (bus_ != nullptr && !local) return bus_->cross(stream.rank, packet, passed);
  ticks_.add(stream.rank, local ? kLocalEndpointNs : system_.endpoint_delay_ns, passed);
}

void Collectives::endpoint_passed(std::uint32_t stream, std::int64_t reduction_ns) {
  if (reduction_ns < 0) return packet_ready(stream);
  ticks_.add(streams_[stream].rank, reduction_ns, {ActionKind::packet_ready, stream});
}

void Collectives::send_packet(std::uint32_t number) {
  Stream& stream = streams_[number];
  if (stream.inserted == stream.sent || stream.sends_left == 0 || stream.free_packets == 0) return;
  const Packet next = packet(running(stream), stream.sent);
  --stream.sends_left;
  ++stream.sent;
  --stream.free_packets;
  const std::uint32_t rank = stream.rank;
  const std::int64_t tag = stream.tag;
  transport_.send(rank, next.to, next.bytes, tag, {});
  transport_.receive(next.from, rank, next.bytes, tag, {ActionKind::packet_received, number});
}

void Collectives::packet_ready(std::uint32_t number) {
  Stream& stream = streams_[number];
  const Phase& phase = running(stream);
  if (phase.algorithm == Algorithm::double_binary_tree) return tree_event(number, false);
  ++stream.free_packets;
  const std::uint32_t others = phase.members.count - 1;
  if (phase.algorithm == Algorithm::direct && phase.type == Type::all_reduce && stream.sends_left <= others) {
    // The second half begins when all shares have been received; then as many go out as have been reduced.
    if (stream.received < others) return;
    for (std::uint32_t i = 0; i < stream.window; ++i) send_packet(number);
  } else {
    send_packet(number);
  }
  if (stream.sends_left == 0 && stream.free_packets == stream.window) advance(number);
}

void Collectives::packet_received(std::uint32_t number) {
  if (running(streams_[number]).algorithm == Algorithm::double_binary_tree) return tree_event(number, true);
  ++streams_[number].received;
  insert_packet(number);
}

void Collectives::begin_tree(Stream& stream, const Phase& phase) {
  const TreePlace place = tree_place(phase.members.index, phase.members.count, phase.second_tree);
  stream.parent = place.parent;
  stream.left = place.left;
  stream.right = place.right;
  stream.tree = TreeState::begin;
  stream.one_reduced = false;
}

void Collectives::tree_send(const Stream& stream, std::uint32_t member) {
  const Phase& phase = running(stream);
  transport_.send(stream.rank, phase.members.rank(member), phase.bytes, stream.tag, {});
}

void Collectives::tree_receive(std::uint32_t number, std::uint32_t member) {
  const Stream& stream = streams_[number];
  const Phase& phase = running(stream);
  transport_.receive(phase.members.rank(member), stream.rank, phase.bytes, stream.tag,
                     {ActionKind::packet_received, number});
}

void Collectives::tree_event(std::uint32_t number, bool received) {
  const Stream& stream = streams_[number];
  if (stream.parent == kNobody) return tree_root(number);
  if (stream.left == kNobody && stream.right == kNobody) return tree_leaf(number);
  tree_inner(number, received);
}

void Collectives::tree_leaf(std::uint32_t number) {
  Stream& stream = streams_[number];
  switch (stream.tree) {
    case TreeState::begin:
      stream.tree = TreeState::send_up;
      return hand_to_endpoint(number, {.bytes = running(stream).bytes, .to_network = true});
    case TreeState::send_up:
      stream.tree = TreeState::wait_parent;
      tree_send(stream, stream.parent);
      return tree_receive(number, stream.parent);
    case TreeState::wait_parent:
      stream.tree = TreeState::end;
      return hand_to_endpoint(number, {.bytes = running(stream).bytes});
    default: return advance(number);
  }
}

void Collectives::tree_inner(std::uint32_t number, bool received) {
  Stream& stream = streams_[number];
  const std::int64_t bytes = running(stream).bytes;
  if (stream.tree == TreeState::begin) {
    stream.tree = TreeState::wait_two;
    tree_receive(number, stream.left);
    return tree_receive(number, stream.right);
  }
  if ((stream.tree == TreeState::wait_two || stream.tree == TreeState::wait_one) && received) {
    const bool is_second = stream.tree == TreeState::wait_one;
    stream.tree = is_second ? TreeState::send_up : TreeState::wait_one;
    return hand_to_endpoint(number, {.bytes = bytes, .reduces = true, .returns = is_second});
  }
  // The first of the two children's shares was reduced: it goes up together with the second.
  if (!stream.one_reduced && !received) {
    stream.one_reduced = true;
    return;
  }
  if (stream.tree == TreeState::send_up) {
    stream.tree = TreeState::wait_parent;
    tree_send(stream, stream.parent);
    return tree_receive(number, stream.parent);
  }
  if (stream.tree == TreeState::wait_parent && received) {
    stream.tree = TreeState::send_down;
    return hand_to_endpoint(number, {.bytes = bytes, .reduces = true, .returns = true});
  }
  if (stream.tree == TreeState::send_down) {
    tree_send(stream, stream.left);
    tree_send(stream, stream.right);
    advance(number);
  }
}

void Collectives::tree_root(std::uint32_t number) {
  Stream& stream = streams_[number];
  const std::uint32_t child = stream.left != kNobody ? stream.left : stream.right;
  if (stream.tree == TreeState::begin) {
    stream.tree = TreeState::wait_one;
    return tree_receive(number, child);
  }
  if (stream.tree == TreeState::wait_one) {
    stream.tree = TreeState::send_down;
    return hand_to_endpoint(number, {.bytes = running(stream).bytes, .reduces = true, .returns = true});
  }
  tree_send(stream, child);
  advance(number);
}

}  // namespace orrery::simulate::astra
