#include "formats/goal/format.h"

#include "formats/goal/binary_layout.h"
#include "formats/goal/reader.h"

namespace orrery::goal {
namespace {

// "num_ranks 4", behind comments (// or /* */); or one of the cookies of txt2bin.
bool is_goal(const formats::Head& head) {
  const std::string_view bytes = head.bytes;
  if (bytes.size() >= sizeof(std::uint64_t)) {
    const auto cookie = load<std::uint64_t>(bytes.data());
    if (cookie == kCookie || cookie == kConsumedCookie) return true;
  }
  if (bytes.find('\0') != std::string_view::npos) return false;  // no text
  const std::size_t at = bytes.find("num_ranks");
  return at != std::string_view::npos &&
         (at == 0 || bytes[at - 1] == '\n' || bytes[at - 1] == ' ' || bytes[at - 1] == '/');
}

Result<workload::Workload> read_schedule(std::span<const std::string> paths,
                                         const formats::WorkloadOptions& /*options*/) {
  return read_workload(paths.front());
}

}  // namespace

const formats::Format kFormat{.name = "goal",
                              .title = "a GOAL schedule",
                              .content = formats::Content::workload,
                              .priority = 60,
                              .sniff = is_goal,
                              .read_workload = read_schedule};

}  // namespace orrery::goal
