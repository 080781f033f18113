#include "trace/names/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/numbers.h"

// A set of patterns tells in one pass over a name which of them match; only the one that decides is then matched alone,
// for its groups. A set that would need more memory than it may take says so, and its patterns are tried one by one.

namespace orrery::trace {

/// "$1 * 8", "8", "$2": a group (0: none) times a number.
struct GroupSizeExpression {
  int group = 0;
  std::int64_t factor = 1;
};

namespace {

constexpr std::int64_t kPatternBytes = std::int64_t{4} << 20;
constexpr std::int64_t kSetBytes = std::int64_t{64} << 20;
constexpr std::size_t kMaxPatternLength = 4000;
constexpr std::int64_t kMaxGroup = 1'000'000'000;

RE2::Options options_of(std::int64_t bytes) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(bytes);
  // Recorders write names as bytes; one that is no UTF-8 still has a name in it.
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

std::unique_ptr<const RE2> compiled(const std::string& pattern) {
  return pattern.empty() ? nullptr : std::make_unique<const RE2>(pattern, options_of(kPatternBytes));
}

}  // namespace

/// Several patterns over one text.
class RulePatternSet {
 public:
  /// Patterns get the numbers of their rules.
  void add(std::uint32_t rule, const std::string& pattern) {
    set_.Add(pattern, nullptr);
    rules_.push_back(rule);
    alone_.push_back(compiled(pattern));
  }
  void compile() { usable_ = rules_.empty() || set_.Compile(); }
  [[nodiscard]] bool empty() const { return rules_.empty(); }

  /// Ascending.
  void matching(std::string_view text, std::vector<std::uint32_t>& out) const {
    if (rules_.empty()) return;
    const re2::StringPiece piece(text.data(), text.size());
    std::vector<int> found;
    RE2::Set::ErrorInfo error{RE2::Set::kNoError};
    const bool any = usable_ && set_.Match(piece, &found, &error);
    if (usable_ && (any || error.kind == RE2::Set::kNoError)) {
      for (const int place : found) out.push_back(rules_[static_cast<std::size_t>(place)]);
    } else {
      for (std::size_t i = 0; i < rules_.size(); ++i) {
        if (RE2::PartialMatch(piece, *alone_[i])) out.push_back(rules_[i]);
      }
    }
    std::sort(out.begin(), out.end());
  }

 private:
  RE2::Set set_{options_of(kSetBytes), RE2::UNANCHORED};
  bool usable_ = true;
  std::vector<std::uint32_t> rules_;
  std::vector<std::unique_ptr<const RE2>> alone_;
};

namespace {

std::optional<std::string> fault_of_pattern(const std::string& pattern) {
  if (pattern.size() > kMaxPatternLength) return fmt::format("is longer than {} bytes", kMaxPatternLength);
  const RE2 re(pattern, options_of(kPatternBytes));
  if (re.ok()) return std::nullopt;
  return fmt::format("is no pattern of RE2: {}", re.error());
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The digit of "$1"; 0 if it is not one.
int group_of(std::string_view text) {
  return text.size() == 2 && text[0] == '$' && text[1] >= '1' && text[1] <= '9' ? text[1] - '0' : 0;
}

std::optional<GroupSizeExpression> parse_size(std::string_view text) {
  GroupSizeExpression size;
  for (bool more = true; more;) {
    const std::size_t star = text.find('*');
    more = star != std::string_view::npos;
    const std::string_view factor = trimmed(text.substr(0, star));
    text.remove_prefix(more ? star + 1 : text.size());
    if (const int group = group_of(factor); group != 0 && size.group == 0) {
      size.group = group;
      continue;
    }
    const NumberScan<std::int64_t> number = scan_number<std::int64_t>(factor);
    if (!number.is_all_of(factor) || number.value < 1 || number.value > kMaxGroup / size.factor) return std::nullopt;
    size.factor *= number.value;
  }
  return size;
}

/// The pattern whose groups "$1" means.
const std::string& capturing(const CommunicationRule& rule) {
  return !rule.name.empty() ? rule.name : !rule.signature.empty() ? rule.signature : rule.operator_name;
}

std::optional<std::string> fault_of_group(const CommunicationRule& rule, int group) {
  const RE2 re(capturing(rule), options_of(kPatternBytes));
  if (group <= re.NumberOfCapturingGroups()) return std::nullopt;
  return fmt::format("asks for group ${}, and the pattern has {}", group, re.NumberOfCapturingGroups());
}

bool found_in(const RE2* pattern, std::string_view text) {
  return pattern == nullptr || RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
}

}  // namespace

std::optional<RuleFault> fault_of(const CommunicationRule& rule) {
  if (capturing(rule).empty()) return RuleFault{"", "has no name, signature or operator to go by"};
  const std::pair<const char*, const std::string*> patterns[] = {
      {"name", &rule.name}, {"signature", &rule.signature}, {"operator", &rule.operator_name}};
  for (const auto& [field, pattern] : patterns) {
    if (pattern->empty()) continue;
    if (auto fault = fault_of_pattern(*pattern)) return RuleFault{field, std::move(*fault)};
  }
  if (rule.library.starts_with('$')) {
    const int group = group_of(rule.library);
    if (group == 0) return RuleFault{"library", "must be a name, or a group as in '$1'"};
    if (auto fault = fault_of_group(rule, group)) return RuleFault{"library", std::move(*fault)};
  }
  if (rule.group_size.empty()) return std::nullopt;
  const auto size = parse_size(rule.group_size);
  if (!size) return RuleFault{"group_size", "must be a number, a group, or their product, as in '$1 * 8'"};
  if (auto fault = fault_of_group(rule, size->group)) return RuleFault{"group_size", std::move(*fault)};
  return std::nullopt;
}

std::optional<RuleFault> fault_of(const StepRule& rule) {
  if (rule.pattern.empty()) return RuleFault{"name", "must not be empty"};
  if (auto fault = fault_of_pattern(rule.pattern)) return RuleFault{"name", std::move(*fault)};
  const RE2 re(rule.pattern, options_of(kPatternBytes));
  for (const auto& [group, place] : re.NamedCapturingGroups()) {
    if (std::find(std::begin(kStepGroups), std::end(kStepGroups), group) == std::end(kStepGroups))
      return RuleFault{"name",
                       fmt::format("has a group '{}', which is none of {}", group, fmt::join(kStepGroups, ", "))};
  }
  return std::nullopt;
}

std::string function_part(std::string_view kernel) {
  // "(anonymous namespace)::", or what other compilers write for it.
  std::string text;
  for (std::size_t at = 0; at < kernel.size();) {
    const std::string_view rest = kernel.substr(at);
    std::size_t skipped = 0;
    for (const std::string_view word : {"(anonymous namespace)::", "<unnamed>::", "{anonymous}::"}) {
      if (rest.starts_with(word)) skipped = word.size();
    }
    if (skipped == 0) text += kernel[at++];
    else at += skipped;
  }
  // "foo(int) [clone .kd]"
  if (const std::size_t clone = text.find(" [clone"); clone != std::string::npos) text.resize(clone);
  std::size_t begin = 0, end = text.size();
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    // "operator()" is a name; the parameters come behind it.
    if (depth == 0 && c == '(' && std::string_view(text).substr(0, at).ends_with("operator") && at + 1 < text.size() &&
        text[at + 1] == ')') {
      ++at;
      continue;
    }
    if (depth == 0 && c == '(') {
      end = at;
      break;
    }
    // Arguments of templates may hold casts, lambdas and further parameters: "<(Pattern)1, f(int)::{lambda()#1}>".
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    else if ((c == '>' && (at == 0 || text[at - 1] != '-')) || c == ')' || c == '}' || c == ']')
      depth = std::max(0, depth - 1);
    // "f<T> (int)": what comes is no name.
    else if (c == ' ' && depth == 0 && at + 1 < text.size() && text[at + 1] != '(') begin = at + 1;
  }
  while (end > begin && text[end - 1] == ' ') --end;
  return text.substr(begin, end - begin);
}

struct Rules::Patterns {
  std::vector<std::unique_ptr<const RE2>> steps;
  struct OfRule {
    std::unique_ptr<const RE2> name, signature, operator_name;
    GroupSizeExpression size;
    int library_group = 0;
  };
  std::vector<OfRule> rules;
  // Of rules that ask for no operator. One that asks for name and signature is in the first, and looked at again.
  RulePatternSet names, signatures;
  RulePatternSet operators;
};

Rules::Rules(std::vector<CommunicationRule> communication, std::vector<StepRule> steps, std::vector<std::string> files)
    : communication_(std::move(communication)), steps_(std::move(steps)), files_(std::move(files)) {
  auto patterns = std::make_unique<Patterns>();
  for (std::uint32_t r = 0; r < communication_.size(); ++r) {
    const CommunicationRule& rule = communication_[r];
    Patterns::OfRule& of_rule = patterns->rules.emplace_back();
    of_rule.name = compiled(rule.name);
    of_rule.signature = compiled(rule.signature);
    of_rule.operator_name = compiled(rule.operator_name);
    of_rule.size = parse_size(rule.group_size).value_or(GroupSizeExpression{0, 0});
    of_rule.library_group = group_of(rule.library);
    if (!rule.operator_name.empty()) patterns->operators.add(r, rule.operator_name);
    else if (!rule.name.empty()) patterns->names.add(r, rule.name);
    else patterns->signatures.add(r, rule.signature);
  }
  for (const StepRule& rule : steps_) patterns->steps.push_back(compiled(rule.pattern));
  patterns->names.compile();
  patterns->signatures.compile();
  patterns->operators.compile();
  patterns_ = std::move(patterns);
}

Rules::~Rules() = default;

std::optional<StepReading> Rules::read_step(std::string_view name) const {
  for (std::uint32_t r = 0; r < patterns_->steps.size(); ++r) {
    const RE2& pattern = *patterns_->steps[r];
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece text(name.data(), name.size());
    if (!pattern.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, groups.data(), static_cast<int>(groups.size())))
      continue;
    StepReading reading{.rule = r};
    for (const auto& [group, place] : pattern.NamedCapturingGroups()) {
      const auto at = std::find(std::begin(kStepGroups), std::end(kStepGroups), group) - std::begin(kStepGroups);
      const re2::StringPiece& found = groups[static_cast<std::size_t>(place)];
      reading.numbers[static_cast<std::size_t>(at)] =
          parse_number<std::int64_t>(std::string_view(found.data() == nullptr ? "" : found.data(), found.size()));
    }
    return reading;
  }
  return std::nullopt;
}

std::uint32_t Rules::first_by_name(std::string_view kernel) const {
  std::vector<std::uint32_t> fitting;
  patterns_->names.matching(function_part(kernel), fitting);
  std::uint32_t first = kNoRule;
  for (const std::uint32_t rule : fitting) {
    if (!found_in(patterns_->rules[rule].signature.get(), kernel)) continue;
    first = rule;
    break;
  }
  fitting.clear();
  patterns_->signatures.matching(kernel, fitting);
  return fitting.empty() ? first : std::min(first, fitting.front());
}

std::vector<std::uint32_t> Rules::asking_for(std::string_view operator_name) const {
  std::vector<std::uint32_t> asking;
  patterns_->operators.matching(operator_name, asking);
  return asking;
}

bool Rules::fits_name(std::uint32_t rule, std::string_view kernel) const {
  const Patterns::OfRule& patterns = patterns_->rules[rule];
  if (!found_in(patterns.signature.get(), kernel)) return false;
  return patterns.name == nullptr || found_in(patterns.name.get(), function_part(kernel));
}

bool Rules::ask_for_operators() const { return !patterns_->operators.empty(); }

RuleReading Rules::read(std::uint32_t rule, std::string_view kernel, std::string_view operator_name) const {
  const Patterns::OfRule& patterns = patterns_->rules[rule];
  RuleReading reading{rule, communication_[rule].library, patterns.size.factor};
  if (patterns.library_group == 0 && patterns.size.group == 0) return reading;
  const std::string function = patterns.name ? function_part(kernel) : std::string();
  const RE2& pattern = patterns.name        ? *patterns.name
                       : patterns.signature ? *patterns.signature
                                            : *patterns.operator_name;
  const std::string_view text = patterns.name        ? std::string_view(function)
                                : patterns.signature ? kernel
                                                     : operator_name;
  std::array<re2::StringPiece, 10> groups;
  const auto count = static_cast<int>(groups.size());
  pattern.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), RE2::UNANCHORED, groups.data(),
                std::min(count, 1 + pattern.NumberOfCapturingGroups()));
  const auto group = [&](int place) {
    const re2::StringPiece& piece = groups[static_cast<std::size_t>(place)];
    return std::string_view(piece.data(), piece.size());
  };
  if (patterns.library_group != 0) reading.library = group(patterns.library_group);
  if (patterns.size.group == 0) return reading;
  const NumberScan<std::int64_t> number = scan_number<std::int64_t>(group(patterns.size.group));
  // A group that took part in no match, or that is no size: not known.
  const bool is_size = number.is_number() && number.value >= 1 && number.value <= kMaxGroup / patterns.size.factor;
  reading.group_size = is_size ? number.value * patterns.size.factor : 0;
  return reading;
}

RuledNames::RuledNames(const Rules* rules, const Interner& strings)
    : rules_(rules), strings_(strings), by_name_(rules == nullptr ? 0 : strings.size(), kNotLookedAt) {}

std::uint32_t RuledNames::find(StringId kernel, StringId operator_name) {
  if (rules_ == nullptr) return kNoReading;
  if (operator_name == kNoOperator || !rules_->ask_for_operators()) return by_name(kernel);
  auto asking = asking_.find(operator_name);
  if (asking == asking_.end())
    asking = asking_.emplace(operator_name, rules_->asking_for(strings_.text(operator_name))).first;
  return asking->second.empty() ? by_name(kernel) : by_operator(kernel, operator_name, asking->second);
}

std::uint32_t RuledNames::by_name(StringId kernel) {
  std::uint32_t& known = by_name_[kernel];
  if (known != kNotLookedAt) return known;
  const std::uint32_t rule = rules_->first_by_name(strings_.text(kernel));
  return known = rule == Rules::kNoRule ? kNoReading : add(rule, kernel, {});
}

std::uint32_t RuledNames::by_operator(StringId kernel, StringId operator_name,
                                      const std::vector<std::uint32_t>& asking) {
  const auto [known, is_new] = by_pair_.emplace(std::uint64_t{kernel} << 32 | operator_name, kNoReading);
  if (!is_new) return known->second;
  const std::uint32_t without = by_name(kernel);
  const std::uint32_t first = without == kNoReading ? Rules::kNoRule : readings_[without].rule;
  known->second = without;
  for (const std::uint32_t rule : asking) {
    if (rule > first) break;
    if (!rules_->fits_name(rule, strings_.text(kernel))) continue;
    known->second = add(rule, kernel, strings_.text(operator_name));
    break;
  }
  return known->second;
}

std::uint32_t RuledNames::add(std::uint32_t rule, StringId kernel, std::string_view operator_name) {
  readings_.push_back(rules_->read(rule, strings_.text(kernel), operator_name));
  return static_cast<std::uint32_t>(readings_.size() - 1);
}

}  // namespace orrery::trace
