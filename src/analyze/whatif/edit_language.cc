#include "analyze/whatif/edit_language.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace orrery::analyze {

std::string_view word_of(causal::EdgeKind kind) {
  for (const EditWord& word : kEditWhat) {
    if (word.kinds == bit_of(kind)) return word.name;  // of communication `comm`, the first of three
  }
  return {};
}

std::string_view gap_word_of(causal::EdgeKind kind) {
  for (const EditWord& word : kEditGaps) {
    if ((word.kinds & bit_of(kind)) != 0) return word.name;
  }
  return {};
}

std::string exact_pattern(std::string_view name) {
  // A glob in quotes cannot hold a quote, and would take * and ? for anything: names of kernels have pointers in them.
  if (name.find_first_of("\"*?") == std::string_view::npos) return "\"" + std::string(name) + "\"";
  return "/^" + RE2::QuoteMeta(re2::StringPiece(name.data(), name.size())) +
         "$/";  // which writes \/ for a slash, as edits do
}

namespace {

TimePs scaled(TimePs weight, double factor) {
  const double product = static_cast<double>(weight) * factor;
  constexpr auto kLimit = static_cast<double>(graph::kMaxWeightPs);
  return product >= kLimit ? graph::kMaxWeightPs : product <= -kLimit ? -graph::kMaxWeightPs : std::llround(product);
}

}  // namespace

std::variant<NamePattern, std::string> NamePattern::regex(const std::string& text) {
  auto compiled = std::make_shared<RE2>(text, RE2::Quiet);
  if (!compiled->ok()) return compiled->error();
  NamePattern pattern;
  pattern.regex_ = std::move(compiled);
  return pattern;
}

NamePattern NamePattern::glob(const std::string& text) {
  std::string expression;
  for (const char c : text) {
    if (c == '*') expression += ".*";
    else if (c == '?') expression += '.';
    else expression += RE2::QuoteMeta(std::string(1, c));
  }
  NamePattern pattern;
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);  // names of kernels may have line breaks, and * stands for anything
  pattern.regex_ = std::make_shared<RE2>(expression, options);
  pattern.whole_ = true;
  pattern.of_nameless_ = text.empty();
  return pattern;
}

bool NamePattern::matches(std::string_view name) const {
  if (regex_ == nullptr) return true;
  const re2::StringPiece text(name.data(), name.size());
  return whole_ ? RE2::FullMatch(text, *regex_) : RE2::PartialMatch(text, *regex_);
}

bool NumberSet::contains(std::int64_t number) const {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.first <= number && number <= range.last; });
}

TimePs EditRule::changed(TimePs weight, std::optional<double> factor_instead) const {
  switch (action) {
    case Action::scale: return scaled(weight, factor_instead.value_or(factor));
    case Action::set: return amount;
    // Taking more away than there is leaves nothing, not time that runs backwards.
    case Action::add: return std::clamp<TimePs>(weight + amount, 0, graph::kMaxWeightPs);
    case Action::roof:
    case Action::achievable: break;
  }
  return weight;
}

std::vector<std::string> absent_numbers(const NumberSet& wanted, std::span<const std::int64_t> present,
                                        std::string_view what) {
  std::vector<std::string> absent;
  for (const auto& [first, last] : wanted.ranges) {
    if (std::any_of(present.begin(), present.end(),
                    [&, begin = first, end = last](std::int64_t number) { return begin <= number && number <= end; }))
      continue;
    absent.push_back(first == last ? fmt::format("{} {}", what, first)
                                   : fmt::format("{}s {} to {}", what, first, last));
  }
  return absent;
}

std::string needs_whole_job(const ParsedEdit& edit) {
  if (const auto* rule = std::get_if<EditRule>(&edit)) {
    if (rule->scope.group) return "which group a communication is of is known from all its ranks";
    if (rule->exchanged != EditRule::Exchanged::anything)
      return "what ranks exchange is known from all of them; of one rank, say comm";
    return {};
  }
  return {};
}

const std::string& text_of(const ParsedEdit& edit) {
  static const std::string kNone;
  return std::visit(
      [](const auto& any) -> const std::string& {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, EditError>) return kNone;
        else return any.text;
      },
      edit);
}

std::optional<std::int64_t> number_of_step(std::string_view name) {
  std::size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  return parse_number<std::int64_t>(name.substr(first));
}

}  // namespace orrery::analyze
