#include "align/remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "align/diagnostics.h"

namespace orrery::align {

void remark_on_causality(const MatchedCollectives& collectives, const CausalityReport& report, const trace::Trace& trace,
                         Diagnostics& diagnostics) {
  const auto remark = [&](const DiagnosticKind& kind, std::size_t count) {
    if (count > 0) diagnostics.add_many(kind, count, {});
  };
  for (const MatchedCollective& collective : collectives.mispaired)
    diagnostics.add(kMispaired, [&] { return fmt::format("{} number {}", trace.strings.text(collective.name), collective.sequence); });
  remark(kAmbiguousCollectives, collectives.ambiguous);
  remark(kUnclearPattern, collectives.unclear_pattern);
  remark(kRootUnknown, report.root_unknown);
  remark(kPeersUnknown, report.peers_unknown + collectives.peers_unknown);
  remark(kAmbiguousMessages, collectives.messages_ambiguous);
  remark(kPairedByPattern, static_cast<std::size_t>(std::count_if(collectives.collectives.begin(), collectives.collectives.end(),
                                                                  [](const MatchedCollective& c) { return c.by_pattern; })));
  remark(kNoExtent, collectives.without_extent);
}

}  // namespace orrery::align
