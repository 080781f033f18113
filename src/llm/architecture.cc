#include "llm/architecture.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace orrery::llm {
namespace {

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

const Architecture* named_exactly(const std::vector<Architecture>& known, const std::string& name) {
  for (const Architecture& one : known) {
    if (normalised_name(one.name) == name) return &one;
    for (const std::string& alias : one.aliases) {
      if (normalised_name(alias) == name) return &one;
    }
  }
  return nullptr;
}

const Architecture* begun_with(const std::vector<Architecture>& known, const std::string& name) {
  const Architecture* best = nullptr;
  std::size_t longest = 0;
  const auto consider = [&](const Architecture& one, const std::string& called) {
    const std::string candidate = normalised_name(called);
    // The longest name that fits: "llama370binstruct" begins with "llama3" too.
    if (candidate.size() <= longest || !name.starts_with(candidate)) return;
    best = &one;
    longest = candidate.size();
  };
  for (const Architecture& one : known) {
    consider(one, one.name);
    for (const std::string& alias : one.aliases) consider(one, alias);
  }
  return best;
}

/// "30B": digits and a b, at or behind `from`; moves `from` behind it.
std::optional<double> size_in(const std::string& text, std::size_t& from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
    std::size_t end = at;
    double number = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0)
      number = 10 * number + (text[end++] - '0');
    if (end < text.size() && text[end] == 'b') return from = end + 1, number * 1e9;
    // Digits that no b follows are a version, as the 3 of "llama 3 8b".
    at = end;
  }
  return std::nullopt;
}

/// Directly behind the size: "a3b" of "30b-a3b".
std::optional<double> active_size_at(const std::string& text, std::size_t from) {
  while (from < text.size() && !is_letter_or_digit(text[from])) ++from;
  // "a" directly before digits: the active parameters of a mixture of experts.
  if (from + 1 >= text.size() || text[from] != 'a' || std::isdigit(static_cast<unsigned char>(text[from + 1])) == 0)
    return std::nullopt;
  return size_in(text, ++from);
}

// Training takes six operations per active parameter and token, and some attention.
constexpr double kFlopPerParameter = 6.4;
// Layers are about as many as make a model of common proportions: 12 layers h^2 parameters, h / layers = 90.
constexpr double kCubeOfWidth = 7.5;
constexpr double kWidthStep = 128;

std::optional<Architecture> of_size(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  std::size_t at = 0;
  const auto all = size_in(text, at);
  if (!all) return std::nullopt;
  const double active = active_size_at(text, at).value_or(*all);
  const bool sparse = *all > active;
  Architecture guess;
  guess.name = std::string(name);
  // At least 1024 wide and eight layers, so that the smallest sizes still make a model.
  guess.hidden = kWidthStep * std::max(8.0, std::nearbyint(std::cbrt(kCubeOfWidth * active) / kWidthStep));
  guess.layers = std::max(8.0, std::nearbyint(active / (12 * guess.hidden * guess.hidden)));
  // The name does not tell the experts; 128 with 8 of them chosen are those of Qwen3-30B-A3B.
  guess.experts = sparse ? Experts{.count = 128, .chosen = 8, .ffn = guess.hidden}
                         : Experts{.count = 1, .chosen = 1, .ffn = guess.hidden, .dense_layers = guess.layers};
  guess.hybrid = HybridWork{
      .training_gflop_per_token = kFlopPerParameter * active / 1e9, .parameters = *all, .routed_width = guess.hidden};
  return guess;
}

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '(') {
      const std::size_t end = name.find(')', at);
      if (end != std::string_view::npos) {
        at = end;
        continue;
      }
    }
    if (is_letter_or_digit(name[at])) result += lower(name[at]);
  }
  return result;
}

const Architecture* known_architecture(const std::vector<Architecture>& known, std::string_view name) {
  const std::string wanted = normalised_name(name);
  if (wanted.empty()) return nullptr;
  if (const Architecture* found = named_exactly(known, wanted)) return found;
  return begun_with(known, wanted);
}

std::optional<Architecture> architecture_called(const std::vector<Architecture>& known, std::string_view name) {
  if (const Architecture* found = known_architecture(known, name)) return *found;
  return of_size(name);
}

double dense_parameters(const Architecture& a) {
  // Projections of queries and of the output are heads wide, those of keys and values as wide as kv_width().
  const double attention = 2 * a.hidden * a.heads * a.head_size + 2 * a.hidden * a.kv_width();
  // A gated MLP has three matrices, a plain one two.
  const double mlp = (a.plain_mlp ? 2 : 3) * a.hidden * a.ffn;
  // The vocabulary twice: as embedding and as the last projection.
  return a.layers * (attention + mlp) + 2 * a.vocabulary * a.hidden;
}

double domains_reached(const Experts& experts, double domains) {
  // Routing may be limited to a few groups of experts, and then no more domains than these are reached.
  const double open = experts.chosen_groups > 0 ? std::min(domains, experts.chosen_groups) : domains;
  return open * (1 - std::pow(1 - 1 / open, experts.chosen));
}

}  // namespace orrery::llm
