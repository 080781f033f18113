#include "formats/kineto/event_fields.h"

namespace orrery::kineto {
namespace {

using trace::Field;

struct SlotName {
  std::string_view key;
  Slot slot;
};

constexpr Slot slot_of(Field field) { return static_cast<Slot>(kFirstField + static_cast<int>(field)); }

constexpr SlotName kEventSlots[] = {
    {"ph", kPhase},     {"cat", kCategory}, {"name", kName}, {"pid", kProcess}, {"tid", kThread}, {"ts", kTime},
    {"dur", kDuration}, {"id", kId},        {"args", kArgs}, {"scope", kScope}, {"id2", kId2},
};

/// What the profiler called arguments before, or calls others that go the same way; today's names are in
/// trace::kFields.
constexpr SlotName kOtherArguments[] = {
    {"external id", slot_of(Field::external_id)},  // before 2022
    {"name", kLabel},
    {"labels", kLabel},
    {trace::info(Field::record_function).written, kRecordFunction},
    {"Input Dims", kShapes},
    {"Input dims", kShapes},  // before 2022
    {"Call stack", kStack},
    {"In split size", slot_of(Field::send_counts_text)},  // "[]" unless a collective of unequal parts was asked for
    {"Out split size", slot_of(Field::receive_counts_text)},
};

/// Arguments that PyTorch's profiler does not write, or that are read on request only.
constexpr bool is_read(Field field) {
  if (trace::is_operand(field) || field >= Field::operator_text) return false;
  switch (field) {
    case Field::record_function:
    case Field::step:
    case Field::tracer_clock:
    case Field::module_text:
    case Field::operation_text:
    case Field::pairs_text:
    case Field::receive_tag:
    case Field::receive_bytes:
    case Field::element_bytes:
    case Field::request:
    case Field::callsite:
    case Field::recorded_delta:
    case Field::callsite_text:
    case Field::requests_text:
    case Field::send_counts_text:
    case Field::receive_counts_text: return false;
    default: return true;
  }
}

}  // namespace

Slot event_slot(std::string_view key) {
  for (const SlotName& known : kEventSlots) {
    if (known.key == key) return known.slot;
  }
  return kIgnored;
}

Slot argument_slot(std::string_view key) {
  for (const trace::FieldInfo& known : trace::kFields) {
    if (known.written == key && is_read(known.field)) return slot_of(known.field);
  }
  for (const SlotName& known : kOtherArguments) {
    if (known.key == key) return known.slot;
  }
  return kIgnored;
}

Slot argument_slot(std::string_view key, RequestedArguments requested) {
  if (requested.record_functions && key == trace::info(Field::record_function).written)
    return slot_of(Field::record_function);
  if (requested.operands) {
    if (key == "Input dims") return slot_of(Field::shapes_text);  // before 2022
    for (const trace::FieldInfo& known : trace::kFields) {
      if (known.written == key && trace::is_operand(known.field)) return slot_of(known.field);
    }
  }
  return argument_slot(key);
}

}  // namespace orrery::kineto
