// What changed between two runs, of one rank or of whole jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/hta/trace_diff.h"
#include "ask/compat.h"
#include "ask/graphs/causal_source.h"
#include "ask/graphs/compared_run.h"

namespace orrery::ask {

inline constexpr std::pair<std::string_view, analyze::hta::DiffRows> kDiffRowsWords[] = {
    {"all", analyze::hta::DiffRows::all}, {"cpu", analyze::hta::DiffRows::cpu}, {"gpu", analyze::hta::DiffRows::gpu}};

inline constexpr std::pair<std::string_view, CompareBy> kCompareByWords[] = {{"operator", CompareBy::operators},
                                                                             {"kernel", CompareBy::kernels}};

struct DiffRequest {
  std::vector<std::string> runs = {};  ///< A and B: a file, a folder or a glob each; or one folder that holds both
  GraphRequest each = {};              ///< of each run: which rank and window, on which clock; its files are not used
  std::optional<double> fail_above = {};  ///< the answer fails if B is slower, significantly and by more than this in %
  std::optional<CompareBy> by = {};       ///< what device work is compared by; none: operators
  Compat compat = Compat::none;
  // HTA's own, and meaningless otherwise.
  std::optional<analyze::hta::DiffRows> on = {};  ///< which rows to compare; none: all
  std::optional<std::int64_t> control_step = {};  ///< the profiler step of the first run; none: its first
  std::optional<std::int64_t> test_step = {};     ///< the same of the second
  bool short_names = false;                       ///< without template arguments, parameters and return types
};
template <typename Visitor>
void fields(DiffRequest& request, Visitor&& visit) {
  fields(request.each, visit);
  visit("fail-above", request.fail_above);
  visit("by", choice(request.by, kCompareByWords));
  visit("compat", choice(request.compat, kCompatWords));
  visit("on", choice(request.on, kDiffRowsWords));
  visit("control-step", request.control_step);
  visit("test-step", request.test_step);
  visit("short-names", request.short_names);
}

Result<report::Answer> run(const DiffRequest& request, Context& context);

}  // namespace orrery::ask
