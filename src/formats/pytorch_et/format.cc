#include "formats/pytorch_et/format.h"

#include "formats/pytorch_et/reader.h"

namespace orrery::pytorch_et {
namespace {

bool is_host_trace(const formats::Head& head) { return looks_like_host_trace(head.bytes); }

}  // namespace

const formats::Format kFormat{.name = "host",
                              .title = "a PyTorch execution trace (host trace)",
                              .content = formats::Content::host_trace,
                              .priority = 20,
                              .sniff = is_host_trace,
                              .read_host = read_host_trace};

}  // namespace orrery::pytorch_et
