// Field numbers and enumerators of Chakra execution traces, as docs/formats/chakra.md and et_def.proto tell them.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::chakra {

namespace metadata_field {
enum : std::uint32_t { version = 1, attr = 2 };
}
/// An attribute of the metadata, ours: how many ranks the job has.
inline constexpr std::string_view kWorldSizeAttribute = "world_size";

namespace node_field {
enum : std::uint32_t {
  id = 1,
  name = 2,
  type = 3,
  ctrl_deps = 4,
  data_deps = 5,
  start_time_micros = 6,
  duration_micros = 7,
  inputs = 8,
  outputs = 9,
  attr = 10
};
}

/// Members of IOInfo.
namespace tensors_field {
enum : std::uint32_t { values = 1, shapes = 2, types = 3 };
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
inline constexpr std::uint64_t kNodeTypes = 8;

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

/// Members of AttributeProto: name, doc_string, then one of the values. A list of a type has the number after the
/// type's.
namespace attribute_field {
enum : std::uint32_t {
  name = 1,
  doc_string = 2,
  double_val = 3,
  double_list = 4,
  float_val = 5,
  float_list = 6,
  int32_val = 7,
  int32_list = 8,
  int64_val = 9,
  int64_list = 10,
  uint32_val = 11,
  uint32_list = 12,
  uint64_val = 13,
  uint64_list = 14,
  sint32_val = 15,
  sint32_list = 16,
  sint64_val = 17,
  sint64_list = 18,
  fixed32_val = 19,
  fixed32_list = 20,
  fixed64_val = 21,
  fixed64_list = 22,
  sfixed32_val = 23,
  sfixed32_list = 24,
  sfixed64_val = 25,
  sfixed64_list = 26,
  bool_val = 27,
  bool_list = 28,
  string_val = 29,
  string_list = 30,
  bytes_val = 31,
  bytes_list = 32
};
}

/// The nodes of 2023-01: an attribute is a field of its own, and there is no metadata record.
namespace flat_field {
enum : std::uint32_t {
  id = 1,
  name = 2,
  type = 3,
  parent = 4,
  tensor_size = 6,
  run_time = 7,
  num_ops = 12,
  comm_type = 13,
  involved_dim = 14,
  communicator_id = 15,
  comm_src = 16,
  comm_dst = 17,
  comm_size = 18,
  comm_tag = 19,
  comm_priority = 20
};
}

/// The nodes of 2023-06 to 2023-09.
namespace typed_field {
enum : std::uint32_t {
  id = 1,
  name = 2,
  type = 3,
  parent = 4,
  inputs = 5,
  input_shapes = 6,
  input_types = 7,
  outputs = 8,
  output_shapes = 9,
  output_types = 10,
  attribute = 11
};
}

/// Attributes of those: the type says which of the further members holds the value, and member 4 + type does.
namespace typed_attribute_field {
enum : std::uint32_t { name = 1, type = 2, doc_string = 3, first_value = 4 };
}

}  // namespace orrery::chakra
