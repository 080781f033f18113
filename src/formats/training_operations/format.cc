#include "formats/training_operations/format.h"

#include "formats/training_operations/reader.h"

namespace orrery::training_operations {
namespace {

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions&) {
  if (paths.size() > 1)
    return Error{"a table of training operations has all ranks of its job", paths[1], Error::kNoOffset,
                 "name one table"};
  return read_table(paths.front(), diagnostics);
}

}  // namespace

const formats::Format kFormat{.name = "training_operations",
                              .title = "a table of training operations",
                              .content = formats::Content::trace,
                              .priority = 14,
                              .sniff = [](const formats::Head& head) { return is_table(head.bytes); },
                              .read_traces = read_traces};

}  // namespace orrery::training_operations
