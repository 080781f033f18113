#include "formats/astra_text/format.h"

#include "formats/astra_text/text_workload.h"

namespace orrery::astra_text {
namespace {

bool is_text_workload(const formats::Head& head) { return looks_like_text_workload(head.bytes); }

Result<workload::Workload> read_layers(std::span<const std::string> paths, const formats::WorkloadOptions& options) {
  const Result<TextWorkload> text = astra_text::read(paths.front());
  if (!text) return text.error();
  Options how;
  if (options.ranks > 0) how.ranks = options.ranks;
  how.passes = options.passes;
  return to_workload(*text, how);
}

}  // namespace

const formats::Format kFormat{.name = "text",
                              .title = "a text workload of ASTRA-sim",
                              .content = formats::Content::workload,
                              .priority = 50,
                              .sniff = is_text_workload,
                              .read_workload = read_layers};

}  // namespace orrery::astra_text
