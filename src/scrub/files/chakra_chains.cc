#include "scrub/files/chakra_chains.h"

#include <algorithm>

#include "base/protobuf/protobuf_wire.h"
#include "formats/chakra/schema.h"
#include "scrub/files/chakra_attribute.h"

namespace orrery::scrub {
namespace {

FusableNode to_fusable(const chakra::NodeView& view) {
  FusableNode node;
  node.id = view.id;
  node.is_compute = view.type == static_cast<std::uint64_t>(chakra::NodeType::comp);
  node.duration_us = view.duration_micros;
  node.start_us = view.start_time_micros;
  node.needs = view.ctrl_deps;
  node.needs.insert(node.needs.end(), view.data_deps.begin(), view.data_deps.end());
  std::uint64_t host = 0, stream = 0, thread = 0;
  for (const chakra::AttributeView& attribute : view.attributes) {
    const auto value = static_cast<std::uint64_t>(integer_in(attribute).value_or(0));
    if (attribute.name == "is_cpu_op") host = value;
    else if (attribute.name == "stream") stream = value;
    else if (attribute.name == "tid") thread = value;
    else if (attribute.name == "num_ops") node.operations = value;
    else if (attribute.name == "tensor_size") node.bytes = value;
  }
  // A node that is needed both ways waits once.
  std::sort(node.needs.begin(), node.needs.end());
  node.needs.erase(std::unique(node.needs.begin(), node.needs.end()), node.needs.end());
  // Threads and streams are small numbers; others only keep nodes apart or together that need not be.
  node.place = host * 0x9E3779B97F4A7C15u + stream * 0xC2B2AE3D27D4EB4Fu + thread;
  return node;
}

}  // namespace

FusedChains find_chakra_chains(std::string_view bytes) {
  std::vector<FusableNode> nodes;
  chakra::NodeView view;
  RecordReader records(bytes);
  static_cast<void>(records.next());  // the metadata
  for (auto message = records.next(); message; message = records.next()) {
    if (view_node(*message, view)) nodes.push_back(to_fusable(view));
  }
  return find_chains(nodes);
}

}  // namespace orrery::scrub
