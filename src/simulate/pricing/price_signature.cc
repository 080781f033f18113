#include "simulate/pricing/price_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <tuple>
#include <vector>

#include "base/content_hash.h"

namespace orrery::simulate {
namespace {

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint64_t hash_of(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.xxh3();
}

/// One kind of link, and how heavily an operation loads it.
using LinkKind = std::tuple<double, double, TimePs>;  // weight, bytes per second, latency

}  // namespace

std::uint64_t topology_epoch(const machine::Network& network) {
  ContentHash hash;
  for (const machine::Link& link : network.links()) {
    hash.add(bytes_of(link.from));
    hash.add(bytes_of(link.to));
    hash.add(bytes_of(link.bytes_per_second));
    hash.add(bytes_of(link.latency_ps));
  }
  return hash.xxh3();
}

PriceSignatures::PriceSignatures(const machine::Machine& machine, Lowering& lowering, std::string_view model)
    : machine_(machine), lowering_(lowering), prefix_(fmt::format("{}\n{:016x}\n", model, topology_epoch(lowering.network()))) {}

/// The rank's coordinates by names that do not depend on which ring position or port was first.
void PriceSignatures::add_place(std::uint32_t rank) {
  std::int64_t rest = rank;
  for (std::size_t d = 0; d < machine_.network.size(); ++d) {
    const machine::Dimension& dimension = machine_.network[d];
    const std::int64_t coordinate = rest % dimension.size;
    rest /= dimension.size;
    std::vector<std::int64_t>& seen = seen_[d];
    const auto known = std::find(seen.begin(), seen.end(), coordinate);
    const std::int64_t order = known - seen.begin();
    if (known == seen.end()) seen.push_back(coordinate);
    std::int64_t name = coordinate;  // of a topology whose places are not alike
    if (dimension.topology == machine::Topology::ring) name = (coordinate - seen[0] + dimension.size) % dimension.size;
    if (dimension.topology == machine::Topology::switched || dimension.topology == machine::Topology::fully_connected) name = order;
    text_ += fmt::format("{},", name);
  }
  text_ += ' ';
}

Status PriceSignatures::add_usage(const CommOp& op) {
  const auto plan = lowering_.plan(op);
  if (!plan) return plan.error();
  text_ += fmt::format("{} {}\n", to_string((*plan)->algorithm), (*plan)->launch_ps);
  const std::span<const machine::Link> links = lowering_.network().links();
  for (const PlanPhase& phase : (*plan)->phases) {
    std::vector<LinkKind> kinds;
    for (const LinkShare& share : phase.shares)
      kinds.emplace_back(share.weight, links[share.link].bytes_per_second, links[share.link].latency_ps);
    std::sort(kinds.begin(), kinds.end());
    text_ += fmt::format("phase {} {} {}:", phase.bytes_per_byte, phase.alpha_ps, phase.steps);
    for (std::size_t i = 0; i < kinds.size();) {
      const std::size_t first = i;
      while (i < kinds.size() && kinds[i] == kinds[first]) ++i;
      text_ += fmt::format(" {}x{}@{}+{}", i - first, std::get<0>(kinds[first]), std::get<1>(kinds[first]), std::get<2>(kinds[first]));
    }
    text_ += '\n';
  }
  return {};
}

Result<std::string> PriceSignatures::of(std::span<const CommOp> ops) {
  seen_.assign(machine_.network.size(), {});
  text_ = prefix_;
  for (const CommOp& op : ops) {
    const bool message = op.kind == CommOp::Kind::message;
    text_ += fmt::format("{} {} {} {}\n", message ? "message" : workload::to_string(op.collective), op.bytes, op.root, op.ranks.size());
    for (const std::uint32_t rank : op.ranks) add_place(rank);
    for (const std::int64_t part : op.parts) text_ += fmt::format("{};", part);
    text_ += '\n';
    if (Status used = add_usage(op); !used) return used.error();
  }
  const CommOp& first = ops[0];
  const std::string_view kind = ops.size() > 1                        ? "set"
                                : first.kind == CommOp::Kind::message ? "message"
                                                                      : workload::to_string(first.collective);
  const std::size_t members = ops.size() > 1 ? ops.size() : first.ranks.size();
  std::int64_t bytes = 0;
  for (const CommOp& op : ops) bytes += op.bytes;
  return fmt::format("{}/{}/{}/{:016x}", kind, bytes, members, hash_of(text_));
}

}  // namespace orrery::simulate
