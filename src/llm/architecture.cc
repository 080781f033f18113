#include "llm/architecture.h"

#include <algorithm>
#include <cmath>

namespace orrery::llm {

double dense_parameters(const Architecture& a) {
  const double attention = 2 * a.hidden * a.heads * a.head_size + 2 * a.hidden * a.kv_width();
  const double mlp = (a.plain_mlp ? 2 : 3) * a.hidden * a.ffn;
  return a.layers * (attention + mlp) + 2 * a.vocabulary * a.hidden;
}

double domains_reached(const Experts& experts, double domains) {
  const double open = experts.chosen_groups > 0 ? std::min(domains, experts.chosen_groups) : domains;
  return open * (1 - std::pow(1 - 1 / open, experts.chosen));
}

}  // namespace orrery::llm
