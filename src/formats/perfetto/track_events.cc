// TrackEvents: slices, instants and values of counters on tracks.
#include <bit>
#include <string>

#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/schema.h"
#include "formats/perfetto/trace_builder.h"

namespace orrery::perfetto {
namespace {

constexpr std::int64_t kNsPerUs = 1000;

double as_real(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// The doubles of a repeated field, packed or one by one.
void take_reals(const WireField& field, std::vector<double>& out) {
  if (field.type == WireType::fixed64) return out.push_back(as_real(field.value));
  if (!field.is_bytes()) return;
  for (std::size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
    double value = 0;
    std::memcpy(&value, field.bytes.data() + at, 8);
    out.push_back(value);
  }
}

/// Numbers of arrows: fixed64, also packed; the old ones are varints.
void take_flows(const WireField& field, std::vector<std::uint64_t>& out) {
  if (!field.is_bytes()) return out.push_back(field.value);
  for (std::size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, field.bytes.data() + at, 8);
    out.push_back(value);
  }
}

/// How a phase of Chrome's JSON is called in the newer way. Those with a number of their own need not nest.
struct Phase {
  EventType type = kInstant;
  bool is_async = false;
  bool is_complete = false;
};

Phase phase_of(char phase) {
  switch (phase) {
    case 'B': return {kBegin};
    case 'E': return {kEnd};
    case 'X': return {kBegin, false, true};
    case 'b':
    case 'S': return {kBegin, true};
    case 'e':
    case 'F': return {kEnd, true};
    case 'n':
    case 'T':
    case 'p': return {kInstant, true};
    default: return {kInstant};
  }
}

bool is_wait(std::string_view name) {
  return name == "Stream Wait Event" || name == "Event Sync" || name == "Stream Sync" || name == "Context Sync";
}

}  // namespace

void TraceBuilder::EventRecord::clear() {
  type = 0;
  track.reset();
  name_number.reset();
  name.reset();
  counter.reset();
  delta_us.reset();
  absolute_us.reset();
  legacy = {};
  category_numbers.clear();
  categories.clear();
  annotations.clear();
  flows.clear();
  ending_flows.clear();
  extra_tracks.clear();
  extra_values.clear();
  extra_real_tracks.clear();
  extra_reals.clear();
}

bool TraceBuilder::read_track_event(std::string_view message, EventRecord& record) {
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case event_field::kType: record.type = field.value; break;
      case event_field::kTrack: record.track = field.value; break;
      case event_field::kNameNumber: record.name_number = field.value; break;
      case event_field::kName:
        if (field.is_bytes()) record.name = field.bytes;
        break;
      case event_field::kCategoryNumbers: take_numbers(field, record.category_numbers); break;
      case event_field::kCategory:
        if (field.is_bytes()) record.categories.push_back(field.bytes);
        break;
      case event_field::kAnnotation:
        if (field.is_bytes()) record.annotations.push_back(field.bytes);
        break;
      case event_field::kLegacy:
        if (field.is_bytes()) record.legacy = field.bytes;
        break;
      case event_field::kDeltaUs: record.delta_us = field.integer(); break;
      case event_field::kAbsoluteUs: record.absolute_us = field.integer(); break;
      case event_field::kCounterValue: record.counter = static_cast<double>(field.integer()); break;
      case event_field::kRealValue: record.counter = as_real(field.value); break;
      case event_field::kExtraTracks: take_numbers(field, record.extra_tracks); break;
      case event_field::kExtraValues: take_numbers(field, record.extra_values); break;
      case event_field::kExtraRealTracks: take_numbers(field, record.extra_real_tracks); break;
      case event_field::kExtraReals: take_reals(field, record.extra_reals); break;
      case event_field::kFlows:
      case event_field::kOldFlows: take_flows(field, record.flows); break;
      case event_field::kEndingFlows:
      case event_field::kOldEndingFlows: take_flows(field, record.ending_flows); break;
      default: break;
    }
  }
  return !reader.damaged();
}

TraceBuilder::LegacyRecord TraceBuilder::read_legacy(std::string_view message) {
  LegacyRecord legacy;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case event_field::kPhase: legacy.phase = static_cast<char>(field.value); break;
      case event_field::kDurationUs: legacy.duration_us = field.integer(); break;
      case event_field::kUnscopedId:
      case event_field::kLocalId:
      case event_field::kGlobalId: legacy.id = field.value; break;
      case event_field::kPidOverride: legacy.pid = static_cast<std::int32_t>(field.value); break;
      case event_field::kTidOverride: legacy.tid = field.integer(); break;
      default: break;
    }
  }
  return legacy;
}

void TraceBuilder::add_sample(std::uint64_t track, TimePs time, double value) {
  const TrackTable::Place place = tracks_.place_of(track);
  while (states_.size() <= place) states_.emplace_back();
  states_[place].samples.push_back({time, value});
}

void TraceBuilder::add_extra_counters(const Sequence& sequence, TimePs time) {
  const auto& integers = event_.extra_tracks.empty() ? sequence.extra_tracks : event_.extra_tracks;
  for (std::size_t i = 0; i < event_.extra_values.size() && i < integers.size(); ++i)
    add_sample(integers[i], time, static_cast<double>(static_cast<std::int64_t>(event_.extra_values[i])));
  const auto& reals = event_.extra_real_tracks.empty() ? sequence.extra_real_tracks : event_.extra_real_tracks;
  for (std::size_t i = 0; i < event_.extra_reals.size() && i < reals.size(); ++i)
    add_sample(reals[i], time, event_.extra_reals[i]);
}

// Of several categories the first that has a meaning, else all of them as one text.
StringId TraceBuilder::category_text(Sequence& sequence) {
  const std::size_t count = event_.category_numbers.size() + event_.categories.size();
  if (count == 0) return 0;
  if (count == 1)
    return event_.categories.empty() ? text_of(sequence.categories, event_.category_numbers.front())
                                     : strings_.intern(event_.categories.front());
  std::string all;
  StringId known = 0;
  const auto add = [&](StringId text) {
    const std::string_view category = strings_.text(text);
    if (known == 0 && activity_of(category) != trace::Activity::other) known = text;
    all += (all.empty() ? "" : ",") + std::string(category);
  };
  for (const std::uint64_t number : event_.category_numbers) add(text_of(sequence.categories, number));
  for (const std::string_view text : event_.categories) add(strings_.intern(text));
  return known != 0 ? known : strings_.intern(all);
}

TrackTable::Place TraceBuilder::track_of(const Sequence& sequence, const LegacyRecord& legacy) {
  if (!event_.track && legacy.pid && legacy.tid) return tracks_.thread(*legacy.pid, *legacy.tid);
  return tracks_.place_of(event_.track ? *event_.track : sequence.track.value_or(0));
}

// PyTorch's exporter gives recorded waits no category: their arguments, or their names, tell.
bool TraceBuilder::says_it_waits(trace::EventIndex row, StringId name, const trace::RankTrace& rank) const {
  const auto& records = rank.field(trace::Field::wait_on_record).event;
  return (!records.empty() && records.back() == row) || is_wait(strings_.text(name));
}

trace::EventIndex TraceBuilder::add_row(TrackState& state, Sequence& sequence, TimePs time, char phase) {
  RankPart& part = parts_[state.part];
  const StringId name = event_.name          ? strings_.intern(*event_.name)
                        : event_.name_number ? text_of(sequence.names, *event_.name_number)
                                             : 0;
  const StringId category = state.is_path ? path_category_ : category_text(sequence);
  trace::EventRow row{.start = time, .name = name, .lane = state.lane, .phase = phase};
  row.category = part.category(category);
  row.flags = category == 0 ? 0 : trace::kHasCategory;
  const trace::EventIndex event = append(part, row);
  bool is_sync = false;
  for (const std::string_view annotation : event_.annotations) {
    StringId key = 0;
    const ArgumentValue value = annotations_.read(annotation, sequence, key);
    is_sync |= key == sync_kind_key_;
    part.add_argument(event, key, value);
  }
  if (category == 0 && (is_sync || says_it_waits(event, name, part.rank))) {
    part.rank.category[event] = part.category(sync_category_);
    part.rank.flags[event] |= trace::kHasCategory;
  }
  for (const std::uint64_t flow : event_.flows)
    flow_points_.push_back({flow, time, state.part, state.lane, row.category, false});
  for (const std::uint64_t flow : event_.ending_flows)
    flow_points_.push_back({flow, time, state.part, state.lane, row.category, true});
  return event;
}

void TraceBuilder::add_track_event(std::string_view message, Sequence& sequence, std::optional<TimePs> time) {
  ++ordinal_;
  event_.clear();
  if (!read_track_event(message, event_)) diagnostics_.add(kDamagedPacket, [&] { return position(); });
  const LegacyRecord legacy = event_.legacy.empty() ? LegacyRecord{} : read_legacy(event_.legacy);
  if (!time && (event_.absolute_us || event_.delta_us)) {
    sequence.last_legacy_us = event_.absolute_us ? *event_.absolute_us : sequence.last_legacy_us + *event_.delta_us;
    constexpr std::int64_t kMost = INT64_MAX / kNsPerUs;
    if (sequence.last_legacy_us < kMost && sequence.last_legacy_us > -kMost)
      time = times_.time_of(kMonotonicClock, sequence.last_legacy_us * kNsPerUs);
  }
  if (!time) return diagnostics_.add(kNoTime, [&] { return position(); });
  add_extra_counters(sequence, *time);
  Phase phase{static_cast<EventType>(event_.type)};
  if (event_.type == kNoType) {
    // What brings along values of counters only is no event.
    if (legacy.phase == 0 && !event_.name && !event_.name_number) return;
    phase = phase_of(legacy.phase);
  }
  if (phase.type == kCounter) {
    if (event_.counter) add_sample(event_.track ? *event_.track : sequence.track.value_or(0), *time, *event_.counter);
    return;
  }
  TrackTable::Place place = track_of(sequence, legacy);
  if (phase.is_async && legacy.id) place = tracks_.row_below(place, *legacy.id);
  TrackState& state = state_of(place);
  switch (phase.type) {
    case kEnd: return state.slices.end(*time);
    case kBegin: {
      const trace::EventIndex row = add_row(state, sequence, *time, phase.is_complete ? 'X' : 'B');
      if (!phase.is_complete) return state.slices.begin(*time, row);
      constexpr TimePs kMostUs = trace::kMaxMomentPs / kPsPerUs;
      trace::RankTrace& rank = parts_[state.part].rank;
      const TimePs length = legacy.duration_us < 0 || legacy.duration_us > kMostUs ? 0 : legacy.duration_us * kPsPerUs;
      rank.duration[row] = trace::is_moment(Int128{*time} + length) ? length : 0;
      rank.flags[row] |= trace::kHasDuration;
      return;
    }
    case kState: return state.slices.state(*time, add_row(state, sequence, *time, 'B'));
    default: add_row(state, sequence, *time, 'i');
  }
}

}  // namespace orrery::perfetto
