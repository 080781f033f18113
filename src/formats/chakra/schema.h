// Field numbers and enumerators of Chakra execution traces (schema 0.0.4), as docs/formats/chakra.md tells them.
#pragma once

#include <cstdint>

namespace orrery::chakra {

namespace node_field {
enum : std::uint32_t { id = 1, name = 2, type = 3, ctrl_deps = 4, data_deps = 5, start_time_micros = 6, duration_micros = 7, attr = 10 };
}

enum class NodeType : std::int32_t {
  invalid = 0,
  metadata = 1,
  mem_load = 2,
  mem_store = 3,
  comp = 4,
  comm_send = 5,
  comm_recv = 6,
  comm_coll = 7
};

/// The values of Chakra's CollectiveCommType.
namespace comm_type {
enum : std::int64_t {
  all_reduce = 0,
  reduce = 1,
  all_gather = 2,
  gather = 3,
  scatter = 4,
  broadcast = 5,
  all_to_all = 6,
  reduce_scatter = 7,
  reduce_scatter_block = 8,
  barrier = 9
};
}

/// Members of AttributeProto: name, doc_string, then one of the values. A list of a type has the number after the type's.
namespace attribute_field {
enum : std::uint32_t {
  name = 1,
  doc_string = 2,
  double_val = 3,
  float_val = 5,
  int32_val = 7,
  int64_val = 9,
  uint32_val = 11,
  uint64_val = 13,
  sint32_val = 15,
  sint64_val = 17,
  fixed32_val = 19,
  fixed64_val = 21,
  sfixed32_val = 23,
  sfixed64_val = 25,
  bool_val = 27,
  bool_list = 28,
  string_val = 29,
  bytes_val = 31
};
}

}  // namespace orrery::chakra
