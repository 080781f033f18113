// Graphs, edits and the engine's answers, as JSON for tests/web/whatif_test.ts: the page has to give the same.
//     whatif_cases FILE [RANDOM GRAPHS [SEED]]
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "analyze/whatif/edit_language.h"
#include "analyze/whatif/graph_edits.h"
#include "analyze/whatif/whatif.h"
#include "base/io/base64.h"
#include "base/io/gzip.h"
#include "base/json/json_writer.h"
#include "graph/slack.h"
#include "job/read/trace_input.h"
#include "job/recorded_job.h"
#include "page/cases/edit_lists.h"
#include "page/cases/random_edits.h"
#include "page/cases/random_step.h"
#include "page/data/codec.h"
#include "page/data/graph_columns.h"

namespace orrery::page::testing {
namespace {

using analyze::ParsedEdit;

using EditList = std::vector<std::string>;

/// Names, events and lanes as a page might number them: some left out.
PagePlaces places_of(const Interner& strings, bool leaves_out) {
  PagePlaces places;
  places.name_count = static_cast<std::uint32_t>(strings.size());
  places.name = [&strings, leaves_out](std::string_view text) -> std::optional<std::uint32_t> {
    const StringId id = strings.find(text);
    return leaves_out && id % 3 == 1 ? std::nullopt : std::optional<std::uint32_t>(id);
  };
  places.event = [leaves_out](std::uint32_t owner) -> std::optional<std::uint32_t> {
    return leaves_out && owner % 5 == 4 ? std::nullopt : std::optional<std::uint32_t>(owner);
  };
  places.lane = [](std::uint32_t rank, std::uint32_t lane) -> std::optional<std::uint32_t> {
    return rank * 100 + lane;
  };
  return places;
}

std::string names_json(const Interner& strings) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (StringId id = 0; id < strings.size(); ++id) json.begin_array().value(strings.text(id)).value(0).end_array();
  json.end_array();
  return text;
}

void write_columns(JsonWriter& json, const PageGraph& graph, const Interner& strings) {
  std::vector<EncodedColumn> columns;
  columns.push_back(encode_json("names", names_json(strings)));
  for (const EncodedColumn& column : graph.columns) columns.push_back(column);
  json.key("table").begin_array();
  std::vector<std::string_view> parts;
  std::size_t offset = 0;
  for (const EncodedColumn& column : columns) {
    json.begin_object()
        .field("name", column.name)
        .field("codec", column.codec)
        .field("count", column.count)
        .field("offset", offset);
    json.field("bytes", column.bytes.size()).end_object();
    parts.emplace_back(column.bytes);
    offset += column.bytes.size();
  }
  json.end_array();
  std::string text;
  append_base64(text, gzip(parts));
  json.field("base64", text)
      .field("weight_unit_ps", graph.weight_unit_ps)
      .field("nodes", graph.nodes)
      .field("edges", graph.edges);
  json.field("end", graph.end);
}

/// The path and the slack of every edge, as the graph is.
void write_solution(JsonWriter& json, const graph::Solution& solution) {
  json.field("length_ps", solution.length()).key("path").begin_array();
  for (const graph::Slot slot : solution.path().slots) json.value(slot);
  json.end_array().key("slacks").begin_array();
  for (const TimePs slack : graph::Slack(solution).edges()) {
    if (slack == graph::kUnlimited) json.null();
    else json.value(slack);
  }
  json.end_array();
}

template <typename List>
void write_numbers(JsonWriter& json, std::string_view key, const List& list) {
  json.key(key).begin_array();
  for (const auto& value : list) json.value(value);
  json.end_array();
}

void write_error(JsonWriter& json, const std::string& edit, const std::string& message, std::size_t position,
                 const std::string& hint) {
  json.field("error", message).field("position", position).field("hint", hint).field("edit", edit);
}

/// False, and an error written, if the page has to refuse.
bool understood(JsonWriter& json, const EditList& texts, bool of_job, std::vector<ParsedEdit>& edits) {
  for (const std::string& text : texts) {
    ParsedEdit edit = analyze::parse_edit(text);
    if (const auto* error = std::get_if<analyze::EditError>(&edit))
      return write_error(json, text, error->message, error->position, error->hint), false;
    if (std::holds_alternative<analyze::NetworkEdit>(edit))
      return write_error(json, text, "the network is edited where it is simulated", 0,
                         "use the command: orrery whatif ... --machine FILE"),
             false;
    if (const std::string why = of_job ? std::string() : analyze::needs_whole_job(edit); !why.empty())
      return write_error(json, text, why, 0, "make the page of all ranks: orrery report FOLDER, without --rank"), false;
    edits.push_back(std::move(edit));
  }
  return true;
}

void write_answer(JsonWriter& json, const causal::CausalGraph& job, const EditList& texts) {
  std::vector<ParsedEdit> parsed;
  if (!understood(json, texts, job.ranks.size() > 1, parsed)) return;
  const analyze::GraphEdits edits(job, std::move(parsed));
  const analyze::WhatIf result = analyze::what_if(edits, 0);
  json.field("before_ps", result.before.length)
      .field("after_ps", result.after.length)
      .field("stopped_ps", result.after.stopped);
  json.key("matched").begin_array();
  for (const analyze::EditSelection& selection : edits.selections()) json.value(selection.count());
  json.end_array().key("not_there").begin_array();
  for (const analyze::EditSelection& selection : edits.selections()) {
    json.begin_array();
    for (const std::string& text : selection.not_there) json.value(text);
    json.end_array();
  }
  json.end_array();
  write_numbers(json, "kinds", result.after.kinds);
}

/// One line of the file.
void write_case(std::ostream& out, const std::string& name, const causal::CausalGraph& of,
                const std::vector<EditList>& questions, bool leaves_out) {
  const PageGraph graph = graph_columns(of, analyze::RecordingCost(of), places_of(of.strings, leaves_out));
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("name", name);
  write_columns(json, graph, of.strings);
  write_solution(json, graph::solve(of.graph, of.end));
  json.key("questions").begin_array();
  for (const EditList& edits : questions) {
    json.begin_object();
    write_numbers(json, "edits", edits);
    write_answer(json, of, edits);
    json.end_object();
  }
  json.end_array().end_object();
  out << text << "\n";
}

void write_random(std::ostream& out, std::uint64_t seed) {
  const bool of_job = seed % 2 == 1;
  RandomEdits random(seed * 7919 + 1, of_job);
  std::vector<EditList> questions;
  for (int i = 0; i < 24; ++i) questions.push_back(random.several());
  const std::string name = fmt::format("random {} {}", of_job ? "job" : "step", seed);
  // Random times on random lanes tell nothing about recording.
  if (seed % 4 == 2) {
    questions.push_back({"profiler remove"});
    return write_case(out, fmt::format("random recording {}", seed), RandomRecording(seed).make(), questions, false);
  }
  if (of_job) write_case(out, name, random_job(seed), questions, seed % 3 == 0);
  else write_case(out, name, causal::causal_graph_of(random_step(seed)), questions, seed % 3 == 0);
}

trace::Trace read(const std::vector<std::string>& files) {
  Diagnostics diagnostics;
  auto source = job::find_source(files, {.may_miss_ranks = true}, diagnostics);
  auto input = job::read_trace(*source, {.far_clocks = true}, {.diagnostics = diagnostics});
  return std::move(input->trace);
}

void write_trace(std::ostream& out, const std::string& name, std::optional<std::size_t> last_instance) {
  Diagnostics diagnostics;
  const trace::Trace trace = read({std::string(ORRERY_SOURCE_DIR) + "/data/" + name});
  causal::WindowRequest request;
  if (last_instance) request = {"ProfilerStep", 0, last_instance};
  const auto step = causal::make_causal_graph(trace, trace.ranks.front(), request, diagnostics);
  write_case(out, name + (last_instance ? " several steps" : ""), *step, edits_of_steps(), false);
}

void write_job(std::ostream& out, const std::string& name, const std::vector<std::string>& files, bool typical) {
  Diagnostics diagnostics;
  const auto job = job::RecordedJob::make(read(files), job::ClockChoice::automatic, diagnostics);
  job::JobWindowRequest request;
  request.typical = typical;
  const auto window = job->window(request, diagnostics);
  const auto graph = job->graph(*window, {}, diagnostics);
  write_case(out, name, *graph, edits_of_jobs(), false);
}

void write_parsing(std::ostream& out) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("parsing").begin_array();
  for (const std::string& edit : edits_to_parse()) {
    const ParsedEdit parsed = analyze::parse_edit(edit);
    json.begin_object().field("text", edit);
    if (const auto* error = std::get_if<analyze::EditError>(&parsed))
      write_error(json, edit, error->message, error->position, error->hint);
    json.end_object();
  }
  json.end_array().key("expressions").begin_array();
  for (const std::string& expression : expressions()) {
    const auto pattern = analyze::NamePattern::regex(expression);
    json.begin_object().field("expression", expression);
    if (const auto* why = std::get_if<std::string>(&pattern)) json.field("error", *why);
    else
      write_numbers(json, "matches", [&] {
        std::vector<int> matches;
        for (const std::string& name : hard_names())
          matches.push_back(std::get<analyze::NamePattern>(pattern).matches(name) ? 1 : 0);
        return matches;
      }());
    json.end_object();
  }
  json.end_array();
  write_numbers(json, "names", hard_names());
  json.end_object();
  out << text << "\n";
}

int run(const std::vector<std::string>& arguments) {
  std::ofstream out(arguments.at(0));
  const std::uint64_t graphs = arguments.size() > 1 ? std::stoull(arguments[1]) : 400;
  const std::uint64_t seed = arguments.size() > 2 ? std::stoull(arguments[2]) : 1;
  const std::string data = std::string(ORRERY_SOURCE_DIR) + "/data/";
  write_parsing(out);
  write_trace(out, "gpt_small.kineto.json.gz", std::nullopt);
  write_trace(out, "gpt_small.kineto.json.gz", 1);
  write_trace(out, "gpt_wide_bf16.kineto.json.gz", std::nullopt);
  for (const bool typical : {true, false}) {
    std::vector<std::string> ddp4;
    for (int r = 0; r < 4; ++r) ddp4.push_back(fmt::format("{}ddp4.rank{}.kineto.json.gz", data, r));
    write_job(out, typical ? "ddp4, a step" : "ddp4, all steps", ddp4, typical);
    for (const char* folder : {"jobs/tpdp8_base", "jobs/tree6_root0", "jobs/any_source4"})
      write_job(out, folder, {data + folder}, typical);
  }
  for (std::uint64_t i = 0; i < graphs; ++i) write_random(out, seed + i);
  return out.good() ? 0 : 1;
}

}  // namespace
}  // namespace orrery::page::testing

int main(int count, char** values) { return orrery::page::testing::run({values + 1, values + count}); }
