#include "job/shipped/recipe_format.h"

#include "generate/recipe.h"

namespace orrery::job {
namespace {

bool is_recipe(const formats::Head& head) { return head.is_json() && generate::looks_like_recipe(head.bytes); }

Result<workload::Workload> make_workload(std::span<const std::string> paths,
                                         const formats::WorkloadOptions& /*options*/) {
  return generate::make_from_recipe(paths.front());
}

Result<std::unique_ptr<workload::WorkloadSource>> open_workload(std::span<const std::string> paths) {
  return generate::source_from_recipe(paths.front());
}

}  // namespace

const formats::Format kRecipeFormat{.name = "recipe",
                                    .title = "a recipe for a workload",
                                    .content = formats::Content::workload,
                                    .priority = 5,
                                    .sniff = is_recipe,
                                    .read_workload = make_workload,
                                    .open_workload = open_workload};

}  // namespace orrery::job
