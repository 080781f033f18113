// Chakra files from message to message, without a graph in between: nothing that is not known gets lost.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/chakra/dialect.h"

namespace orrery::chakra {

/// What is to be done with a record: its message, and whether it is the metadata.
using TakeRecord = std::function<Status(std::string_view message, bool is_metadata)>;

/// Calls `take` for every record of a file, brought to today's schema: the metadata (made if there is none), then the
/// nodes in their order. Messages of today's schema are handed on as they are; of older ones only what has another
/// number or another meaning today changes. Unknown fields stay. Views are valid during the call. An Error names the
/// byte at which a record is cut off or damaged.
Status upgrade(std::string_view bytes, const std::string& path, std::string_view schema, const TakeRecord& take);

/// One node of an old schema in today's; false if it is damaged. `out` is replaced.
bool upgrade_node(std::string_view message, const Dialect& dialect, std::string& out);

}  // namespace orrery::chakra
