#include "formats/kineto/rank_builder.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "formats/kineto/diagnostics.h"
#include "formats/kineto/limits.h"
#include "formats/kineto/metadata.h"
#include "match/communication.h"
#include "trace/columns.h"
#include "trace/names/category_names.h"

// Per event: times into picoseconds since the epoch, names interned, lane and category looked up in small caches, then
// one row in the columns, and arguments as sparse columns. Pairs of B and E are joined by a stack per lane. Builders of
// several parts of one file are joined at the end as if one had read it all.

namespace orrery::kineto {
namespace {

using trace::EventIndex;
using trace::LaneIndex;
using trace::LaneKey;

constexpr std::int64_t kUsPerSecond = 1'000'000;

bool is_known_phase(char phase) {
  return phase != '\0' && std::string_view("XBEiIRCbneSTpFstfMNODPcvV(),").find(phase) != std::string_view::npos;
}

// False if it does not fit TimePs.
bool to_ps(std::int64_t whole_us, const Decimal& us, TimePs& out) {
  if (whole_us > kMaxUs || whole_us < -kMaxUs) return false;
  constexpr std::int64_t kUnitsPerPs = 1'000'000;  // the fraction counts 10^-12 of a microsecond
  out = whole_us * kPsPerUs + us.fraction_e12 / kUnitsPerPs;
  return true;
}

bool has_digits_below_ps(const Decimal& us) { return !us.is_exact || us.fraction_e12 % 1'000'000 != 0; }

// Most names end the question at their first byte.
bool may_communicate(std::string_view name) {
  if (name.empty()) return false;
  if (name[0] == 'c') return match::is_call_of_communication(name);  // not cudaLaunchKernel
  // gloo:, mpi:, ucc: (the works of hosts): their first letters.
  return (name[0] == 'g' || name[0] == 'm' || name[0] == 'u') && match::is_host_communication(name);
}

std::string plain(RawText text) { return text.escaped ? unescape_json(text.view) : std::string(text.view); }

// trace::kRowClass of a row of so many bytes. The shortest rows have some 128; those from 4 KiB on are alike, since
// what recorders take per byte no longer counts beside what such operators do.
std::uint8_t row_class_of(std::size_t bytes) {
  constexpr std::size_t kLongest = 4096;
  constexpr int kBelowShortest = 3 * 7 - 1;
  const std::size_t capped = std::min(bytes, kLongest);
  // Thirds of an octave are octaves of the cube, which integers tell exactly.
  const int thirds = static_cast<int>(std::bit_width(capped * capped * capped)) - 1;
  return static_cast<std::uint8_t>(std::clamp(thirds - kBelowShortest, 1, 15) << 4);
}

/// Of a text's length and eight bytes each of its begin, middle and end: names of kernels differ in any of them alone.
std::size_t recent_place(std::string_view text) {
  std::uint64_t begin = 0, middle = 0, end = 0;
  if (text.size() >= 8) {
    std::memcpy(&begin, text.data(), 8);
    std::memcpy(&middle, text.data() + text.size() / 2 - 4, 8);
    std::memcpy(&end, text.data() + text.size() - 8, 8);
  } else {
    std::memcpy(&begin, text.data(), text.size());
  }
  const std::uint64_t mixed = (begin ^ text.size()) * 0x9E3779B97F4A7C15u ^ (middle ^ end << 1) * 0xC2B2AE3D27D4EB4Fu;
  return static_cast<std::size_t>(mixed >> 54);
}

}  // namespace

// Flows are joined by their id, which may be a text ("0x1f") and may be quoted in one place and not in another.
std::int64_t RankBuilder::flow_id(const RawKey& id) {
  if (id.kind == RawKey::integer) return id.number;
  if (id.kind == RawKey::absent) return -1;
  const std::string text = plain(id.text);
  std::int64_t number = 0;
  if (parse_quoted_integer(text, number)) return number;
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()) | std::uint64_t{1} << 63);
}

std::string RankBuilder::position(std::uint64_t offset) const {
  return rank_.source.path + ": byte " + std::to_string(offset);
}

bool RankBuilder::take_times(const EventRecord& record, TimePs& start, TimePs& duration, std::uint64_t offset) {
  const Decimal& us = record.time;
  if (!us.in_range ||
      (record.has_duration && (!record.duration.in_range || !to_ps(record.duration.whole, record.duration, duration))))
    return false;
  std::int64_t epoch_us = epoch_us_;
  if (!has_epoch_) {
    // A whole second at or before the first event: close enough for TimePs, and the same in every part of the file that
    // starts here.
    // Rounded down, also below zero: parts must agree on the epoch, and no event may lie before it.
    epoch_us = (us.whole / kUsPerSecond - (us.whole % kUsPerSecond < 0 ? 1 : 0)) * kUsPerSecond;
    if (epoch_us > kMaxUnixNs / 1000 || epoch_us < -kMaxUnixNs / 1000) return false;
  }
  // |start| and |duration| are below 2^63 and the first is looked at before they are added.
  if (!to_ps(us.whole - epoch_us, us, start) || !trace::is_moment(start) ||
      // Start and end both have to be moments; the sum itself is never formed before that is known.
      (duration > 0 ? duration > trace::kMaxMomentPs - start : duration < -trace::kMaxMomentPs - start)) {
    left_out_by_epoch_ = true;
    return false;
  }
  if (!has_epoch_) {
    has_epoch_ = true;
    epoch_us_ = epoch_us;
    rank_.epoch_unix_ns = epoch_us * 1000;
  }
  if (has_digits_below_ps(us) || (record.has_duration && has_digits_below_ps(record.duration)))
    diagnostics_.add(kSubPicosecond, [&] { return position(offset); });
  return true;
}

void RankBuilder::on_event(const EventRecord& record, std::string_view text, std::uint64_t offset) {
  trace::SourceInfo& source = rank_.source;
  ++source.entries;
  if (!record.has_time) ++source.events_without_timestamp;
  else if (!record.time.is_integer) source.fractional_timestamps = true;
  if (record.phase == 'M') return add_metadata(record, offset);
  source.has_other_arguments |= record.has_other_arguments;
  recorded_ |= record.recorded;
  if (source.entries == 1) is_plugin_ = NcclPlugin::is_first_category(record.category.view);
  // Its old versions end the list with an empty object.
  if (is_plugin_ && text == "{}") return;
  TimePs start = 0;
  TimePs duration = 0;
  const bool unusable = (record.bad_time && !record.has_time) || (record.bad_duration && !record.has_duration);
  if (unusable || (record.has_time && !take_times(record, start, duration, offset)))
    return diagnostics_.add(kUnusableTime, [&] { return position(offset); });
  if (!record.has_time) return diagnostics_.add(kMissingTime, [&] { return position(offset); });
  std::uint8_t flags = row_class_of(text.size());
  if (record.has_category) flags |= trace::kHasCategory;
  if (record.has_duration) {
    flags |= trace::kHasDuration;
    if (duration < 0) diagnostics_.add(kNegativeDuration, [&] { return position(offset); });
    const EventIndex row = add_row(record, start, duration, flags, offset);
    if (may_communicate(record.name.view)) add_communication(row, record, text);
    return;
  }
  switch (record.phase) {
    case 's':
    case 't':
    case 'f': return add_flow(record, start, offset);
    case 'C': add_counters(record, start, text, offset); break;
    case 'E': return close_pair(lane_of(record, offset), start, offset);
    case 'b':
    case 'S': return begin_async(record, start, flags, text, offset);
    case 'e':
    case 'F': return end_async(record, start, offset);
    case 'n':
    case 'T':
    case 'p': return async_.mark(add_row(record, start, 0, flags, offset));
    case 'B': {
      // An 'E' closes the innermost 'B' of its lane, so that they are a stack.
      const EventIndex row = add_row(record, start, 0, flags, offset);
      open_[rank_.lane[row]].push_back(row);
      return;
    }
    case 'X': diagnostics_.add(kNoDuration, [&] { return position(offset); }); break;
    default:
      if (!is_known_phase(record.phase)) diagnostics_.add(kUnknownPhase, [&] { return position(offset); });
  }
  add_row(record, start, 0, flags, offset);
}

void RankBuilder::on_property(const std::string& key, std::string_view json) {
  if (json.size() <= kMaxPropertyBytes || has_meaning(key)) {
    rank_.source.properties.emplace_back(key, json);
    return;
  }
  // The rows of a linked trace, which has the profiler's events beside them: another reader takes those.
  const bool is_rows = key == "nodes" && saw_property("schema");
  if (!is_rows) diagnostics_.add(kLargeProperty, [&] { return rank_.source.path + ": " + key; });
  large_properties_.push_back(key);
}

bool RankBuilder::saw_property(std::string_view key) const {
  const auto& kept = rank_.source.properties;
  return std::find(large_properties_.begin(), large_properties_.end(), key) != large_properties_.end() ||
         std::any_of(kept.begin(), kept.end(), [&](const auto& property) { return property.first == key; });
}

void RankBuilder::on_trailing_text(std::uint64_t offset) {
  diagnostics_.add(kTrailingText, [&] { return position(offset); });
}

void RankBuilder::on_unusable(std::string_view /*text*/, std::uint64_t offset) {
  ++rank_.source.entries;
  diagnostics_.add(kNotAnObject, [&] { return position(offset); });
}

EventIndex RankBuilder::add_row(const EventRecord& record, TimePs start, TimePs duration, std::uint8_t flags,
                                std::uint64_t offset) {
  first_start_ = std::min(first_start_, start), last_start_ = std::max(last_start_, start);
  const StringId name = intern(record.name, offset);
  const trace::LaneIndex lane = lane_of(record, offset);
  const std::uint16_t category = category_of(record, offset);
  const EventIndex row = rank_.append_event({start, duration, name, lane, category, record.phase, flags},
                                            {static_cast<std::uint32_t>(rank_.source.entries - 1), offset});
  for (std::uint64_t rest = record.present; rest != 0; rest &= rest - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(rest));
    const bool is_text = place >= trace::kIntegerFields;
    // The bits of `present` are the fields that this event has, the lowest first.
    rank_.arguments.known(place).push(
        row, is_text ? intern(record.texts[place - trace::kIntegerFields], offset) : record.numbers[place]);
  }
  return row;
}

void RankBuilder::add_communication(EventIndex row, const EventRecord& record, std::string_view text) {
  using trace::Field;
  // Profilers repeat the annotations of the host on the streams of the device.
  if (rank_.activity(row) != trace::Activity::cpu_operator && rank_.activity(row) != trace::Activity::annotation)
    return;
  const std::string_view name = strings_.text(rank_.name[row]);
  const CommunicationArguments found = communication_.read(name, text);
  const auto push = [&](Field field, std::optional<std::int64_t> value) {
    const bool is_there = (record.present >> static_cast<unsigned>(field) & 1) != 0;
    if (value && !is_there) rank_.field(field).push(row, *value);
  };
  push(Field::in_elements, found.elements);
  push(Field::group_rank, found.peer);
  push(Field::tag, found.tag);
  if (!match::is_host_communication(name)) return;
  if (!found.dtype.empty()) push(Field::dtype_text, strings_.intern(found.dtype));
  push(Field::collective_text, strings_.intern(name.substr(name.find(':') + 1)));
}

// Between the events, so that a trace begins and ends where it did: "ac2g" arrows go from calls to what they launched.
bool RankBuilder::may_leave_out(const EventRecord& record, TimePs time) const {
  return !keeps_launch_arrows_ && time >= first_start_ && time <= last_start_ && record.category.view == "ac2g";
}

void RankBuilder::add_flow(const EventRecord& record, TimePs time, std::uint64_t offset) {
  trace::Flows& flows = rank_.flows;
  // Lanes and categories that nothing else has are there, kept or not.
  const trace::LaneIndex lane = lane_of(record, offset);
  const std::uint16_t category = category_of(record, offset);
  if (may_leave_out(record, time)) return;
  flows.id.push_back(flow_id(record.id));
  flows.time.push_back(time);
  flows.lane.push_back(lane);
  flows.category.push_back(category);
  flows.phase.push_back(record.phase);
}

void RankBuilder::add_metadata(const EventRecord& record, std::uint64_t offset) {
  if (record.label.view.empty()) return;
  const std::string kind = plain(record.name);
  const StringId label = intern(record.label, offset);
  if (kind == "process_name") process_names_[key_of(record.process, offset)] = label;
  // Kineto names threads twice, the second time after the executable; the first name says more ("pt_autograd_0").
  else if (kind == "thread_name") {
    StringId& name = rank_.lanes[lane_of(record, offset)].thread_name;
    if (name == 0) name = label;
  }
}

// {"ph": "C", "name": "memory", "pid": 1, "ts": 5, "args": {"used": 7, "free": 9}}
void RankBuilder::add_counters(const EventRecord& record, TimePs time, std::string_view text, std::uint64_t offset) {
  members_.clear();
  if (!list_members(text, members_)) return;
  const StringId name = intern(record.name, offset);
  for (const JsonMember& member : members_) {
    arguments_.clear();
    if (member.key != "args" || !list_members(member.value, arguments_)) continue;
    for (const JsonMember& series : arguments_) {
      const auto value = parse_finite(series.value);
      if (!value) continue;
      // One series alone has nothing to be told apart from.
      const StringId called =
          arguments_.size() == 1 ? name
                                 : strings_.intern(std::string(strings_.text(name)) + ": " + unescape_json(series.key));
      rank_.counters.push(trace::Counters::kNoDevice, called, 0, time, *value);
      counter_processes_.push_back(key_of(record.process, offset));
    }
  }
}

void RankBuilder::tell_counters_apart() {
  std::map<StringId, LaneKey> first;
  std::set<StringId> shared;
  for (std::size_t i = 0; i < counter_processes_.size(); ++i) {
    const StringId name = rank_.counters.name[i];
    if (first.emplace(name, counter_processes_[i]).first->second != counter_processes_[i]) shared.insert(name);
  }
  std::map<std::pair<StringId, LaneKey>, StringId> full;
  for (std::size_t i = 0; i < counter_processes_.size() && !shared.empty(); ++i) {
    StringId& name = rank_.counters.name[i];
    if (!shared.contains(name)) continue;
    const LaneKey process = counter_processes_[i];
    const auto [at, is_new] = full.emplace(std::pair(name, process), 0);
    if (is_new) {
      const auto named = process_names_.find(process);
      at->second = strings_.intern(
          std::string(strings_.text(name)) + " (" +
          (named == process_names_.end() ? to_json(strings_, process) : std::string(strings_.text(named->second))) +
          ")");
    }
    name = at->second;
  }
}

void RankBuilder::close_pair(LaneIndex lane, TimePs end, std::uint64_t offset) {
  auto& open = open_[lane];
  if (open.empty()) return diagnostics_.add(kUnmatchedPair, [&] { return position(offset); });
  const EventIndex row = open.back();
  open.pop_back();
  rank_.duration[row] = end - rank_.start[row];
  if (rank_.duration[row] < 0) diagnostics_.add(kNegativeDuration, [&] { return position(rank_.source_offset[row]); });
  rank_.flags[row] |= trace::kDurationFromPair;
}

bool RankBuilder::absorb(RankBuilder& later) {
  // What is asked of async events depends on all that came before them.
  if (!async_.empty() || !later.async_.empty()) return false;
  if (!open_.empty() || !later.open_.empty() || later.left_out_by_epoch_) return false;
  const std::size_t known = strings_.size();
  if (!trace::append(rank_, strings_, std::move(later.rank_), later.strings_)) return false;
  // A text that both knew keeps the earlier position in the file.
  const auto here = [&](StringId id) { return strings_.find(later.strings_.text(id)); };
  for (const auto& [process, name] : later.process_names_)
    process_names_[{process.number, here(process.text)}] = here(name);
  for (const InvalidText& invalid : later.invalid_texts_) {
    if (const StringId id = here(invalid.text); id >= known) invalid_texts_.push_back({id, invalid.offset});
  }
  for (const LaneKey& process : later.counter_processes_)
    counter_processes_.push_back({process.number, here(process.text)});
  auto& more = later.rank_.source.properties;
  rank_.source.properties.insert(rank_.source.properties.end(), std::make_move_iterator(more.begin()),
                                 std::make_move_iterator(more.end()));
  large_properties_.insert(large_properties_.end(), later.large_properties_.begin(), later.large_properties_.end());
  recorded_ |= later.recorded_;
  diagnostics_.merge(later.diagnostics_);
  return true;
}

void RankBuilder::finish() {
  for (const InvalidText& invalid : invalid_texts_)
    diagnostics_.add(kInvalidUtf8, [&] { return position(invalid.offset); });
  for (auto& [lane, rows] : open_) {
    for (const EventIndex row : rows)
      diagnostics_.add(kUnmatchedPair, [&] { return position(rank_.source_offset[row]); });
    rows.clear();
  }
  tell_counters_apart();
  finish_async();
  for (trace::Lane& lane : rank_.lanes) {
    if (const auto at = process_names_.find(lane.process); at != process_names_.end()) lane.process_name = at->second;
  }
  tell_what_was_recorded();
  move_epoch_to_earliest();
}

// Heads of before 2022 say nothing of how a trace was recorded, and none says that a host trace was recorded beside it.
void RankBuilder::tell_what_was_recorded() {
  const auto& numbers = rank_.field(trace::Field::record_function).value;
  if (std::any_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number != 0; }))
    recorded_ |= kRecordedHostTrace;
  if (!rank_.field(trace::Field::shapes_text).event.empty()) recorded_ |= kRecordedShapes;
  const auto tell = [&](Recorded what, const char* key) {
    if ((recorded_ & what) != 0 && !saw_property(key)) rank_.source.properties.emplace_back(key, "1");
  };
  tell(kRecordedShapes, "record_shapes");
  tell(kRecordedStacks, "with_stack");
  tell(kRecordedHostTrace, "execution_trace");
}

// Until now the epoch was the second of whatever event the file begins with; times that are told to people count from
// it, and must not depend on the order in which a file has its events.
void RankBuilder::move_epoch_to_earliest() {
  if (rank_.start.empty() && rank_.flows.time.empty()) return;
  TimePs earliest = std::numeric_limits<TimePs>::max();
  for (const TimePs time : rank_.start) earliest = std::min(earliest, time);
  for (const TimePs time : rank_.flows.time) earliest = std::min(earliest, time);
  const std::int64_t seconds = earliest / kPsPerSecond - (earliest % kPsPerSecond < 0 ? 1 : 0);
  // Where times lie too far apart to be told from there, they stay as they are.
  if (seconds != 0) static_cast<void>(trace::move_to_epoch(rank_, rank_.epoch_unix_ns + seconds * kUsPerSecond * 1000));
}

StringId RankBuilder::intern(RawText text, std::uint64_t offset) {
  if (text.view.empty()) return 0;
  // Names and grids come again and again: comparing one is cheaper than a hash of all of it.
  StringId& recent = recent_texts_[recent_place(text.view)];
  if (!text.escaped && strings_.text(recent) == text.view) return recent;
  const std::size_t known = strings_.size();
  const StringId id = text.escaped ? strings_.intern(unescape_json(text.view)) : strings_.intern(text.view);
  // Looked at once per text, not per event.
  if (strings_.size() != known && !is_valid_utf8(strings_.text(id))) invalid_texts_.push_back({id, offset});
  return recent = id;
}

LaneKey RankBuilder::key_of(const RawKey& key, std::uint64_t offset) {
  if (key.kind == RawKey::integer) return {key.number, 0};
  if (key.kind == RawKey::absent) return {0, 0};
  return {0, intern(key.text, offset)};  // also a number that does not fit: it still tells lanes apart
}

LaneIndex RankBuilder::lane_of(const EventRecord& record, std::uint64_t offset) {
  const LaneKey process = key_of(record.process, offset);
  const LaneKey thread = key_of(record.thread, offset);
  // Any hash will do: the entry says whether it is the right one.
  const std::uint64_t hash = static_cast<std::uint64_t>(process.number) * 31 +
                             static_cast<std::uint64_t>(thread.number) * 7 + process.text * 5 + thread.text;
  LaneCacheEntry& cached = lane_cache_[(hash ^ hash >> 6) & 63];
  if (cached.lane != ~0u && cached.process == process && cached.thread == thread) return cached.lane;
  const auto [at, is_new] = lanes_.emplace(std::pair(process, thread), static_cast<LaneIndex>(rank_.lanes.size()));
  if (is_new) rank_.lanes.push_back({process, thread});
  cached = {process, thread, at->second};
  return at->second;
}

std::uint16_t RankBuilder::category_of(const EventRecord& record, std::uint64_t offset) {
  const std::string_view text = record.category.view;
  const std::size_t slot =
      text.empty()
          ? 0
          : (text.size() * 7 + static_cast<unsigned char>(text.front()) * 3 + static_cast<unsigned char>(text.back())) &
                63;
  const std::uint16_t guess = category_cache_[slot];
  if (guess < rank_.categories.size() && !record.category.escaped &&
      strings_.text(rank_.categories[guess].text) == text)
    return guess;
  StringId id = intern(record.category, offset);
  auto at = categories_.find(id);
  // No profiler has so many; a file that has is not worth more than 16 bits per event.
  if (at == categories_.end() && rank_.categories.size() >= trace::kMaxCategories) {
    diagnostics_.add(kTooManyCategories, [&] { return position(offset); });
    id = 0;  // the empty text: no category
    at = categories_.find(id);
  }
  if (at == categories_.end()) {
    at = categories_.emplace(id, static_cast<std::uint16_t>(rank_.categories.size())).first;
    rank_.categories.push_back({id, trace::activity_of_category(strings_.text(id))});
  }
  return category_cache_[slot] = at->second;
}

}  // namespace orrery::kineto
