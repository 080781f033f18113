#include "formats/kineto/alignment_member.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json/json_writer.h"
#include "base/numbers.h"
#include "trace/clock.h"

// Written and read as JSON, since viewers and other readers must still take the file. Times that the inverse clock
// would not spell as they were are remembered as text, all in one string with their places.

namespace orrery::kineto {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr std::int64_t kVersion = 1;

std::string prefix(bool has_own_comma) {
  return fmt::format("{}\n\"{}\": ", has_own_comma ? "," : "", kAlignmentMember);
}

template <typename Value>
bool take(element object, const char* key, Value& out) {
  return object[key].get(out) == simdjson::SUCCESS;
}

bool take_hash(element object, const char* key, std::uint64_t& out) {
  // As text: a number of 64 bits is more than JSON readers hold exactly.
  std::string_view text;
  return take(object, key, text) && parse_number(text, out, 16);
}

bool take_clock(element object, trace::Clock& out) {
  array rows;
  if (!take(object, "clock", rows)) return false;
  std::vector<trace::ClockKnot> knots;
  for (const element row : rows) {
    array numbers;
    if (row.get(numbers) != simdjson::SUCCESS || numbers.size() != 3) return false;
    trace::ClockKnot knot;
    if (numbers.at(0).get(knot.from_ps) != simdjson::SUCCESS || numbers.at(1).get(knot.to_ps) != simdjson::SUCCESS ||
        numbers.at(2).get(knot.uncertainty_ps) != simdjson::SUCCESS)
      return false;
    knots.push_back(knot);
  }
  const Result<trace::Clock> clock = trace::Clock::from_knots(knots);
  // A clock that would overflow must not come out of a file that somebody edited.
  if (!clock || !trace::ClockCursor(clock->knots()).fits()) return false;
  out = *clock;
  return true;
}

/// [events since the one before, "ts"] or [events since the one before, "ts", "dur"]
bool take_remembered(element object, RememberedTimes& out) {
  array rows;
  if (!take(object, "remembered", rows)) return false;
  // Counted from the one before: numbers stay short, and so does the file.
  std::uint64_t event = 0;
  for (const element row : rows) {
    array values;
    std::uint64_t since = 0;
    SpelledTimes original;
    // A duration follows only where the event has one that must be remembered.
    if (row.get(values) != simdjson::SUCCESS || values.size() < 2 || values.size() > 3) return false;
    if (values.at(0).get(since) != simdjson::SUCCESS || values.at(1).get(original.ts) != simdjson::SUCCESS)
      return false;
    if (values.size() == 3 && values.at(2).get(original.dur) != simdjson::SUCCESS) return false;
    event += since;
    out.add(event, original);
  }
  return true;
}

}  // namespace

void RememberedTimes::add(std::uint64_t event, const SpelledTimes& original) {
  places_.push_back({event, texts_.size(), original.ts.size()});
  texts_ += original.ts;
  texts_ += original.dur;
}

RememberedTimes::Entry RememberedTimes::operator[](std::size_t i) const {
  const Place& place = places_[i];
  // Texts lie one behind the other: the next one begins where this ends.
  const std::size_t end = i + 1 < places_.size() ? places_[i + 1].text : texts_.size();
  const std::string_view text = std::string_view(texts_).substr(place.text, end - place.text);
  return {place.event, {text.substr(0, place.ts_length), text.substr(place.ts_length)}};
}

std::string encode(const AlignmentMember& member) {
  std::string out = prefix(member.has_own_comma);
  JsonWriter json(out);
  json.begin_object().field("version", kVersion).field("note", member.note);
  json.field("baseUnixNs", member.base_unix_ns).field("epochUnixNs", member.epoch_unix_ns);
  json.key("clock").begin_array();
  for (const trace::ClockKnot& knot : member.clock.knots())
    json.begin_array().value(knot.from_ps).value(knot.to_ps).value(knot.uncertainty_ps).end_array();
  json.end_array().field("ownComma", member.has_own_comma);
  json.field("originalBytes", member.original_bytes)
      .field("originalXxh3", fmt::format("{:016x}", member.original_xxh3));
  json.key("remembered").begin_array();
  std::uint64_t event = 0;
  for (std::size_t i = 0; i < member.remembered.size(); ++i) {
    const RememberedTimes::Entry entry = member.remembered[i];
    json.begin_array().value(entry.event - event).value(entry.original.ts);
    if (!entry.original.dur.empty()) json.value(entry.original.dur);
    json.end_array();
    event = entry.event;
  }
  json.end_array().end_object();
  return out;
}

std::size_t bytes_before_value(const AlignmentMember& member) { return prefix(member.has_own_comma).size(); }

Result<AlignmentMember> decode(std::string_view json, const std::string& path) {
  simdjson::dom::parser parser;
  element object;
  AlignmentMember member;
  std::int64_t version = 0;
  std::string_view note;
  const bool good =
      parser.parse(json.data(), json.size()).get(object) == simdjson::SUCCESS && take(object, "version", version) &&
      // A later version may mean something else by the same members.
      version == kVersion && take(object, "note", note) && take(object, "baseUnixNs", member.base_unix_ns) &&
      take(object, "epochUnixNs", member.epoch_unix_ns) && take_clock(object, member.clock) &&
      take(object, "ownComma", member.has_own_comma) && take(object, "originalBytes", member.original_bytes) &&
      take_hash(object, "originalXxh3", member.original_xxh3) && take_remembered(object, member.remembered);
  if (!good)
    return Error{.message = "the record of the alignment (orreryAlignment) cannot be read",
                 .file = path,
                 .hint = "was it edited, or written by a newer version?"};
  member.note = note;
  return member;
}

}  // namespace orrery::kineto
