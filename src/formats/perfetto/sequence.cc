#include "formats/perfetto/sequence.h"

#include "formats/perfetto/schema.h"

namespace orrery::perfetto {
namespace {

/// {1 number, 2 text}, and of kernels 3 the name for people, which counts more.
bool read_text(std::string_view message, std::uint32_t better_field, std::uint64_t& number, std::string_view& text) {
  WireReader reader(message);
  WireField field;
  bool is_better = false;
  while (reader.next(field)) {
    if (field.is(interned_field::kNumber, WireType::varint)) number = field.value;
    if (field.is(interned_field::kText, WireType::bytes) && !is_better) text = field.bytes;
    if (better_field != 0 && field.is(better_field, WireType::bytes) && !field.bytes.empty())
      text = field.bytes, is_better = true;
  }
  return !reader.damaged();
}

/// Categories of PyTorch's profiler for the stages of its exporter, by their names.
std::string_view category_of_stage(std::string_view stage, bool is_compute) {
  if (stage == "Kernel") return "kernel";
  if (stage == "Memcpy") return "gpu_memcpy";
  if (stage == "Memset") return "gpu_memset";
  if (stage == "Annotation") return "gpu_user_annotation";
  if (stage == "EventRecord") return "gpu_event_record";
  if (stage == "HostNode") return "gpu_host_node";
  return is_compute ? "kernel" : kUnknownStage;
}

void read_specification(std::string_view message, Interner& strings,
                        std::unordered_map<std::uint64_t, GpuSpecification>& specifications) {
  constexpr std::uint64_t kCompute = 2;
  std::uint64_t number = 0;
  GpuSpecification specification;
  bool is_compute = false;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(interned_field::kNumber, WireType::varint)) number = field.value;
    if (field.is(interned_field::kText, WireType::bytes)) specification.name = strings.intern(field.bytes);
    if (field.is(interned_field::kSpecificationCategory, WireType::varint)) is_compute = field.value == kCompute;
  }
  specification.category = strings.intern(category_of_stage(strings.text(specification.name), is_compute));
  specifications[number] = specification;
}

void read_counters(std::string_view message, Interner& strings,
                   std::unordered_map<std::uint64_t, GpuCounterNames>& counters) {
  std::uint64_t number = 0;
  GpuCounterNames added;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(interned_field::kNumber, WireType::varint)) number = field.value;
    if (field.is(interned_field::kDescriptor, WireType::bytes)) read_counter_names(field.bytes, strings, added.names);
    if (field.is(interned_field::kDescriptorGpu, WireType::varint)) added.gpu = field.integer();
  }
  counters[number] = std::move(added);
}

}  // namespace

void read_counter_names(std::string_view message, Interner& strings, NumberTable& names) {
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (!field.is(interned_field::kSpecs, WireType::bytes)) continue;
    std::uint64_t id = 0;
    std::string_view name;
    WireReader spec(field.bytes);
    WireField member;
    while (spec.next(member)) {
      if (member.is(interned_field::kSpecId, WireType::varint)) id = member.value;
      if (member.is(interned_field::kSpecName, WireType::bytes)) name = member.bytes;
    }
    names.set(id, strings.intern(name));
  }
}

void take_numbers(const WireField& field, std::vector<std::uint64_t>& out) {
  if (!field.is_bytes()) {
    out.push_back(field.value);
    return;
  }
  const char* p = field.bytes.data();
  const char* const end = p + field.bytes.size();
  for (std::uint64_t value = 0; p != end && take_varint(p, end, value);) out.push_back(value);
}

void Sequence::clear_state() {
  is_lost = false;
  for (NumberTable* const table : {&categories, &names, &keys, &texts, &kernels}) table->clear();
  specifications.clear();
  contexts.clear();
  counters.clear();
  clock.reset();
  track.reset();
  extra_tracks.clear();
  extra_real_tracks.clear();
  last_reading.clear();
}

bool Sequence::add_names(std::string_view message, Interner& strings) {
  WireReader reader(message);
  WireField field;
  const auto add = [&](NumberTable& table, std::uint32_t better_field = 0) {
    std::uint64_t number = 0;
    std::string_view text;
    if (read_text(field.bytes, better_field, number, text)) table.set(number, strings.intern(text));
  };
  while (reader.next(field)) {
    if (!field.is_bytes()) continue;
    switch (field.number) {
      case interned_field::kCategories: add(categories); break;
      case interned_field::kEventNames: add(names); break;
      case interned_field::kKeys: add(keys); break;
      case interned_field::kTexts: add(texts); break;
      case interned_field::kKernels: add(kernels, interned_field::kDemangled); break;
      case interned_field::kSpecifications: read_specification(field.bytes, strings, specifications); break;
      case interned_field::kCounters: read_counters(field.bytes, strings, counters); break;
      case interned_field::kContexts: {
        std::uint64_t number = 0, pid = 0;
        WireReader context(field.bytes);
        WireField member;
        while (context.next(member)) {
          if (member.is(1, WireType::varint)) number = member.value;
          if (member.is(2, WireType::varint)) pid = member.value;
        }
        contexts[number] = static_cast<std::int32_t>(static_cast<std::uint32_t>(pid));
        break;
      }
      default: break;
    }
  }
  return !reader.damaged();
}

void Sequence::set_defaults(std::string_view message) {
  clock.reset();
  track.reset();
  extra_tracks.clear();
  extra_real_tracks.clear();
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(defaults_field::kClock, WireType::varint)) clock = field.value;
    if (!field.is(defaults_field::kTrackEvent, WireType::bytes)) continue;
    WireReader event(field.bytes);
    WireField member;
    while (event.next(member)) {
      if (member.is(defaults_field::kTrack, WireType::varint)) track = member.value;
      if (member.number == defaults_field::kExtraTracks) take_numbers(member, extra_tracks);
      if (member.number == defaults_field::kExtraReals) take_numbers(member, extra_real_tracks);
    }
  }
}

}  // namespace orrery::perfetto
