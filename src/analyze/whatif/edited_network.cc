#include "analyze/whatif/edited_network.h"

#include <algorithm>
#include <cmath>

namespace orrery::analyze {
namespace {

using Action = EditRule::Action;

constexpr double kLeastBytesPerSecond = 1;

TimePs edited_latency(TimePs latency, const NetworkEdit& edit) {
  if (edit.action == Action::set) return edit.amount;
  if (edit.action == Action::add) return std::max<TimePs>(latency + edit.amount, 0);
  const double scaled = static_cast<double>(latency) * edit.factor;
  return static_cast<TimePs>(std::min(scaled, static_cast<double>(graph::kMaxWeightPs)));
}

void edit_link(const NetworkEdit& edit, machine::Link& link) {
  if (edit.quantity == NetworkEdit::Quantity::latency) {
    link.latency_ps = edited_latency(link.latency_ps, edit);
    return;
  }
  if (link.bytes_per_second <= 0) return;  // it is down, by the machine's faults, and stays so
  const double edited = edit.action == Action::set ? edit.bytes_per_second : link.bytes_per_second * edit.factor;
  link.bytes_per_second = std::max(edited, kLeastBytesPerSecond);
}

}  // namespace

EditedNetwork edit_network(const machine::Network& network, std::span<const NetworkEdit> edits) {
  std::vector<machine::Link> links(network.links().begin(), network.links().end());
  std::vector<std::uint64_t> matched;
  for (const NetworkEdit& edit : edits) {
    matched.push_back(0);
    for (machine::LinkId id = 0; id < links.size(); ++id) {
      // Names are only made where a pattern asks for them: a machine has up to millions of links.
      if (edit.link && !edit.link->matches(network.link_name(id))) continue;
      ++matched.back();
      edit_link(edit, links[id]);
    }
  }
  return {network.with_links(std::move(links)), std::move(matched)};
}

}  // namespace orrery::analyze
