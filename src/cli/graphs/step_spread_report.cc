#include "cli/graphs/step_spread_report.h"

namespace orrery::cli {

void write_step_spread_json(JsonWriter& json, const std::optional<analyze::StepSpread>& spread) {
  json.key("steps");
  if (!spread) {
    json.null();
    return;
  }
  json.begin_object().field("count", spread->steps).field("differ", spread->differ());
  json.field("mean_us", to_us(spread->mean)).field("deviation_us", to_us(spread->deviation));
  json.field("least_us", to_us(spread->least)).field("most_us", to_us(spread->most));
  json.key("long");
  if (spread->long_label.empty()) {
    json.null();
  } else {
    json.begin_object().field("label", spread->long_label).field("span_us", to_us(spread->long_span));
    json.field("verdict", spread->long_verdict).end_object();
  }
  json.end_object();
}

}  // namespace orrery::cli
