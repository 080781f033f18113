#include "formats/otf2/format.h"

#include "formats/otf2/reader.h"

namespace orrery::otf2 {
namespace {

Result<trace::Trace> read_traces(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions&) {
  if (paths.size() > 1)
    return Error{"an OTF2 archive has all ranks of its job", paths[1], Error::kNoOffset, "name one archive"};
  return read_archive(paths.front(), diagnostics);
}

}  // namespace

const formats::Format kFormat{.name = "otf2",
                              .title = "an OTF2 archive",
                              .content = formats::Content::trace,
                              .priority = 1,  // its first six bytes are nobody else's
                              .sniff = [](const formats::Head& head) { return is_anchor(head.bytes); },
                              .read_traces = read_traces};

}  // namespace orrery::otf2
