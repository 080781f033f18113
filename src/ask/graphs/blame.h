// Who made whom wait, and why: of all ranks of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ask/compat.h"
#include "ask/graphs/causal_source.h"

namespace orrery::ask {

/// What causes are called by.
enum class CauseName : std::uint8_t { operation, annotation };
inline constexpr std::pair<std::string_view, CauseName> kCauseNameWords[] = {{"operation", CauseName::operation},
                                                                             {"annotation", CauseName::annotation}};

struct BlameRequest {
  GraphRequest graph = {};
  std::optional<CauseName> by = {};       ///< the operation, or the innermost user annotation around its launch
  std::optional<double> fail_above = {};  ///< the answer fails if waiting takes a larger share of all ranks' time, in %
  Compat compat = Compat::none;
  // HTA's own, and meaningless otherwise.
  std::optional<std::size_t> candidates = {};  ///< how many ranks to name; none: two
  std::vector<std::int64_t> steps = {};        ///< look at these only; none: all but the last
  bool include_last_step = false;
};
/// A further one.
Status parse_step(std::string_view text, std::vector<std::int64_t>& steps);

template <typename Visitor>
void fields(BlameRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("by", choice(request.by, kCauseNameWords));
  visit("fail-above", request.fail_above);
  visit("compat", choice(request.compat, kBlameCompatWords));
  visit("candidates", request.candidates);
  visit("step", written(request.steps, parse_step));
  visit("include-last-step", request.include_last_step);
}

/// Sentences first: how much, whose fault and by what, whether that is more than chance, what there is to gain. Then
/// who waits for whom (a matrix up to 16 ranks, above that the worst pairs), ranks, causes, operations, steps. As HTA
/// has it: the ranks that may be stragglers.
Result<report::Answer> run(const BlameRequest& request, Context& context);

}  // namespace orrery::ask
