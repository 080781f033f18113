#include "page/data/report_data.h"

#include "analyze/whatif/edit_language.h"
#include "base/json/json_writer.h"
#include "page/data/event_kinds.h"

namespace orrery::page {
namespace {

std::string without_markup(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    // "</script>" in a name would end the script that holds this.
    if (c == '<') safe += "\\u003c";
    else safe += c;
  }
  return safe;
}

std::uint32_t kinds_of_word(std::string_view word) {
  if (word.starts_with("gap:")) {
    for (const analyze::EditWord& gap : analyze::kEditGaps) {
      if (gap.name == word.substr(4)) return gap.kinds;
    }
  }
  for (const analyze::EditWord& what : analyze::kEditWhat) {
    if (what.name == word) return what.kinds;
  }
  return 0;
}

struct PageTimes {
  TimePs unit_ps = 1, weight_unit_ps = 1, origin = 0;
  TimePs step_begin = 0, step_end = 0, step_length = 0;
  std::string label;
  TimePs range_end = 0;
};

void write_kinds(JsonWriter& json) {
  json.key("kinds").begin_array();
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const KindInfo info = kind_info(kind);
    json.begin_object().field("id", info.id).field("title", info.title).field("family", info.family).end_object();
  }
  json.end_array();
}

void write_times(JsonWriter& json, const PageTimes& times) {
  json.field("version", 1)
      .field("unit_ps", times.unit_ps)
      .field("weight_unit_ps", times.weight_unit_ps)
      .field("origin_ps", times.origin);
  json.key("step").begin_object().field("begin_ps", times.step_begin).field("end_ps", times.step_end);
  json.field("length_ps", times.step_length).field("label", times.label).end_object();
  json.key("range").begin_object().field("begin_ps", 0).field("end_ps", times.range_end).end_object();
  write_kinds(json);
}

void write_ranks_and_lanes(JsonWriter& json, const trace::Trace& trace, const EventTable& events) {
  json.key("ranks").begin_array();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankEvents& rank = events.ranks()[r];
    json.begin_object()
        .field("rank", trace.ranks[r].rank)
        .field("label", "rank " + std::to_string(trace.ranks[r].rank));
    json.field("events", rank.order.size()).field("left_out", rank.left_out).end_object();
  }
  json.end_array().key("lanes").begin_array();
  for (const PageLane& lane : events.lanes()) {
    json.begin_object()
        .field("rank", trace.ranks[lane.rank].rank)
        .field("name", lane.name)
        .field("sort", to_string(lane.sort));
    json.field("device", lane.device)
        .field("stream", lane.stream)
        .field("count", lane.count)
        .field("little", lane.is_little)
        .end_object();
  }
  json.end_array();
}

void write_counters(JsonWriter& json, const trace::Trace& trace, const std::vector<CounterLane>& counters) {
  json.key("counters").begin_array();
  for (const CounterLane& counter : counters) {
    json.begin_object().field("rank", trace.ranks[counter.rank].rank).field("device", counter.device);
    json.field("name", counter.name).field("unit", counter.unit).field("count", counter.points.size());
    json.field("least", counter.least).field("most", counter.most).end_object();
  }
  json.end_array();
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_form(JsonWriter& json, const std::optional<GraphSummary>& graph, const CommandParts& command,
                const std::vector<Slider>& sliders) {
  json.key("graph");
  if (graph) {
    json.begin_object().field("nodes", graph->nodes).field("edges", graph->edges);
    json.field("begin", graph->begin).field("end", graph->end).end_object();
  } else {
    json.null();
  }
  json.key("command").begin_object().field("program", "orrery");
  write_texts(json, "operands", command.operands);
  write_texts(json, "flags", command.flags);
  json.end_object().key("sliders").begin_array();
  for (const Slider& slider : sliders)
    json.begin_object().field("edit", slider.edit).field("title", slider.title).end_object();
  json.end_array();
}

}  // namespace

std::vector<Slider> sliders_of(const StepFacts& facts) {
  static constexpr struct {
    const char *edit, *title;
  } kAll[] = {{"cpu", "Host code"},  {"op", "Operators"},       {"runtime", "Runtime calls"},
              {"kernel", "Kernels"}, {"comm", "Communication"}, {"gap:launch", "Launch delay"},
              {"gap", "All delays"}};
  std::vector<Slider> sliders;
  for (const auto& slider : kAll) {
    const std::uint32_t kinds = kinds_of_word(slider.edit);
    if ((kinds & facts.kinds) != 0) sliders.push_back({slider.edit, slider.title, kinds});
  }
  return sliders;
}

std::string report_data_json(const ReportDataInputs& inputs) {
  const EventTable& events = inputs.events;
  const StepFacts& facts = inputs.facts;
  const TimePs begin = facts.begin - events.origin();
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_times(json, {.unit_ps = events.unit_ps(),
                     .weight_unit_ps = inputs.graph ? inputs.graph->weight_unit_ps : TimePs{1},
                     .origin = events.origin(),
                     .step_begin = begin,
                     .step_end = begin + facts.span,
                     .step_length = facts.length,
                     .label = facts.label,
                     .range_end = events.end() - events.origin()});
  write_ranks_and_lanes(json, inputs.trace, events);
  write_counters(json, inputs.trace, inputs.counters);
  write_form(json, inputs.graph, inputs.command, sliders_of(facts));
  json.end_object();
  return without_markup(text);
}

std::string empty_report_data() {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_times(json, {});
  json.key("ranks").begin_array().end_array().key("lanes").begin_array().end_array();
  json.key("counters").begin_array().end_array();
  write_form(json, std::nullopt, {}, {});
  json.end_object();
  return without_markup(text);
}

}  // namespace orrery::page
