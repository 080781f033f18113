#include "analyze/capture/label_numbers.h"

#include <optional>

#include "base/numbers.h"
#include "causal/step_name.h"

namespace orrery::analyze {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::vector<std::int64_t> label_numbers_of(std::string_view label) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < label.size();) {
    if (!is_digit(label[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < label.size() && is_digit(label[end])) ++end;
    const bool is_own = at == 0 || !is_letter(label[at - 1]);
    const auto number = leading_number<std::int64_t>(label.substr(at, end - at));
    if (is_own && number && *number != 0) numbers.push_back(*number);
    at = end;
  }
  return numbers;
}

std::vector<std::int64_t> step_numbers_of(const trace::Trace& trace, std::string_view step) {
  const std::optional<causal::StepName> name = causal::step_name_in(trace, step);
  std::vector<std::int64_t> numbers;
  if (!name) return numbers;
  if (name->tokens) numbers.push_back(*name->tokens);
  if (name->requests) numbers.push_back(*name->requests);
  return numbers;
}

}  // namespace orrery::analyze
