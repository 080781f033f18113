#include "simulate/loggops/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/counted.h"

namespace orrery::simulate::loggops {
namespace {

constexpr std::size_t kShown = 3;

std::string tag_text(std::int64_t tag) { return tag == -1 ? "any tag" : fmt::format("tag {}", tag); }

std::string waiting_text(const Operations& operations, OpIndex recv, const DescribeOp& describe) {
  const std::uint32_t peer = operations[recv].peer;
  const std::string source = peer == kAnyPeer ? "any rank" : fmt::format("rank {}", peer);
  return fmt::format("{} waits for a message from {} with {}", describe(recv), source, tag_text(operations.tag(recv)));
}

}  // namespace

Error explain_stall(const Engine& engine, const Operations& operations, const DescribeOp& describe) {
  std::vector<std::string> reasons;
  std::size_t waiting = 0;
  for (OpIndex i = 0; i < operations.size(); ++i) {
    if (operations[i].kind != Operation::Kind::recv || !engine.is_waiting(i)) continue;
    if (++waiting <= kShown) reasons.push_back(waiting_text(operations, i, describe));
  }
  if (waiting > kShown) reasons.push_back(fmt::format("{} more receives wait", waiting - kShown));
  const std::vector<std::uint64_t> all_kept = engine.matcher().kept_messages();
  const std::vector<OpIndex> kept(all_kept.begin(), all_kept.end());
  for (std::size_t k = 0; k < std::min(kept.size(), kShown); ++k) {
    reasons.push_back(fmt::format("the message of {} to rank {} with {} is never received", describe(kept[k]),
                                  operations[kept[k]].peer, tag_text(operations.tag(kept[k]))));
  }
  if (kept.size() > kShown) reasons.push_back(fmt::format("{} more messages are never received", kept.size() - kShown));
  const std::uint64_t undone = engine.undone();
  return {fmt::format("the simulation stops after {} with {} of {} not done: {}", format_duration(engine.now()), undone,
                      report::counted(operations.size(), "operation"), fmt::join(reasons, "; ")),
          {},
          Error::kNoOffset,
          "receives and messages match by rank and tag, in order"};
}

}  // namespace orrery::simulate::loggops
