// The short way through an event and the walk over its fields must not differ.
#include "formats/xspace/event_reader.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/protobuf/protobuf_wire.h"
#include "formats/xspace/schema.h"

namespace orrery::xspace {
namespace {

using Texts = std::vector<std::string_view>;
constexpr std::string_view kStatNames[] = {"correlation_id",    "step_num",       "hlo_op",
                                           "bytes_transferred", "memcpy_details", "something"};

PlaneOutline plane_with_stats() {
  PlaneOutline plane;
  for (std::int64_t id = 0; id < 6; ++id) plane.stat_metadata.push_back({id + 1, kStatNames[id], {}});
  return plane;
}

std::string stat(std::uint64_t id, std::uint32_t field, std::uint64_t value) {
  std::string message;
  append_number(message, stat_field::metadata_id, id);
  if (field == stat_field::str_value) append_bytes(message, field, "size:" + std::to_string(value) + " async:1");
  else append_number(message, field, value);
  return message;
}

/// What was read, as text, with the damage's place in the event.
std::string told(const std::string& event, const PlaneNames& names) {
  const std::string padded = event + std::string(64, '\x08');
  EventRecord record;
  record.roles = ~0u;  // what an event before left behind
  if (const char* const damage = read_event({padded.data(), event.size()}, names, record))
    return "damage " + std::to_string(damage - padded.data());
  std::string text = std::to_string(record.metadata_id) + " " + std::to_string(record.offset_ps) + " " +
                     std::to_string(record.duration_ps) + (record.is_timed ? " timed" : " untimed");
  for (std::size_t role = 0; role < kStatRoles; ++role) {
    if (!record.has(static_cast<StatRole>(role))) continue;
    const bool is_text = static_cast<StatRole>(role) == StatRole::operation;
    text += " " + std::to_string(role) + "=" +
            (is_text ? std::string(record.operation) : std::to_string(record.numbers[role]));
  }
  return text;
}

}  // namespace

TEST_CASE("an event of the usual shape and the same event with an unknown field in it are read alike") {
  const PlaneOutline plane = plane_with_stats();
  Interner strings;
  KnownNames known(strings);
  const PlaneNames names(plane, known);
  CHECK(rc::check([&] {
    const auto number = [] { return *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64); };
    std::string head, tail;
    append_number(head, event_field::metadata_id, number());
    append_number(head, event_field::offset_ps, number());
    if (*rc::gen::arbitrary<bool>()) append_number(tail, event_field::duration_ps, number());
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const std::uint32_t field = *rc::gen::element<std::uint32_t>(stat_field::uint64_value, stat_field::int64_value,
                                                                   stat_field::ref_value, stat_field::str_value);
      const std::uint64_t value = field == stat_field::ref_value ? *rc::gen::inRange<std::uint64_t>(0, 9) : number();
      append_bytes(tail, event_field::stats, stat(*rc::gen::inRange<std::uint64_t>(0, 9), field, value));
    }
    if (*rc::gen::inRange(0, 9) == 0) append_number(tail, event_field::num_occurrences, 2);
    std::string unknown;
    append_number(unknown, 14, 5);
    RC_ASSERT(told(head + tail, names) == told(head + unknown + tail, names));
    RC_ASSERT(told(head + tail, names) == told(unknown + head + tail, names));
  }));
}

TEST_CASE("an event cut anywhere is damaged, or what it is without what was cut off") {
  const PlaneOutline plane = plane_with_stats();
  Interner strings;
  KnownNames known(strings);
  const PlaneNames names(plane, known);
  std::string event;
  append_number(event, event_field::metadata_id, 300);
  append_number(event, event_field::offset_ps, 1'000'000);
  append_number(event, event_field::duration_ps, 70'000);
  append_bytes(event, event_field::stats, stat(1, stat_field::uint64_value, 1234));
  CHECK(told(event, names) == "300 1000000 70000 timed 1=1234");
  const Texts expected = {"0 0 0 timed", "damage 0", "damage 0", "300 0 0 timed",
                          "damage 3",    "damage 3", "damage 3", "300 1000000 0 timed",
                          "damage 7",    "damage 7", "damage 7", "300 1000000 70000 timed"};
  for (std::size_t size = 0; size < expected.size(); ++size) {
    CAPTURE(size);
    CHECK(told(event.substr(0, size), names) == expected[size]);
  }
  for (std::size_t size = expected.size(); size < event.size(); ++size)
    CHECK(told(event.substr(0, size), names) == "damage 11");
}

TEST_CASE("of the stats that tell a size the last one that does counts") {
  const PlaneOutline plane = plane_with_stats();
  Interner strings;
  KnownNames known(strings);
  const PlaneNames names(plane, known);
  std::string event;
  append_bytes(event, event_field::stats, stat(4, stat_field::uint64_value, 8));
  append_bytes(event, event_field::stats, stat(5, stat_field::str_value, 4096));
  const std::string bytes = std::to_string(static_cast<int>(StatRole::bytes));
  CHECK(told(event, names) == "0 0 0 timed " + bytes + "=4096");
}

}  // namespace orrery::xspace
