#include "generate/recipe.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <limits>

#include "base/json/json_writer.h"

namespace orrery::generate {
namespace {

/// Calls f(name, value) for every field: what writing and reading have in common.
template <typename Step, typename F>
void for_fields(Step& step, const F& f) {
  f("tensor_parallel", step.tensor_parallel);
  f("data_parallel", step.data_parallel);
  f("pipeline_parallel", step.pipeline_parallel);
  f("microbatches", step.microbatches);
  f("layers", step.layers);
  f("kernels_per_layer", step.kernels_per_layer);
  f("forward_ps", step.forward_ps);
  f("optimizer_ps", step.optimizer_ps);
  f("activation_bytes", step.activation_bytes);
  f("gradient_bytes", step.gradient_bytes);
  f("steps", step.steps);
}

Status read_fields(const simdjson::dom::object& object, PipelineStep& step) {
  for (const auto& [key, value] : object) {
    // Members that say what the file is were looked at before.
    if (key == "format" || key == "generate") continue;
    std::string problem = fmt::format("there is no field '{}'", key);
    for_fields(step, [&, name = key, given = value](std::string_view field, auto& target) {
      using Number = std::remove_reference_t<decltype(target)>;
      if (field != name) return;
      std::int64_t number = 0;
      const bool fits =
          // Fields have different widths: what a field cannot hold is refused instead of cut.
          given.get(number) == simdjson::SUCCESS && number >= 0 &&
          static_cast<std::uint64_t>(number) <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
      problem = fits ? "" : fmt::format("'{}' is not a whole number in range", name);
      if (fits) target = static_cast<Number>(number);
    });
    if (!problem.empty()) return Error{.message = problem};
  }
  return {};
}

}  // namespace

std::string recipe_of(const PipelineStep& step) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("format", kRecipeFormat).field("generate", "pipeline");
  for_fields(step, [&](std::string_view name, const auto& value) { json.field(name, value); });
  json.end_object();
  return text + "\n";
}

bool looks_like_recipe(std::string_view text) {
  // Files are told by their beginning; a JSON object may have its members in any order.
  return text.find(kRecipeFormat) != std::string_view::npos && text.starts_with('{');
}

namespace {

Result<PipelineStep> read_recipe(const std::string& path) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto failed = parser.load(path).get(object); failed != simdjson::SUCCESS)
    return Error{.message = simdjson::error_message(failed), .file = path, .hint = "a recipe is one JSON object"};
  std::string_view what;
  if (object["generate"].get(what) != simdjson::SUCCESS || what != "pipeline")
    return Error{.message = "it does not say what to make", .file = path, .hint = "\"generate\": \"pipeline\""};
  PipelineStep step;
  const Status read = read_fields(object, step);
  if (!read) return Error{.message = read.error().message, .file = path};
  return step;
}

}  // namespace

Result<workload::Workload> make_from_recipe(const std::string& path) {
  const Result<PipelineStep> step = read_recipe(path);
  if (!step) return step.error();
  Result<workload::Workload> workload = pipeline_step(*step);
  if (!workload) workload.error().file = path;
  return workload;
}

Result<std::unique_ptr<workload::WorkloadSource>> source_from_recipe(const std::string& path) {
  const Result<PipelineStep> step = read_recipe(path);
  if (!step) return step.error();
  // A single step is small enough to be made as a whole.
  if (step->steps == 1) return std::unique_ptr<workload::WorkloadSource>();
  Result<std::unique_ptr<workload::WorkloadSource>> source = pipeline_source(*step);
  if (!source) source.error().file = path;
  return source;
}

}  // namespace orrery::generate
