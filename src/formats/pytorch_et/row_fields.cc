#include "formats/pytorch_et/row_fields.h"

namespace orrery::pytorch_et {
namespace {

// What attributes and the flat rows of schema 1.0.1 have in common. By length first: one comparison of few bytes
// decides.
Field common_field(std::string_view key) {
  switch (key.size()) {
    case 3: return key == "tid" ? Field::thread : Field::unknown;
    case 5:
      if (key == "rf_id") return Field::record_function;
      return key == "scope" ? Field::scope : Field::unknown;
    case 6:
      if (key == "seq_id") return Field::sequence_number;
      return key == "fw_tid" ? Field::forward_thread : Field::unknown;
    case 9:
      if (key == "fw_parent") return Field::forward_parent;
      return key == "op_schema" ? Field::op_schema : Field::unknown;
    default: return Field::unknown;
  }
}

Field linked_field(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ts") return Field::ts;
      return key == "ph" ? Field::phase : Field::unknown;
    case 3: return key == "cat" ? Field::category : Field::unknown;
    case 6: return key == "stream" ? Field::stream : Field::unknown;
    case 7: return key == "pg_name" ? Field::measured_group_name : Field::unknown;
    case 8: return key == "sync_dep" ? Field::sync_dep : Field::unknown;
    case 13:
      if (key == "inclusive_dur") return Field::inclusive_dur;
      return key == "exclusive_dur" ? Field::exclusive_dur : Field::unknown;
    case 16: return key == "inter_thread_dep" ? Field::inter_thread_dep : Field::unknown;
    default: return Field::unknown;
  }
}

}  // namespace

Field member_field(std::string_view key) {
  if (key == "id") return Field::id;
  if (key == "name") return Field::name;
  if (key == "ctrl_deps") return Field::ctrl_deps;
  if (key == "inputs") return Field::inputs;
  if (key == "outputs") return Field::outputs;
  if (key == "attrs") return Field::attributes;
  if (key == "parent") return Field::parent;
  if (const Field field = common_field(key); field != Field::unknown) return field;
  return linked_field(key);
}

Field attribute_field(std::string_view name) {
  if (const Field field = common_field(name); field != Field::unknown) return field;
  switch (name.size()) {
    case 5: return name == "dtype" ? Field::dtype : Field::unknown;
    case 7:
      if (name == "pg_name") return Field::group_name;
      if (name == "pg_desc") return Field::group_description;
      return name == "pg_size" ? Field::group_size : Field::unknown;
    case 13: return name == "in_msg_nelems" ? Field::in_elements : Field::unknown;
    case 14: return name == "out_msg_nelems" ? Field::out_elements : Field::unknown;
    case 15: return name == "collective_name" ? Field::collective_name : Field::unknown;
    case 17: return name == "global_rank_start" ? Field::first_global_rank : Field::unknown;
    case 18: return name == "global_rank_stride" ? Field::global_rank_stride : Field::unknown;
    default: return Field::unknown;
  }
}

}  // namespace orrery::pytorch_et
