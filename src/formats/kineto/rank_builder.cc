#include "formats/kineto/rank_builder.h"

#include <bit>

#include "base/utf8.h"
#include "formats/kineto/diagnostics.h"
#include "formats/kineto/unescape.h"

namespace orrery::kineto {
namespace {

using trace::EventIndex;
using trace::LaneIndex;
using trace::LaneKey;

constexpr std::int64_t kUsPerSecond = 1'000'000;
constexpr std::int64_t kMaxUs = 9'000'000'000'000;  // 104 days
constexpr std::size_t kMaxCategories = 65'000;
constexpr std::size_t kMaxPropertyBytes = 1 << 20;

bool is_known_phase(char phase) {
  return phase != '\0' && std::string_view("XBEiIRCbneSTpFstfMNODPcvV(),").find(phase) != std::string_view::npos;
}

}  // namespace

std::string RankBuilder::position(std::uint64_t offset) const { return rank_.source.path + ": byte " + std::to_string(offset); }

bool RankBuilder::to_time(const Decimal& us, bool relative, TimePs& out, std::uint64_t offset) {
  if (!us.in_range) return false;
  std::int64_t whole = us.whole;
  if (relative) {
    if (!has_epoch_) {
      // A whole second at or before the first event: close enough for TimePs, and the same in every part of the file that starts here.
      const std::int64_t second = whole / kUsPerSecond - (whole % kUsPerSecond < 0 ? 1 : 0);
      epoch_us_ = second * kUsPerSecond;
      if (epoch_us_ > kMaxUs * 1000 || epoch_us_ < -kMaxUs * 1000) return false;  // keeps the epoch in Unix ns within 64 bits
      rank_.epoch_unix_ns = epoch_us_ * 1000;
      has_epoch_ = true;
    }
    whole -= epoch_us_;
  }
  if (whole > kMaxUs || whole < -kMaxUs) return false;
  constexpr std::int64_t kUnitsPerPs = 1'000'000;  // the fraction counts 10^-12 of a microsecond
  out = whole * kPsPerUs + us.fraction_e12 / kUnitsPerPs;
  if (!us.is_exact || us.fraction_e12 % kUnitsPerPs != 0) diagnostics_.add(kSubPicosecond, [&] { return position(offset); });
  return true;
}

void RankBuilder::on_event(const EventRecord& record, std::string_view /*text*/, std::uint64_t offset) {
  trace::SourceInfo& source = rank_.source;
  ++source.entries;
  if (!record.has_time) ++source.events_without_timestamp;
  else if (!record.time.is_integer) source.fractional_timestamps = true;
  if (record.phase == 'M') return add_metadata(record);
  TimePs start = 0;
  TimePs duration = 0;
  if (record.bad_number) return diagnostics_.add(kUnusableTime, [&] { return position(offset); });
  if (!record.has_time) return diagnostics_.add(kMissingTime, [&] { return position(offset); });
  if (!to_time(record.time, true, start, offset) || (record.has_duration && !to_time(record.duration, false, duration, offset))) {
    return diagnostics_.add(kUnusableTime, [&] { return position(offset); });
  }
  std::uint8_t flags = record.has_category ? trace::kHasCategory : 0;
  if (record.has_duration) {
    flags |= trace::kHasDuration;
    if (duration < 0) diagnostics_.add(kNegativeDuration, [&] { return position(offset); });
    add_row(record, start, duration, flags, offset);
    return;
  }
  switch (record.phase) {
    case 's':
    case 't':
    case 'f': return add_flow(record, start);
    case 'E': return close_pair(lane_of(record, offset), start, offset);
    case 'B': {
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
  if (json.size() <= kMaxPropertyBytes) rank_.source.properties.emplace_back(key, json);
}

void RankBuilder::on_unusable(std::string_view /*text*/, std::uint64_t offset) {
  ++rank_.source.entries;
  diagnostics_.add(kNotAnObject, [&] { return position(offset); });
}

EventIndex RankBuilder::add_row(const EventRecord& record, TimePs start, TimePs duration, std::uint8_t flags, std::uint64_t offset) {
  const auto row = static_cast<EventIndex>(rank_.start.size());
  rank_.start.push_back(start);
  rank_.duration.push_back(duration);
  rank_.name.push_back(intern(record.name, offset));
  rank_.lane.push_back(lane_of(record, offset));
  rank_.category.push_back(category_of(record, offset));
  rank_.phase.push_back(record.phase);
  rank_.flags.push_back(flags);
  rank_.ordinal.push_back(static_cast<std::uint32_t>(rank_.source.entries - 1));
  rank_.source_offset.push_back(offset);
  for (std::uint32_t rest = record.present; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(rest));
    constexpr auto kFirstText = static_cast<std::size_t>(trace::Field::collective_text);
    rank_.fields[index].push(row, index >= kFirstText ? intern(record.texts[index - kFirstText], offset) : record.numbers[index]);
  }
  return row;
}

void RankBuilder::add_flow(const EventRecord& record, TimePs time) {
  trace::Flows& flows = rank_.flows;
  flows.id.push_back(record.id.kind == RawKey::integer ? record.id.number : -1 - static_cast<std::int64_t>(intern(record.id.text, 0)));
  flows.time.push_back(time);
  flows.lane.push_back(lane_of(record, 0));
  flows.category.push_back(category_of(record, 0));
  flows.phase.push_back(record.phase);
}

void RankBuilder::add_metadata(const EventRecord& record) {
  const std::string_view kind = record.name.view;
  if (record.label.view.empty()) return;
  const StringId label = intern(record.label, 0);
  if (kind == "process_name") process_names_[key_of(record.process, 0)] = label;
  // Kineto names threads twice, the second time after the executable; the first name says more ("pt_autograd_0").
  else if (kind == "thread_name") {
    StringId& name = rank_.lanes[lane_of(record, 0)].thread_name;
    if (name == 0) name = label;
  }
}

void RankBuilder::close_pair(LaneIndex lane, TimePs end, std::uint64_t offset) {
  auto& open = open_[lane];
  if (open.empty()) return diagnostics_.add(kUnmatchedPair, [&] { return position(offset); });
  const EventIndex row = open.back();
  open.pop_back();
  rank_.duration[row] = end - rank_.start[row];
  rank_.flags[row] |= trace::kDurationFromPair;
}

void RankBuilder::finish() {
  for (auto& [lane, rows] : open_) {
    for (const EventIndex row : rows) diagnostics_.add(kUnmatchedPair, [&] { return position(rank_.source_offset[row]); });
    rows.clear();
  }
  for (trace::Lane& lane : rank_.lanes) {
    if (const auto at = process_names_.find(lane.process); at != process_names_.end()) lane.process_name = at->second;
  }
}

StringId RankBuilder::intern(RawText text, std::uint64_t offset) {
  const std::size_t known = strings_.size();
  const StringId id = text.escaped ? strings_.intern(unescape_json(text.view)) : strings_.intern(text.view);
  if (strings_.size() != known && !is_valid_utf8(strings_.text(id))) diagnostics_.add(kInvalidUtf8, [&] { return position(offset); });
  return id;
}

LaneKey RankBuilder::key_of(const RawKey& key, std::uint64_t offset) {
  if (key.kind == RawKey::integer) return {key.number, 0};
  if (key.kind == RawKey::string) return {0, intern(key.text, offset)};
  return {0, 0};
}

LaneIndex RankBuilder::lane_of(const EventRecord& record, std::uint64_t offset) {
  const LaneKey process = key_of(record.process, offset);
  const LaneKey thread = key_of(record.thread, offset);
  const auto hash = static_cast<std::uint64_t>(process.number * 31 + thread.number * 7 + process.text * 5 + thread.text);
  LaneCacheEntry& cached = lane_cache_[(hash ^ hash >> 6) & 63];
  if (cached.lane != ~0u && cached.process == process && cached.thread == thread) return cached.lane;
  const auto [at, is_new] = lanes_.emplace(std::pair(process, thread), static_cast<LaneIndex>(rank_.lanes.size()));
  if (is_new) rank_.lanes.push_back({process, thread});
  cached = {process, thread, at->second};
  return at->second;
}

std::uint16_t RankBuilder::category_of(const EventRecord& record, std::uint64_t offset) {
  const std::string_view text = record.category.view;
  const std::size_t slot = text.empty() ? 0 : (text.size() * 7 + static_cast<unsigned char>(text.front()) * 3 + static_cast<unsigned char>(text.back())) & 63;
  const std::uint16_t guess = category_cache_[slot];
  if (guess < rank_.categories.size() && !record.category.escaped && strings_.text(rank_.categories[guess].text) == text) return guess;
  const StringId id = intern(record.category, offset);
  auto at = categories_.find(id);
  if (at == categories_.end()) {
    if (rank_.categories.size() >= kMaxCategories) {
      diagnostics_.add(kTooManyCategories, [&] { return position(offset); });
      return 0;
    }
    at = categories_.emplace(id, static_cast<std::uint16_t>(rank_.categories.size())).first;
    rank_.categories.push_back({id, activity_of(strings_.text(id))});
  }
  return category_cache_[slot] = at->second;
}

}  // namespace orrery::kineto
