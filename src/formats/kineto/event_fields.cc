#include "formats/kineto/event_fields.h"

namespace orrery::kineto {
namespace {

using trace::Activity;
using trace::Field;

struct SlotName {
  std::string_view key;
  Slot slot;
};

constexpr Slot slot_of(Field field) { return static_cast<Slot>(kFirstField + static_cast<int>(field)); }

constexpr SlotName kEventSlots[] = {
    {"ph", kPhase}, {"cat", kCategory}, {"name", kName}, {"pid", kProcess}, {"tid", kThread},
    {"ts", kTime},  {"dur", kDuration}, {"id", kId},     {"args", kArgs},
};

constexpr SlotName kArgumentSlots[] = {
    {"correlation", slot_of(Field::correlation)},
    {"stream", slot_of(Field::stream)},
    {"device", slot_of(Field::device)},
    {"External id", slot_of(Field::external_id)},
    {"external id", slot_of(Field::external_id)},  // before 2022
    {"wait_on_stream", slot_of(Field::wait_on_stream)},
    {"wait_on_cuda_event_record_corr_id", slot_of(Field::wait_on_record)},
    {"bytes", slot_of(Field::bytes)},
    {"Python id", slot_of(Field::python_id)},
    {"Python parent id", slot_of(Field::python_parent_id)},
    {"Sequence number", slot_of(Field::sequence_number)},
    {"Fwd thread id", slot_of(Field::forward_thread)},
    {"In msg nelems", slot_of(Field::in_elements)},
    {"Out msg nelems", slot_of(Field::out_elements)},
    {"Group size", slot_of(Field::group_size)},
    {"Seq", slot_of(Field::collective_sequence)},
    {"graph node id", slot_of(Field::graph_node)},
    {"Rank", slot_of(Field::group_rank)},
    {"Src Rank", slot_of(Field::source_rank)},
    {"Dst Rank", slot_of(Field::destination_rank)},
    {"Collective name", slot_of(Field::collective_text)},
    {"dtype", slot_of(Field::dtype_text)},
    {"Process Group Name", slot_of(Field::group_name_text)},
    {"Process Group Ranks", slot_of(Field::group_ranks_text)},
    {"memory bandwidth (GB/s)", slot_of(Field::bandwidth_text)},
    {"name", kLabel},
    {"labels", kLabel},
};

struct CategoryName {
  std::string_view text;
  Activity activity;
};

constexpr CategoryName kCategories[] = {
    {"cpu_op", Activity::cpu_operator},
    {"Operator", Activity::cpu_operator},
    {"user_annotation", Activity::annotation},
    {"cpu_instant_event", Activity::other},
    {"python_function", Activity::python},
    {"PythonFunction", Activity::python},
    {"cuda_runtime", Activity::runtime_call},
    {"cuda_driver", Activity::runtime_call},
    {"hip_runtime", Activity::runtime_call},
    {"xpu_runtime", Activity::runtime_call},
    {"privateuse1_runtime", Activity::runtime_call},
    {"Runtime", Activity::runtime_call},
    {"mtia_runtime", Activity::runtime_call},
    {"kernel", Activity::kernel},
    {"Kernel", Activity::kernel},
    {"mtia_ccp_events", Activity::kernel},
    {"collective_comm", Activity::kernel},
    {"gpu_memcpy", Activity::memory_copy},
    {"Memcpy", Activity::memory_copy},
    {"gpu_memset", Activity::memory_set},
    {"Memset", Activity::memory_set},
    {"gpu_user_annotation", Activity::device_annotation},
    {"cuda_sync", Activity::synchronization},
    {"overhead", Activity::overhead},
    {"Trace", Activity::profiler_span},
};

}  // namespace

Slot event_slot(std::string_view key) {
  for (const SlotName& known : kEventSlots) {
    if (known.key == key) return known.slot;
  }
  return kIgnored;
}

bool is_record_function(std::string_view key) { return key == "Record function id"; }

Slot argument_slot(std::string_view key) {
  for (const SlotName& known : kArgumentSlots) {
    if (known.key == key) return known.slot;
  }
  return kIgnored;
}

Activity activity_of(std::string_view category) {
  for (const CategoryName& known : kCategories) {
    if (known.text == category) return known.activity;
  }
  return Activity::other;
}

}  // namespace orrery::kineto
