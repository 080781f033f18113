// A cluster as far as the closed forms need it: the network of one node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

struct Cluster {
  std::string name;
  double node_gb_per_s = 0;  ///< of all its network ports, one direction
  double node_devices = 0;
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Cluster> auto& value) {
  visitor.format("format", "orrery.cluster/1");
  visitor.text("name", value.name);
  visitor.number("node_gb_per_s", value.node_gb_per_s, kConstant);
  visitor.number("node_devices", value.node_devices, kConstant);
}

}  // namespace orrery::llm
