// A Workload in the JSON that Chakra's feeder accepts instead of protobuf.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::chakra {

/// {"workload_graph": [...]} with a node per line, in the order of ids; attributes as docs/formats/chakra.md names
/// them. Durations and starts as in the protobuf form. An Error names an activity the format has no word for.
Status write_feeder_json(const workload::Workload& workload, std::size_t rank, const std::string& path);

}  // namespace orrery::chakra
