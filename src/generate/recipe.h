// A job that is too large to be written out, as the few numbers it is made from: orrery.workload/1.
// docs/formats/recipe.md has the fields.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "generate/pipeline_step.h"

namespace orrery::generate {

inline constexpr std::string_view kRecipeFormat = "orrery.workload/1";

/// One JSON object, with a newline at its end.
std::string recipe_of(const PipelineStep& step);

/// Whether a file that begins with `text` is one.
bool looks_like_recipe(std::string_view text);

/// The workload that the file at `path` tells how to make, all of it. An Error names the file and the field.
Result<workload::Workload> make_from_recipe(const std::string& path);

/// The same, made as it is needed. Null for a job of one step, which is as well made at once.
Result<std::unique_ptr<workload::WorkloadSource>> source_from_recipe(const std::string& path);

}  // namespace orrery::generate
