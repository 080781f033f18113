#include "page/report_data.h"

#include "analyze/edit_words.h"
#include "base/json_writer.h"
#include "page/kinds.h"

namespace orrery::page {
namespace {

std::string without_markup(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
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

void write_kinds(JsonWriter& json) {
  json.key("kinds").begin_array();
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const KindInfo info = kind_info(kind);
    json.begin_object().field("id", info.id).field("title", info.title).field("family", info.family).end_object();
  }
  json.end_array();
}

void write_ranks_and_lanes(JsonWriter& json, const trace::Trace& trace, const EventTable& events) {
  json.key("ranks").begin_array();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankEvents& rank = events.ranks()[r];
    json.begin_object().field("rank", trace.ranks[r].rank).field("label", "rank " + std::to_string(trace.ranks[r].rank));
    json.field("events", rank.order.size()).field("left_out", rank.left_out).end_object();
  }
  json.end_array().key("lanes").begin_array();
  for (const PageLane& lane : events.lanes()) {
    json.begin_object().field("rank", trace.ranks[lane.rank].rank).field("name", lane.name).field("sort", to_string(lane.sort));
    json.field("device", lane.device).field("stream", lane.stream).field("count", lane.count).field("little", lane.is_little).end_object();
  }
  json.end_array();
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
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
    if ((kinds_of_word(slider.edit) & facts.kinds) != 0) sliders.push_back({slider.edit, slider.title});
  }
  return sliders;
}

std::string report_data_json(const ReportDataInputs& inputs) {
  const EventTable& events = inputs.events;
  const StepFacts& facts = inputs.facts;
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("version", 1).field("unit_ps", events.unit_ps());
  json.field("weight_unit_ps", inputs.graph ? inputs.graph->weight_unit_ps : TimePs{1}).field("origin_ps", events.origin());
  const TimePs begin = facts.begin - events.origin();
  json.key("step").begin_object().field("begin_ps", begin).field("end_ps", begin + facts.span);
  json.field("length_ps", facts.length).field("label", facts.label).end_object();
  json.key("range").begin_object().field("begin_ps", 0).field("end_ps", events.end() - events.origin()).end_object();
  write_kinds(json);
  write_ranks_and_lanes(json, inputs.trace, events);
  json.key("graph");
  if (inputs.graph) {
    json.begin_object().field("nodes", inputs.graph->nodes).field("edges", inputs.graph->edges);
    json.field("begin", inputs.graph->begin).field("end", inputs.graph->end).end_object();
  } else {
    json.null();
  }
  json.key("command").begin_object().field("program", "orrery");
  write_texts(json, "operands", inputs.command.operands);
  write_texts(json, "flags", inputs.command.flags);
  json.end_object().key("sliders").begin_array();
  for (const Slider& slider : sliders_of(facts)) json.begin_object().field("edit", slider.edit).field("title", slider.title).end_object();
  json.end_array().end_object();
  return without_markup(text);
}

std::string empty_report_data() {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("version", 1).field("unit_ps", 1).field("weight_unit_ps", 1).field("origin_ps", 0);
  json.key("step").begin_object().field("begin_ps", 0).field("end_ps", 0).field("length_ps", 0).field("label", "").end_object();
  json.key("range").begin_object().field("begin_ps", 0).field("end_ps", 0).end_object();
  write_kinds(json);
  json.key("ranks").begin_array().end_array().key("lanes").begin_array().end_array().key("graph").null();
  json.key("command").begin_object().field("program", "orrery").key("operands").begin_array().end_array();
  json.key("flags").begin_array().end_array().end_object().key("sliders").begin_array().end_array().end_object();
  return without_markup(text);
}

}  // namespace orrery::page
