#include "analyze/roofline/request_lengths.h"

#include "causal/step_name.h"

namespace orrery::analyze {

std::optional<RequestLengths> request_lengths(const trace::Trace& trace, std::string_view step) {
  const std::optional<causal::StepName> name = causal::step_name_in(trace, step);
  if (!name) return std::nullopt;
  const auto requests = [](const std::optional<std::int64_t>& count) { return count.value_or(0) > 0; };
  const bool knows_context = !requests(name->context_requests) || name->context_query_keys;
  const bool knows_generation = !requests(name->generation_requests) || name->generation_query_keys;
  if (!knows_context || !knows_generation) return std::nullopt;
  const auto value = [](const std::optional<std::int64_t>& number) { return static_cast<double>(number.value_or(0)); };
  return RequestLengths{.context_query_squares = value(name->context_query_squares),
                        .context_query_keys = value(name->context_query_keys),
                        .generation_query_keys = value(name->generation_query_keys),
                        .kv_tokens = value(name->context_kv_tokens) + value(name->generation_kv_tokens)};
}

}  // namespace orrery::analyze
