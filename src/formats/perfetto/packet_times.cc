#include "formats/perfetto/packet_times.h"

#include "base/int128.h"
#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/schema.h"
#include "trace/trace.h"

namespace orrery::perfetto {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::int64_t clamped(Int128 value) {
  constexpr Int128 kMost = INT64_MAX;
  return static_cast<std::int64_t>(value > kMost ? kMost : value < -kMost ? -kMost : value);
}

}  // namespace

std::vector<ClockTable::Reading> read_snapshot(std::string_view message, std::uint64_t sequence, ClockUnits& units) {
  std::vector<ClockTable::Reading> readings;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (!field.is(clock_field::kClocks, WireType::bytes)) continue;
    std::uint64_t id = 0, timestamp = 0;
    ClockUnit unit;
    WireReader clock(field.bytes);
    WireField member;
    while (clock.next(member)) {
      if (!member.is_varint()) continue;
      if (member.number == clock_field::kId) id = member.value;
      if (member.number == clock_field::kTimestamp) timestamp = member.value;
      if (member.number == clock_field::kIncremental) unit.is_incremental = member.value != 0;
      if (member.number == clock_field::kMultiplier && member.integer() > 0) unit.ns = member.integer();
    }
    const ClockKey key = clock_key(sequence, id);
    units[key] = unit;
    readings.push_back({key, clamped(Int128{timestamp} * unit.ns)});
  }
  return readings;
}

ClockUnit PacketTimes::unit_of(ClockKey clock) const {
  auto at = units_.find(clock);
  if (at == units_.end() && clock.sequence != 0) at = units_.find({0, clock.id});
  return at == units_.end() ? ClockUnit{} : at->second;
}

void PacketTimes::restart(Sequence& sequence, const std::vector<ClockTable::Reading>& readings) {
  for (const ClockTable::Reading& reading : readings) sequence.last_reading[reading.clock.id] = reading.time_ns;
}

std::optional<TimePs> PacketTimes::since_epoch(std::int64_t common_ns) {
  if (!has_epoch_) {
    has_epoch_ = true;
    epoch_ns_ = (common_ns / kNsPerSecond - (common_ns % kNsPerSecond < 0 ? 1 : 0)) * kNsPerSecond;
  }
  const Int128 time = (Int128{common_ns} - epoch_ns_) * kPsPerNs;
  return trace::is_moment(time) ? std::optional(static_cast<TimePs>(time)) : std::nullopt;
}

std::optional<TimePs> PacketTimes::time_of(std::uint64_t clock, std::int64_t time_ns) {
  const std::optional<std::int64_t> common = clocks_.to_common({0, clock}, time_ns);
  return since_epoch(common.value_or(time_ns));
}

std::optional<TimePs> PacketTimes::time_of(Sequence& sequence, std::optional<std::uint64_t> clock,
                                           std::uint64_t timestamp) {
  const std::uint64_t id = clock ? *clock : sequence.clock.value_or(kBoottimeClock);
  if (id == sequence.cached_clock && timestamp < (std::uint64_t{1} << 62))
    return since_epoch(static_cast<std::int64_t>(timestamp) + sequence.cached_offset_ns);
  const ClockKey key = clock_key(sequence.id, id);
  const ClockUnit unit = unit_of(key);
  std::int64_t reading = clamped(Int128{timestamp} * unit.ns);
  if (unit.is_incremental) {
    std::int64_t& last = sequence.last_reading[id];
    last = reading = clamped(Int128{last} + reading);
  }
  const std::optional<std::int64_t> common = clocks_.to_common(key, reading);
  // Of traces without any snapshot all times are on one clock, whatever it is.
  if (!common && id != kBoottimeClock) diagnostics_.add(kUnknownClock, [&] { return "clock " + std::to_string(id); });
  if (!unit.is_incremental && unit.ns == 1) {
    const std::optional<std::int64_t> offset = common ? clocks_.constant_offset(key) : std::optional<std::int64_t>(0);
    if (offset && (common || id == kBoottimeClock)) sequence.cached_clock = id, sequence.cached_offset_ns = *offset;
  }
  return since_epoch(common.value_or(reading));
}

}  // namespace orrery::perfetto
