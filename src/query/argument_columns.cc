#include "query/argument_columns.h"

#include <algorithm>
#include <map>

#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "formats/kineto/other_arguments.h"

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
    if (!recording.all_arguments) continue;
    if (const Status read = made.read_file(rank, place); !read) return read.error();
  }
  return made;
}

Value ArgumentColumns::value_of(std::string_view json) {
  if (json.size() >= 2 && json.front() == '"') return texts_.text(texts_.intern(unescape_json(json.substr(1, json.size() - 2))));
  if (json == "null") return {};
  if (const auto integer = parse_number<std::int64_t>(json)) return *integer;
  if (const auto real = parse_number<double>(json)) return *real;
  // Lists and objects as they are written: SQLite's own functions (json_extract) look into them.
  return texts_.text(texts_.intern(json));
}

Status ArgumentColumns::read_file(const trace::RankTrace& rank, std::uint32_t place) {
  std::map<std::string, FileColumn*, std::less<>> by_key;
  const Status visited = kineto::visit_other_arguments(rank, [&](trace::EventIndex event, std::string_view key, std::string_view json) {
    auto column = by_key.find(key);
    if (column == by_key.end()) column = by_key.emplace(key, &file_columns_.emplace_back(FileColumn{std::string(key), {}, {}})).first;
    FileColumn& values = *column->second;
    // A key that an event has twice counts once, as it was written first.
    if (!values.events.empty() && values.events.back() == event) return;
    values.events.push_back(event);
    values.values.push_back(value_of(json));
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
