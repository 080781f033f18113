// The descriptions that models of language models are made of, as they come with the program.
#pragma once

#include <string>

#include "base/result.h"
#include "llm/catalog.h"

namespace orrery::job {

/// Beside an installed program in share/orrery, beside a built one in data/.
Result<llm::Catalog> read_shipped_catalog();

/// The device that `text` means: a file that describes one, else one of the catalog by its name.
Result<machine::Device> read_device(const llm::Catalog& catalog, const std::string& text);

}  // namespace orrery::job
