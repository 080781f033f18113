// What changed between two runs, of one rank or of whole jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/graphs/causal_source.h"

namespace orrery::ask {

struct DiffRequest {
  std::vector<std::string> runs = {};  ///< A and B: a file, a folder or a glob each; or one folder that holds both
  GraphRequest each = {};              ///< of each run: which rank and window, on which clock; its files are not used
  std::optional<double> fail_above = {};  ///< the answer fails if B is slower, significantly and by more than this in %
};
template <typename Visitor>
void fields(DiffRequest& request, Visitor&& visit) {
  fields(request.each, visit);
  visit("fail-above", request.fail_above);
}

Result<report::Answer> run(const DiffRequest& request, Context& context);

}  // namespace orrery::ask
