// Nodes of a text workload one after the other: what both readings of it are made with.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "workload/program_builder.h"

namespace orrery::astra_text {

/// A node by its id; none: nothing to wait for.
using NodeRef = std::optional<std::uint64_t>;

class NodeWriter {
 public:
  NodeWriter(Interner& strings, std::uint64_t first_id) : strings_(strings), next_id_(first_id) {}

  std::uint64_t compute(const std::string& name, std::int64_t us) {
    return add({.name = strings_.intern(name), .kind = workload::ActivityKind::compute, .duration_ps = us * kPsPerUs});
  }
  std::uint64_t collective(const std::string& name, workload::Activity node) {
    node.name = strings_.intern(name);
    node.kind = workload::ActivityKind::collective;
    node.flags = workload::activity::kHasBytes;
    return add(node);
  }
  /// The node added last waits for these.
  void after(std::initializer_list<NodeRef> nodes) {
    for (const NodeRef& node : nodes) {
      if (node) builder_.depend(*node, workload::Dependency::data);
    }
  }
  void after(const std::vector<std::uint64_t>& nodes) {
    for (const std::uint64_t node : nodes) builder_.depend(node, workload::Dependency::data);
  }
  [[nodiscard]] std::uint64_t next_id() const { return next_id_; }
  Result<workload::Program> finish() && { return std::move(builder_).build(); }

 private:
  std::uint64_t add(workload::Activity node) {
    node.id = next_id_++;
    builder_.add(node);
    return node.id;
  }

  Interner& strings_;
  std::uint64_t next_id_;
  workload::ProgramBuilder builder_;
};

}  // namespace orrery::astra_text
