#include "query/argument_columns.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "base/json_members.h"
#include "base/json_unescape.h"
#include "formats/kineto/raw_event.h"

namespace orrery::query {

Result<ArgumentColumns> ArgumentColumns::make(const Recording& recording) {
  ArgumentColumns made;
  for (std::uint32_t place = 0; place < recording.trace.ranks.size(); ++place) {
    const trace::RankTrace& rank = recording.trace.ranks[place];
    trace::ArgumentTable::for_each(
        rank.arguments, [&](std::string_view, std::string_view written, trace::ValueType type, const trace::SparseColumn& column) {
          if (!column.event.empty())
            made.columns_.push_back({place, written, std::span(column.event.begin(), column.event.size()),
                                     std::span(column.value.begin(), column.value.size()), type == trace::ValueType::text});
        });
    // Other formats leave nothing behind in the file.
    if (!recording.all_arguments || rank.source.format != "kineto" || rank.source_offset.empty()) continue;
    if (const Status read = made.read_file(rank, place); !read) return read.error();
  }
  return made;
}

Value ArgumentColumns::value_of(std::string_view json) {
  if (json.size() >= 2 && json.front() == '"') return texts_.text(texts_.intern(unescape_json(json.substr(1, json.size() - 2))));
  if (json == "null") return {};
  const char* const end = json.data() + json.size();
  std::int64_t integer = 0;
  if (const auto parsed = std::from_chars(json.data(), end, integer); parsed.ec == std::errc() && parsed.ptr == end) return integer;
  double real = 0;
  if (const auto parsed = std::from_chars(json.data(), end, real); parsed.ec == std::errc() && parsed.ptr == end) return real;
  // Lists and objects as they are written: SQLite's own functions (json_extract) look into them.
  return texts_.text(texts_.intern(json));
}

Status ArgumentColumns::read_file(const trace::RankTrace& rank, std::uint32_t place) {
  std::vector<trace::EventIndex> order(rank.event_count());
  std::iota(order.begin(), order.end(), trace::EventIndex{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](trace::EventIndex a, trace::EventIndex b) { return rank.source_offset[a] < rank.source_offset[b]; });
  std::vector<std::uint64_t> offsets;
  for (const trace::EventIndex event : order) offsets.push_back(rank.source_offset[event]);
  const std::size_t known_end = columns_.size();
  const auto is_known = [&](std::string_view key, trace::EventIndex event) {
    return std::any_of(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(known_end), [&](const ArgumentColumn& column) {
      return column.rank == place && column.key == key && std::binary_search(column.events.begin(), column.events.end(), event);
    });
  };
  std::map<std::string, FileColumn*, std::less<>> by_key;
  std::vector<JsonMember> members, arguments;
  const Status visited = kineto::visit_event_texts(rank.source.path, offsets, [&](std::size_t i, std::string_view text) {
    members.clear();
    if (!list_members(text, members)) return;
    for (const JsonMember& member : members) {
      if (member.key != "args") continue;
      arguments.clear();
      if (!list_members(member.value, arguments)) continue;
      for (const JsonMember& argument : arguments) {
        const std::string key = unescape_json(argument.key);
        if (is_known(key, order[i])) continue;
        FileColumn*& column = by_key[key];
        if (column == nullptr) column = &file_columns_.emplace_back(FileColumn{key, {}, {}});
        // A key that an event has twice counts once, as it was written first.
        if (!column->events.empty() && column->events.back() == order[i]) continue;
        column->events.push_back(order[i]);
        column->values.push_back(value_of(argument.value));
      }
    }
  });
  if (!visited) return visited;
  for (const auto& [key, column] : by_key) {
    if (!std::is_sorted(column->events.begin(), column->events.end())) {
      // Positions that do not ascend with events: no reader of ours makes such, but a search in them would be wrong.
      return Error{"the events of the file are not in the order in which they were read", rank.source.path};
    }
    columns_.push_back({place, column->key, column->events, {}, false, column->values});
  }
  return {};
}

}  // namespace orrery::query
