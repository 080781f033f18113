// What GPUs did: render stages, which is where PyTorch's exporter puts kernels and copies, and counters of the device.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/numbers.h"
#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/schema.h"
#include "formats/perfetto/trace_builder.h"

namespace orrery::perfetto {
namespace {

/// {1 x, 2 y, 3 z} as PyTorch's profiler writes it: [16, 1, 1].
std::string dimensions(std::string_view message) {
  std::array<std::uint64_t, 3> sizes{1, 1, 1};
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is_varint() && field.number >= 1 && field.number <= 3) sizes[field.number - 1] = field.value;
  }
  return fmt::format("[{}, {}, {}]", sizes[0], sizes[1], sizes[2]);
}

/// {1 name, 2 value}
std::pair<std::string_view, std::string_view> read_extra(std::string_view message) {
  std::string_view name, value;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(stage_field::kExtraName, WireType::bytes)) name = field.bytes;
    if (field.is(stage_field::kExtraValue, WireType::bytes)) value = field.bytes;
  }
  return {name, value};
}

struct StageRecord {
  std::uint64_t duration_ns = 0, queue = 0, stage = 0, context = 0, kernel = 0, name_number = 0;
  std::int64_t gpu = 0;
  std::string_view name, launch;
};

bool read_stage(std::string_view message, StageRecord& record,
                std::vector<std::pair<std::string_view, std::string_view>>& extra) {
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case stage_field::kDuration: record.duration_ns = field.value; break;
      case stage_field::kOldQueue:
      case stage_field::kQueue: record.queue = field.value; break;
      case stage_field::kOldStage:
      case stage_field::kStage: record.stage = field.value; break;
      case stage_field::kContext: record.context = field.value; break;
      case stage_field::kGpu: record.gpu = field.integer(); break;
      case stage_field::kKernel: record.kernel = field.value; break;
      case stage_field::kNameNumber: record.name_number = field.value; break;
      case stage_field::kName: record.name = field.is_bytes() ? field.bytes : std::string_view(); break;
      case stage_field::kLaunch: record.launch = field.is_bytes() ? field.bytes : std::string_view(); break;
      case stage_field::kExtra:
        if (field.is_bytes()) extra.push_back(read_extra(field.bytes));
        break;
      default: break;
    }
  }
  return !reader.damaged();
}

}  // namespace

TraceBuilder::QueueLane& TraceBuilder::queue_lane(std::int64_t gpu, std::uint64_t queue, std::uint32_t part,
                                                  std::optional<std::int64_t> stream, StringId name) {
  const auto [at, is_new] = queue_lanes_.try_emplace({part, {gpu, queue}});
  if (!is_new) return at->second;
  // As PyTorch's profiler numbers them: a process per device, a thread per stream. So recorded waits, which are slices
  // of such a thread, lie on the lane of the stream's work.
  const trace::LaneKey process{gpu}, thread{stream.value_or(static_cast<std::int64_t>(queue))};
  at->second = {part, parts_[part].lane(process, thread, strings_.intern("GPU " + std::to_string(gpu)), name)};
  return at->second;
}

void TraceBuilder::add_render_stage(std::string_view message, Sequence& sequence, TimePs time) {
  ++ordinal_;
  StageRecord record;
  stage_extra_.clear();
  if (!read_stage(message, record, stage_extra_)) diagnostics_.add(kDamagedPacket, [&] { return position(); });
  const auto specification = [&](std::uint64_t number) {
    const auto at = sequence.specifications.find(number);
    return at == sequence.specifications.end() ? GpuSpecification{} : at->second;
  };
  const GpuSpecification stage = specification(record.stage);
  const auto context = sequence.contexts.find(record.context);
  const std::uint32_t place =
      part_of_process(context == sequence.contexts.end() ? std::nullopt : std::optional(context->second));
  RankPart& part = parts_[place];
  std::optional<std::int64_t> stream;
  for (const auto& [name, value] : stage_extra_) {
    if (name == "stream id" || name == "stream") stream = parse_number<std::int64_t>(value);
  }
  StringId name = stage.name;
  if (!record.name.empty()) name = strings_.intern(record.name);
  else if (record.name_number != 0) name = text_of(sequence.names, record.name_number);
  else if (record.kernel != 0) name = text_of(sequence.kernels, record.kernel);
  const Int128 length = Int128{record.duration_ns} * kPsPerNs;
  if (!trace::is_moment(time + length)) return diagnostics_.add(kNoTime, [&] { return position(); });
  const QueueLane& lane = queue_lane(record.gpu, record.queue, place, stream, specification(record.queue).name);
  trace::EventRow row{.start = time, .duration = static_cast<TimePs>(length), .name = name, .lane = lane.lane};
  row.category = part.category(stage.category != 0 ? stage.category : strings_.intern(kUnknownStage));
  const trace::EventIndex event = append(part, row);
  for (const auto& [written, text] : stage_extra_) {
    const StringId key = keys_.number_of(written);
    if (keys_.target(key) == ArgumentKeys::kIgnored) continue;
    ArgumentValue value;
    if (const auto number = parse_number<std::int64_t>(text)) value = {ArgumentValue::integer, *number};
    else value = {ArgumentValue::text, 0, 0, strings_.intern(text)};
    part.add_argument(event, key, value);
  }
  part.add_field(event, trace::Field::device, record.gpu);
  part.add_field(event, trace::Field::stream, stream.value_or(static_cast<std::int64_t>(record.queue)));
  if (record.launch.empty()) return;
  WireReader launch(record.launch);
  WireField field;
  while (launch.next(field)) {
    if (!field.is_bytes() || field.number > stage_field::kWorkgroup) continue;
    const StringId key = field.number == stage_field::kGrid ? grid_key_ : block_key_;
    if (keys_.target(key) == ArgumentKeys::kIgnored) continue;
    part.add_argument(event, key, {ArgumentValue::text, 0, 0, strings_.intern(dimensions(field.bytes))});
  }
}

void TraceBuilder::add_gpu_counters(std::string_view message, Sequence& sequence, TimePs time) {
  GpuCounterNames* names = &inline_counters_;
  std::optional<std::int64_t> gpu;
  WireField field;
  for (WireReader reader(message); reader.next(field);) {
    if (field.is(gpu_counter_field::kDescriptorNumber, WireType::varint)) {
      const auto at = sequence.counters.find(field.value);
      if (at != sequence.counters.end()) names = &at->second;
      else diagnostics_.add(kUnknownNumber, [&] { return position(); });
    }
    // Said once, and meant from then on.
    if (field.is(gpu_counter_field::kDescriptor, WireType::bytes))
      read_counter_names(field.bytes, strings_, inline_counters_.names);
    if (field.is(gpu_counter_field::kGpu, WireType::varint)) gpu = field.integer();
  }
  for (WireReader reader(message); reader.next(field);) {
    if (!field.is(gpu_counter_field::kCounters, WireType::bytes)) continue;
    std::uint64_t id = 0;
    std::optional<double> value;
    WireReader counter(field.bytes);
    WireField member;
    while (counter.next(member)) {
      if (member.is(gpu_counter_field::kId, WireType::varint)) id = member.value;
      if (member.is(gpu_counter_field::kInteger, WireType::varint)) value = static_cast<double>(member.integer());
      if (member.is(gpu_counter_field::kReal, WireType::fixed64)) value = std::bit_cast<double>(member.value);
    }
    if (!value) continue;
    const std::uint32_t name = names->names.find(id);
    const StringId text = name == NumberTable::kNone ? strings_.intern("counter " + std::to_string(id)) : name;
    parts_.front().rank.counters.push(gpu.value_or(names->gpu), text, 0, time, *value);
  }
}

}  // namespace orrery::perfetto
