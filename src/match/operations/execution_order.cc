#include "match/operations/execution_order.h"

#include <map>
#include <utility>

namespace orrery::match {
namespace {

struct Units {
  std::vector<ExecutedUnit> all;
  std::vector<std::uint32_t> of_member;
};

Units make_units(const OperationGraph& graph) {
  const std::size_t width = graph.operations.size();
  Units units;
  units.of_member.resize(graph.members());
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> of_exchange;  // and replica, or 0 for all
  for (std::uint32_t member = 0; member < units.of_member.size(); ++member) {
    const std::uint32_t exchange = graph.operations[member % width].exchange;
    const auto next = static_cast<std::uint32_t>(units.all.size());
    std::uint32_t unit = next;
    if (exchange != OperationGraph::kAlone) {
      const std::size_t replica = graph.exchanges[exchange].of_all_replicas ? 0 : member / width;
      unit = of_exchange.try_emplace({exchange, replica}, next).first->second;
    }
    if (unit == next) units.all.push_back({exchange != OperationGraph::kAlone, {}});
    units.all[unit].members.push_back(member);
    units.of_member[member] = unit;
  }
  return units;
}

}  // namespace

std::optional<std::vector<ExecutedUnit>> find_execution_order(const OperationGraph& graph) {
  const std::size_t width = graph.operations.size();
  Units units = make_units(graph);
  std::vector<std::vector<std::uint32_t>> later(units.all.size());
  std::vector<std::uint32_t> missing(units.all.size(), 0);
  for (std::uint32_t u = 0; u < units.all.size(); ++u) {
    for (const std::uint32_t member : units.all[u].members) {
      const std::size_t first = member / width * width;  // of its replica
      for (const std::uint32_t needed : graph.operations[member % width].needs) {
        const std::uint32_t before = units.of_member[first + needed];
        if (before == u) return std::nullopt;
        later[before].push_back(u);
        ++missing[u];
      }
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t u = 0; u < units.all.size(); ++u) {
    if (missing[u] == 0) order.push_back(u);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t u : later[order[i]]) {
      if (--missing[u] == 0) order.push_back(u);
    }
  }
  if (order.size() != units.all.size()) return std::nullopt;
  std::vector<ExecutedUnit> in_order;
  in_order.reserve(order.size());
  for (const std::uint32_t u : order) in_order.push_back(std::move(units.all[u]));
  return in_order;
}

}  // namespace orrery::match
