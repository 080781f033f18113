// The members of a row and the names of its attributes that have columns of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery::pytorch_et {

enum class Field : std::uint8_t {
  // Numbers: attributes; in schema 1.0.1, members of the row.
  record_function,
  forward_parent,
  sequence_number,
  scope,
  thread,
  forward_thread,
  op_schema,
  // Attributes of communication.
  collective_name,
  dtype,
  group_name,
  group_description,
  group_size,
  in_elements,
  out_elements,
  first_global_rank,
  global_rank_stride,
  // Members of a row.
  id,
  name,
  ctrl_deps,
  parent,
  inputs,
  outputs,
  attributes,
  // Members that linking adds.
  ts,
  inclusive_dur,
  exclusive_dur,
  inter_thread_dep,
  sync_dep,
  category,
  phase,
  stream,
  measured_group_name,
  unknown,
};

/// Field::record_function to Field::forward_thread.
inline constexpr std::size_t kNumberFields = 6;

/// Of a key of the row's object, as written.
Field member_field(std::string_view key);
/// Of the name of an element of "attrs", as written.
Field attribute_field(std::string_view name);

}  // namespace orrery::pytorch_et
