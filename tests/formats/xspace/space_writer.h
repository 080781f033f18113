// Small XSpaces written member by member, by a protobuf library other than the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::xspace::testing {

/// Stats of an event: a number, a text, or a reference to a stat of this name.
struct Stat {
  std::string name;
  std::optional<std::int64_t> number = {};
  std::string text = {};
  bool by_reference = false;
};

inline Stat number_stat(std::string name, std::int64_t number) { return {std::move(name), number}; }
inline Stat text_stat(std::string name, std::string text) { return {std::move(name), {}, std::move(text)}; }
inline Stat reference_stat(std::string name, std::string text) { return {std::move(name), {}, std::move(text), true}; }

struct Event {
  std::string name;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  std::vector<Stat> stats = {};
  std::optional<std::int64_t> occurrences = {};
  bool without_offset = false;  ///< the member is left out, as its value must then be 0
  std::string unknown = {};     ///< bytes of field 15
};

struct Line {
  std::string name;
  std::int64_t id = 0;
  std::int64_t timestamp_ns = 0;
  std::vector<Event> events = {};
  std::string display_name = {};
  std::int64_t duration_ps = 0;
  std::string unknown = {};   ///< bytes of field 14
  bool events_first = false;  ///< in front of all other members, as no profiler writes them but any may
};

struct Plane {
  std::string name;
  std::vector<Line> lines = {};
  std::vector<Stat> stats = {};
  std::int64_t id = 0;
  std::string unknown = {};  ///< bytes of field 13
};

/// Ids of names, given out in order of appearance; the tables are written behind the lines, as the profiler does.
class NameTable {
 public:
  std::int64_t id(const std::string& name) {
    const auto [at, is_new] = ids_.emplace(name, static_cast<std::int64_t>(names_.size()) + 1);
    if (is_new) names_.push_back(name);
    return at->second;
  }
  void write(std::string& plane, std::uint32_t field) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::string metadata, entry;
      protozero::pbf_writer value(metadata);
      value.add_int64(1, static_cast<std::int64_t>(i) + 1);
      value.add_string(2, names_[i]);
      protozero::pbf_writer pair(entry);
      pair.add_int64(1, static_cast<std::int64_t>(i) + 1);
      pair.add_message(2, metadata);
      protozero::pbf_writer(plane).add_message(field, entry);
    }
  }

 private:
  std::map<std::string, std::int64_t> ids_;
  std::vector<std::string> names_;
};

inline std::string write_stat(const Stat& stat, NameTable& stats) {
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_int64(1, stats.id(stat.name));
  if (stat.number && stat.name.starts_with("profile_")) writer.add_uint64(3, static_cast<std::uint64_t>(*stat.number));
  else if (stat.number) writer.add_int64(4, *stat.number);
  else if (stat.by_reference) writer.add_uint64(7, static_cast<std::uint64_t>(stats.id(stat.text)));
  else writer.add_string(5, stat.text);
  return out;
}

inline std::string write_event(const Event& event, NameTable& names, NameTable& stats) {
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_int64(1, names.id(event.name));
  if (!event.occurrences && !event.without_offset) writer.add_int64(2, event.offset_ps);
  if (event.duration_ps != 0) writer.add_int64(3, event.duration_ps);
  for (const Stat& stat : event.stats) writer.add_message(4, write_stat(stat, stats));
  if (event.occurrences) writer.add_int64(5, *event.occurrences);
  if (!event.unknown.empty()) writer.add_bytes(15, event.unknown);
  return out;
}

inline std::string write_line(const Line& line, NameTable& names, NameTable& stats) {
  std::string out;
  protozero::pbf_writer writer(out);
  const auto write_events = [&] {
    for (const Event& event : line.events) writer.add_message(4, write_event(event, names, stats));
  };
  if (line.events_first) write_events();
  if (line.id != 0) writer.add_int64(1, line.id);
  writer.add_string(2, line.name);
  if (line.timestamp_ns != 0) writer.add_int64(3, line.timestamp_ns);
  if (!line.events_first) write_events();
  if (line.duration_ps != 0) writer.add_int64(9, line.duration_ps);
  if (!line.display_name.empty()) writer.add_string(11, line.display_name);
  if (!line.unknown.empty()) writer.add_bytes(14, line.unknown);
  return out;
}

inline std::string write_plane(const Plane& plane) {
  NameTable names, stats;
  std::string out;
  protozero::pbf_writer writer(out);
  if (plane.id != 0) writer.add_int64(1, plane.id);
  writer.add_string(2, plane.name);
  for (const Line& line : plane.lines) writer.add_message(3, write_line(line, names, stats));
  std::string plane_stats;
  for (const Stat& stat : plane.stats) protozero::pbf_writer(plane_stats).add_message(6, write_stat(stat, stats));
  names.write(out, 4);
  stats.write(out, 5);
  out += plane_stats;
  if (!plane.unknown.empty()) protozero::pbf_writer(out).add_bytes(13, plane.unknown);
  return out;
}

inline std::string write_space(const std::vector<Plane>& planes) {
  std::string out;
  for (const Plane& plane : planes) protozero::pbf_writer(out).add_message(1, write_plane(plane));
  protozero::pbf_writer(out).add_string(4, "a host");
  return out;
}

inline constexpr std::int64_t kStartUnixNs = 1'794'700'000'000'000'123;

inline Plane environment(std::int64_t start_unix_ns = kStartUnixNs, std::int64_t duration_ns = 1'000'000'000) {
  return {"Task Environment",
          {},
          {number_stat("profile_start_time", start_unix_ns),
           number_stat("profile_stop_time", start_unix_ns + duration_ns)}};
}

}  // namespace orrery::xspace::testing
