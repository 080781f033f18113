#include "align/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "align/diagnostics.h"
#include "match/diagnostics.h"

namespace orrery::align {

void remark_on_causality(const Exchanges& exchanges, const CausalityReport& report, const trace::Trace& trace,
                         Diagnostics& diagnostics) {
  const auto remark = [&](const DiagnosticKind& kind, std::size_t count) {
    if (count > 0) diagnostics.add_many(kind, count, {});
  };
  for (const Exchange& collective : exchanges.mispaired)
    diagnostics.add(kMispaired, [&] {
      return fmt::format("{} number {}", trace.strings.text(collective.name), collective.sequence);
    });
  remark(kAmbiguousCollectives, exchanges.ambiguous);
  remark(kUnclearPattern, exchanges.unclear_pattern);
  remark(kRootUnknown, report.root_unknown);
  remark(kPeersUnknown, report.peers_unknown + exchanges.peers_unknown);
  remark(kAmbiguousMessages, exchanges.messages_ambiguous);
  remark(kPairedByPattern, static_cast<std::size_t>(std::count_if(exchanges.all.begin(), exchanges.all.end(),
                                                                  [](const Exchange& c) { return c.by_pattern; })));
  remark(kNoExtent, exchanges.without_extent);
  remark(match::kGroupInferred, exchanges.groups_inferred);
  remark(match::kGroupUnclear, exchanges.groups_unclear);
  remark(match::kOrderDisagrees, exchanges.order_disagrees);
  for (const std::string& name : exchanges.reused_group_names)
    diagnostics.add(match::kGroupNameReused, [&] { return "group " + name; });
}

}  // namespace orrery::align
