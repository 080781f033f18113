// The descriptions that models of language models are made of, as they come with the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/catalog.h"
#include "machine/machine.h"

namespace orrery::job {

// The machine descriptions that come with the program, by name.

/// The file that `machine` means: itself if there is such a file; else, if it is a bare name, NAME.yaml among the
/// shipped descriptions (beside an installed program in share/orrery/machines, beside a built one in data/machines);
/// else `machine` as it is.
std::string machine_path(const std::string& machine);

/// The description that `machine` means. The Error about a bare name that is none lists those there are.
Result<machine::Machine> read_machine(const std::string& machine);

/// Names of the shipped descriptions, in alphabetical order; none if they are not found.
std::vector<std::string> shipped_machines();

// Where the files are that come with the program.

/// share/orrery/KIND beside an installed program, data/KIND beside a built one; of a Python module what lies in its
/// package, or beside the program that came with it. Empty if there is none.
std::string shipped_folder(std::string_view kind);

/// Beside an installed program in share/orrery, beside a built one in data/.
Result<llm::Catalog> read_shipped_catalog();

/// The device that `text` means: a file that describes one, else one of the catalog by its name. A file with the
/// datasheet alone gets the constants of its nearest relative in the catalog.
Result<machine::Device> read_device(const llm::Catalog& catalog, const std::string& text);

}  // namespace orrery::job
