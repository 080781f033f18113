#include "cli/graphs/whatif_question.h"

#include <algorithm>
#include <cmath>

#include "ask/sweep_session.h"
#include "base/numbers.h"

namespace orrery::cli {
namespace {

using analyze::EditRule;
using analyze::ParsedEdit;

std::optional<UsageError> check_network_edits(std::span<const ParsedEdit> edits, bool has_machine) {
  for (const ParsedEdit& edit : edits) {
    if (std::holds_alternative<analyze::NetworkEdit>(edit) && !has_machine)
      return UsageError{"the network is edited where it is simulated", "say which one it is: --machine FILE",
                        analyze::text_of(edit), 0};
  }
  return std::nullopt;
}

// "0.5,1,2"
std::optional<UsageError> parse_factors(const std::string& text, std::vector<double>& factors) {
  for (std::string_view rest = text;; rest.remove_prefix(1)) {
    const std::size_t begin = text.size() - rest.size();
    double factor = 0;
    if (!take_number(rest, factor) || !std::isfinite(factor) || factor < 0)
      return UsageError{"--sweep takes factors separated by commas", "like 0.25,0.5,1,2", text, begin};
    factors.push_back(factor);
    if (rest.empty()) return std::nullopt;
    if (rest.front() != ',')
      return UsageError{"expected a comma", "like 0.25,0.5,1,2", text, text.size() - rest.size()};
  }
}

// Whether there is something for a factor of --sweep to change.
bool can_be_swept(const ParsedEdit& edit) {
  if (const auto* rule = std::get_if<EditRule>(&edit)) return rule->action == EditRule::Action::scale;
  if (const auto* network = std::get_if<analyze::NetworkEdit>(&edit)) return network->action == EditRule::Action::scale;
  return true;
}

}  // namespace

std::optional<UsageError> parse_edits(std::span<const std::string> texts, std::vector<ParsedEdit>& edits) {
  for (const std::string& text : texts) {
    if (const Status taken = ask::parse_edit(text, edits); !taken)
      return UsageError{taken.error().message, taken.error().hint, text, taken.error().offset};
  }
  return std::nullopt;
}

std::optional<UsageError> parse_question(const Invocation& invocation, std::size_t traces, Question& question) {
  if (const auto error = parse_instances(invocation, question.instances)) return error;
  const std::vector<std::string>& operands = invocation.operands();
  // Where it could be moved, and what a machine makes of it, can be asked of a job as it is.
  const bool asks_otherwise = invocation.has("machine") || invocation.has("moves");
  if (operands.size() < traces + (asks_otherwise ? 0 : 1))
    return UsageError{"no edit given", "like: orrery whatif TRACE 'kernel:/gemm/ * 0.5'"};
  if (const auto error = parse_edits(std::span(operands).subspan(traces), question.edits)) return error;
  if (const auto error = check_network_edits(question.edits, invocation.has("machine"))) return error;
  if (const auto error = check_checkpoint(invocation)) return error;
  if (!invocation.has("sweep")) return std::nullopt;
  if (const auto error = parse_factors(invocation.text("sweep"), question.factors)) return error;
  // Without a factor to replace, every point of the sweep would be the same, and look like an answer.
  if (std::none_of(question.edits.begin(), question.edits.end(), can_be_swept))
    return UsageError{"--sweep replaces the factor of a scaling edit, and there is none",
                      "like 'kernel * 1' --sweep 0.5,1,2"};
  return std::nullopt;
}

}  // namespace orrery::cli
