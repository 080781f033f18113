#include "llm/architecture.h"

namespace orrery::llm {

double dense_parameters(const Architecture& a) {
  const double attention = 2 * a.hidden * a.heads * a.head_size + 2 * a.hidden * a.kv_width();
  const double mlp = (a.plain_mlp ? 2 : 3) * a.hidden * a.ffn;
  return a.layers * (attention + mlp) + 2 * a.vocabulary * a.hidden;
}

}  // namespace orrery::llm
