// Change something about a run of a serving engine, run it again, compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/whatif/serving_edits.h"
#include "ask/context.h"
#include "ask/fields.h"
#include "ask/graphs/whatif.h"
#include "report/answer.h"

namespace orrery::ask {

struct ServingWhatIfRequest {
  std::string config = {};
  std::vector<analyze::ServingEdit> edits = {};  ///< in this order
  std::vector<double> factors = {};              ///< of a sweep: also with the factor of scaling edits replaced by each
};
template <typename Visitor>
void fields(ServingWhatIfRequest& request, Visitor&& visit) {
  visit("sweep", written(request.factors, parse_factors));
}

/// Adds one. The Error of one that cannot be understood points into the text (offset).
Status parse_serving_edit(std::string_view text, std::vector<analyze::ServingEdit>& edits);

/// The sentence, what became of what requests wait for, each edit alone, and the sweep. Fails if an edit comes too late
/// to change anything.
Result<report::Answer> run(const ServingWhatIfRequest& request, Context& context);

}  // namespace orrery::ask
