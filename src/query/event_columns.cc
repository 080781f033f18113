#include "query/event_columns.h"

namespace orrery::query {

std::vector<TableColumn> event_columns() {
  std::vector<TableColumn> columns = {
      {"id", "INTEGER"},     {"rank", "INTEGER"},     {"ordinal", "INTEGER"},  {"lane", "INTEGER"},
      {"name", "TEXT"},      {"category", "TEXT"},    {"activity", "TEXT"},    {"start_ps", "INTEGER"},
      {"dur_ps", "INTEGER"}, {"end_ps", "INTEGER"},   {"depth", "INTEGER"},    {"parent", "INTEGER"},
      {"step", "INTEGER"},   {"critical", "INTEGER"}, {"slack_ps", "INTEGER"}, {"track", "INTEGER"}};
  for (const trace::FieldInfo& field : trace::kFields) {
    // `step` is taken: there it is the step that an event belongs to, here what the event says of itself.
    const std::string_view name = field.field == trace::Field::step ? field.written : field.name;
    columns.push_back({std::string(name), field.type == trace::ValueType::text ? "TEXT" : "INTEGER"});
  }
  return columns;
}

}  // namespace orrery::query
