// Recipes (docs/formats/recipe.md) among the formats: they are made by generate/, which no format may know.
#pragma once

#include "formats/format.h"

namespace orrery::job {

extern const formats::Format kRecipeFormat;

}  // namespace orrery::job
