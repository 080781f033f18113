#include "cli/graphs/changed_bounds_json.h"

#include "base/units.h"

namespace orrery::cli {

void write_bounds_by_kind(JsonWriter& json, const report::Sheet& changed_bounds) {
  const std::size_t kind = changed_bounds.find("kind"), before = changed_bounds.find("before"), after = changed_bounds.find("after");
  json.key("bound_by_us").begin_object();
  for (std::size_t row = 0; row < changed_bounds.rows(); ++row) {
    json.key(changed_bounds.text(kind, row)).begin_object();
    json.field("before", to_us(changed_bounds.integer(before, row))).field("after", to_us(changed_bounds.integer(after, row))).end_object();
  }
  json.end_object();
}

}  // namespace orrery::cli
