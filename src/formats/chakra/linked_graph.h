// Which rows of a linked trace become nodes of a Chakra graph, of which type, and what they depend on:
// chakra_converter's rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "formats/chakra/schema.h"
#include "trace/host_trace.h"

namespace orrery::chakra {

// Where chakra_converter stops with an exception.

inline Error stop(const trace::HostTrace& trace, std::string why) {
  return {std::move(why),        trace.path, Error::kNoOffset, "chakra_converter stops here", Error::Kind::unusable,
          Remedy::without_compat};
}

inline Error stop_at(const trace::HostTrace& trace, std::size_t row, const std::string& why) {
  Error error = stop(trace, "row " + std::to_string(trace.id[row]) + ": " + why);
  error.offset = trace.object[row].begin;
  return error;
}

/// Ids of the nodes that each row depends on, without repeats. Nearly all have one or two.
class DataDependencies {
 public:
  explicit DataDependencies(std::size_t rows) : few_(rows) {}

  void add(std::uint32_t row, std::uint64_t id);
  [[nodiscard]] std::size_t size(std::uint32_t row) const { return few_[row].count; }
  [[nodiscard]] std::uint64_t get(std::uint32_t row, std::size_t i) const {
    return i < 2 ? few_[row].ids[i] : more_.at(row)[i - 2];
  }

 private:
  struct Few {
    std::uint64_t ids[2] = {0, 0};
    std::uint32_t count = 0;
  };
  std::vector<Few> few_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> more_;
};

struct LinkedGraph {
  explicit LinkedGraph(std::size_t rows)
      : type(rows, NodeType::invalid), has_parent(rows, 0), group_name(rows, 0), data(rows) {}

  Column<NodeType> type;            ///< per row; invalid: it does not become a node
  Column<std::uint8_t> has_parent;  ///< per row: its parent is a control dependency
  Column<StringId> group_name;      ///< per row: its process group; 0: none
  DataDependencies data;
  std::vector<std::uint32_t> converted;  ///< rows that become nodes, by id,
  std::vector<std::uint32_t> nodes;      ///< and those of them that are written
};

/// Work of the device, as opposed to the host: what has a category.
inline bool is_device_row(const trace::HostTrace& trace, std::uint32_t row) {
  return trace.is_linked() && trace.measured[row].category != 0;
}

/// Fails on a dependency that is missing or part of a cycle. No recursion. Time grows with the rows under each thread's
/// row.
Result<LinkedGraph> make_linked_graph(const trace::HostTrace& trace, const Interner& strings);

}  // namespace orrery::chakra
