// Parsing of what-if edits; the grammar is in edit_language.h.
#include <array>

#include "analyze/whatif/edit_scanner.h"
#include "analyze/whatif/recording_cost.h"

namespace orrery::analyze {
namespace {

template <std::size_t N>
const EditWord* find_word(const std::array<EditWord, N>& words, std::string_view name) {
  for (const EditWord& word : words) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

template <std::size_t N>
std::string list_words(const std::array<EditWord, N>& words) {
  std::string list;
  for (const EditWord& word : words) list += (list.empty() ? "" : " ") + std::string(word.name);
  return list;
}

std::string list_operator_kinds() {
  std::string list;
  for (std::size_t k = 0; k < kOperatorKinds; ++k)
    list += (k == 0 ? "" : " ") + std::string(identifier(static_cast<OperatorKind>(k)));
  return list;
}

constexpr const char* kActions =
    "* factor, = duration, + duration, - duration, remove; of device work = roof, = achievable";
constexpr const char* kFilters = "filters: stream N, device N, in PATTERN, kind NAME; actions: * = + - remove";

class EditParser : EditScanner {
 public:
  explicit EditParser(const std::string& text) : EditScanner(text) {}

  ParsedEdit parse() {
    if (!scopes()) return error_;
    const std::size_t start = at_;
    const std::string_view first = word();
    if (first == "delay") return finished(delay(), delay_);
    if (first == "fails") return finished(failure(), failure_);
    if (first == "profiler") return finished(profiler(), rule_);
    if (first == "network" || first == "link") return finished(network(first == "link"), network_);
    at_ = start;
    return finished(what() && filters() && action(rule_), rule_);
  }

 private:
  template <typename Edit>
  ParsedEdit finished(bool understood, Edit& edit) {
    if (!understood || !at_end()) return error_;
    edit.text = text_;
    if constexpr (!std::is_same_v<Edit, NetworkEdit>) edit.scope = std::move(scope_);
    return std::move(edit);
  }

  // p2p has a digit in it.
  std::string_view word_with_digits() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > start && is_digit(text_[at_])))) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  /// The word `expected`, or an error that says so.
  bool keyword(std::string_view expected) {
    skip_blanks();
    const std::size_t start = at_;
    return word() == expected ||
           fail(start, "expected \"" + std::string(expected) + "\"", "fails at 2s restart 30s [from step:3]");
  }

  bool scopes() {
    for (;;) {
      skip_blanks();
      const std::size_t start = at_;
      const std::string_view name = word();
      const bool is_scope = (name == "rank" || name == "step" || name == "group") && is_at(':');
      if (!is_scope) {
        at_ = start;
        return true;
      }
      ++at_;
      std::size_t& position = name == "rank" ? rank_scope_ : name == "step" ? step_scope_ : group_scope_;
      if (position != kNowhere)
        return fail(start, std::string(name) + ": was given before",
                    "several numbers are one list: rank:0-3,7; several names one /a|b/");
      position = start;
      if (name == "group" ? !pattern(scope_.group.emplace()) : !numbers(name == "rank" ? scope_.ranks : scope_.steps))
        return false;
    }
  }

  bool numbers(std::optional<NumberSet>& out) {
    out.emplace();
    do {
      NumberSet::Range range;
      const std::size_t start = at_;
      if (!natural(range.first)) return false;
      range.last = range.first;
      if (is_at('-')) {
        ++at_;
        if (!natural(range.last)) return false;
        // 3-1 selects nothing; that it was meant the other way round is a guess.
        if (range.last < range.first) return fail(start, "this range ends before it begins", "like 0-3,7");
      }
      out->ranges.push_back(range);
    } while (is_at(',') && ++at_ != 0);
    return is_at(' ') || at_ == text_.size() ||
           fail(at_, "expected a blank behind the numbers", "like rank:0-3,7 kernel * 2");
  }

  bool profiler() {
    for (const std::size_t scope : {rank_scope_, step_scope_, group_scope_}) {
      if (scope != kNowhere) return fail(scope, "a profiler is everywhere: this edit has no scope");
    }
    skip_blanks();
    const std::size_t start = at_;
    if (word() != "remove")
      return fail(start, "expected \"remove\"", "profiler remove; if you know the time without it: --unprofiled");
    rule_.removes_profiler = true;
    rule_.action = EditRule::Action::add;
    return true;
  }

  bool delay() {
    if (group_scope_ != kNowhere) return fail(group_scope_, "a delay is of ranks and steps, not of a group");
    return duration(delay_.amount);
  }

  bool failure() {
    if (group_scope_ != kNowhere)
      return fail(group_scope_, "ranks fail, groups do not", "like rank:2 fails at 2s restart 30s");
    if (step_scope_ != kNowhere)
      return fail(step_scope_, "a failure has a time, not a step", "like rank:2 fails at 2s restart 30s from step:3");
    if (!keyword("at") || !duration(failure_.at) || !keyword("restart") || !duration(failure_.restart)) return false;
    skip_blanks();
    if (at_ == text_.size()) return true;
    if (!keyword("from") || !keyword("step")) return false;
    if (!is_at(':')) return fail(at_, "expected \":\"", "like from step:3");
    ++at_;
    return natural(failure_.from_step.emplace());
  }

  bool network(bool is_link) {
    for (const std::size_t scope : {rank_scope_, step_scope_, group_scope_}) {
      if (scope != kNowhere) return fail(scope, "the network is that of all ranks and steps", "leave the scope out");
    }
    if (is_link) {
      if (!is_at(':')) return fail(at_, "expected \":\" and the link's name", "like link:\"spine*\" bandwidth * 2");
      ++at_;
      if (!pattern(network_.link.emplace())) return false;
    }
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view quantity = word();
    if (quantity != "bandwidth" && quantity != "latency")
      return fail(start, "expected bandwidth or latency", "like network bandwidth * 2");
    network_.quantity = quantity == "latency" ? NetworkEdit::Quantity::latency : NetworkEdit::Quantity::bandwidth;
    return quantity == "latency" ? action(network_) : rate_action();
  }

  // A bandwidth is no duration: it is scaled, or set to so many gigabytes a second.
  bool rate_action() {
    skip_blanks();
    const std::size_t start = at_;
    constexpr const char* kHint = "* factor, or = number GB/s";
    if (at_ >= text_.size()) return fail(at_, "expected an action at the end", kHint);
    const char symbol = text_[at_++];
    if (symbol == '*')
      return number(network_.factor) && (network_.factor > 0 || fail(start, "without bandwidth nothing ends", kHint));
    if (symbol != '=') return fail(start, "expected an action", kHint);
    network_.action = EditRule::Action::set;
    if (!number(network_.bytes_per_second)) return false;
    skip_blanks();
    if (text_.compare(at_, 4, "GB/s") != 0) return fail(at_, "expected a unit", "GB/s");
    if (network_.bytes_per_second <= 0) return fail(start, "without bandwidth nothing ends", kHint);
    at_ += 4;
    network_.bytes_per_second *= 1e9;
    return true;
  }

  bool what() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view name = word_with_digits();
    const EditWord* known = find_word(kEditWhat, name);
    if (known == nullptr)
      return fail(start, name.empty() ? "expected what to change" : "unknown kind \"" + std::string(name) + "\"",
                  "one of: " + list_words(kEditWhat));
    rule_.kinds = known->kinds;
    if (name == "collective") rule_.exchanged = EditRule::Exchanged::collectives;
    if (name == "p2p") rule_.exchanged = EditRule::Exchanged::messages;
    if (!is_at(':')) return true;
    ++at_;
    if (name == "collective") return pattern(rule_.collective);
    // Gaps belong to no event: behind the colon stands which of them, not a name.
    if (name != "gap") return pattern(rule_.name);
    skip_blanks();
    const std::size_t gap_start = at_;
    const EditWord* gap = find_word(kEditGaps, word());
    if (gap == nullptr) return fail(gap_start, "unknown gap", "one of: " + list_words(kEditGaps));
    rule_.kinds = gap->kinds;
    return true;
  }

  bool pattern(NamePattern& out) {
    skip_blanks();
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '/') {
      std::string expression;
      for (++at_; at_ < text_.size() && text_[at_] != '/'; ++at_) {
        // Only \/ is ours to unescape; every other backslash belongs to the expression.
        if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') ++at_;
        expression += text_[at_];
      }
      if (at_ >= text_.size()) return fail(start, "this regular expression has no closing /");
      ++at_;
      auto compiled = NamePattern::regex(expression);
      if (const auto* why = std::get_if<std::string>(&compiled))
        return fail(start, "not a regular expression: " + *why);
      out = std::get<NamePattern>(compiled);
      return true;
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t close = text_.find('"', at_ + 1);
      if (close == std::string::npos) return fail(start, "this name has no closing quote");
      out = NamePattern::glob(text_.substr(at_ + 1, close - at_ - 1));
      at_ = close + 1;
      return true;
    }
    std::size_t end = text_.find(' ', at_);
    if (end == std::string::npos) end = text_.size();
    if (end == at_)
      return fail(start, "expected a name pattern", "a glob like *gemm*, a quoted name, or /a regular expression/");
    out = NamePattern::glob(text_.substr(at_, end - at_));
    at_ = end;
    return true;
  }

  bool integer(std::optional<std::int64_t>& out) {
    skip_blanks();
    const auto found = scan_number<std::int64_t>(std::string_view(text_).substr(at_));
    if (!found.is_number()) return fail(at_, "expected a whole number");
    at_ += found.used;
    out = found.value;
    return true;
  }

  bool filters() {
    for (;;) {
      skip_blanks();
      const std::size_t start = at_;
      const std::string_view name = word();
      if (name.empty()) return true;
      if (name == "stream") {
        if (!integer(rule_.stream)) return false;
      } else if (name == "device") {
        if (!integer(rule_.device)) return false;
      } else if (name == "in") {
        rule_.inside.emplace();
        if (!pattern(*rule_.inside)) return false;
      } else if (name == "kind") {
        if (!kind_of_operators()) return false;
      } else if (name == "remove") {
        at_ = start;  // the one action that is a word: read again by action()
        return true;
      } else {
        return fail(start, "expected a filter or an action, not \"" + std::string(name) + "\"", kFilters);
      }
    }
  }

  /// Only what devices do is told apart by kind.
  [[nodiscard]] bool is_of_device() const { return (rule_.kinds & ~edit_kinds::kDevice) == 0; }

  bool kind_of_operators() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '_')) ++at_;
    const std::string_view name = std::string_view(text_).substr(start, at_ - start);
    rule_.operator_kind = operator_kind(name);
    if (!rule_.operator_kind) return fail(start, "unknown kind of operators", "one of: " + list_operator_kinds());
    return is_of_device() ||
           fail(start, "operators have kinds by what the device does for them", "like kernel kind gemm");
  }

  /// roof or achievable behind an equals sign; neither: nothing is read.
  bool is_allowance() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view name = word();
    if (name == "roof") rule_.action = EditRule::Action::roof;
    else if (name == "achievable") rule_.action = EditRule::Action::achievable;
    else at_ = start;
    return at_ != start;
  }

  template <typename Edit>
  bool action(Edit& edit) {
    using Action = EditRule::Action;
    skip_blanks();
    const std::size_t start = at_;
    if (at_ >= text_.size()) return fail(at_, "expected an action at the end", kActions);
    const char symbol = text_[at_];
    if (symbol == 'r' && word() == "remove") {
      edit.action = Action::set;  // what takes no time is not there, but its order stays
      edit.amount = 0;
      return true;
    }
    at_ = start + 1;
    switch (symbol) {
      case '*': edit.action = Action::scale; return number(edit.factor);
      case '=':
        if constexpr (std::is_same_v<Edit, EditRule>) {
          if (is_allowance()) return is_of_device() || fail(start, "only device work has a roof", "like kernel = roof");
        }
        edit.action = Action::set;
        return duration(edit.amount);
      case '+': edit.action = Action::add; return duration(edit.amount);
      case '-':
        edit.action = Action::add;
        if (!duration(edit.amount)) return false;
        edit.amount = -edit.amount;
        return true;
      default: return fail(start, "expected an action", kActions);
    }
  }

  static constexpr std::size_t kNowhere = ~std::size_t{0};

  EditScope scope_;
  std::size_t rank_scope_ = kNowhere, step_scope_ = kNowhere, group_scope_ = kNowhere;  // where each was written
  EditRule rule_;
  DelayEvent delay_;
  FailureEvent failure_;
  NetworkEdit network_;
};

}  // namespace

ParsedEdit parse_edit(const std::string& text) { return EditParser(text).parse(); }

}  // namespace orrery::analyze
