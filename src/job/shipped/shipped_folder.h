// Where the files are that come with the program.
#pragma once

#include <string>
#include <string_view>

namespace orrery::job {

/// share/orrery/KIND beside an installed program, data/KIND beside a built one; of a Python module what lies in its
/// package, or beside the program that came with it. Empty if there is none.
std::string shipped_folder(std::string_view kind);

}  // namespace orrery::job
