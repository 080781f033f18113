// Who made whom wait, and why: of all ranks of a job.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "ask/graphs/causal_source.h"

namespace orrery::ask {

/// What causes are called by.
enum class CauseName : std::uint8_t { operation, annotation };
inline constexpr std::pair<std::string_view, CauseName> kCauseNameWords[] = {{"operation", CauseName::operation},
                                                                             {"annotation", CauseName::annotation}};

struct BlameRequest {
  GraphRequest graph = {};
  CauseName by = CauseName::operation;    ///< or the innermost user annotation around its launch
  std::optional<double> fail_above = {};  ///< the answer fails if waiting takes a larger share of all ranks' time, in %
};
template <typename Visitor>
void fields(BlameRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("by", choice(request.by, kCauseNameWords));
  visit("fail-above", request.fail_above);
}

/// Sentences first: how much, whose fault and by what, whether that is more than chance, what there is to gain. Then
/// who waits for whom (a matrix up to 16 ranks, above that the worst pairs), ranks, causes, operations, steps.
Result<report::Answer> run(const BlameRequest& request, Context& context);

}  // namespace orrery::ask
