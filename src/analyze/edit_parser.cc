// Parsing of what-if edits; the grammar is in edit_language.h.
#include <re2/re2.h>

#include <array>
#include <charconv>
#include <cmath>

#include "analyze/edit_language.h"

namespace orrery::analyze {
namespace {

using link::EdgeKind;

constexpr std::uint32_t bit(EdgeKind kind) { return 1u << static_cast<unsigned>(kind); }

constexpr std::uint32_t kHost = bit(EdgeKind::cpu_operator) | bit(EdgeKind::cpu_python) | bit(EdgeKind::cpu_runtime) |
                                bit(EdgeKind::cpu_untraced) | bit(EdgeKind::data_loading);
constexpr std::uint32_t kDevice =
    bit(EdgeKind::kernel) | bit(EdgeKind::communication) | bit(EdgeKind::memory_copy) | bit(EdgeKind::memory_set);
constexpr std::uint32_t kIdle = bit(EdgeKind::idle_thread) | bit(EdgeKind::idle_device);
constexpr std::uint32_t kGaps = bit(EdgeKind::launch_delay) | bit(EdgeKind::kernel_gap) | bit(EdgeKind::stream_wait) |
                                bit(EdgeKind::sync_return) | bit(EdgeKind::handoff) | kIdle;

struct Word {
  std::string_view name;
  std::uint32_t kinds;
};

constexpr std::array kWhat = {
    Word{"cpu", kHost},
    Word{"op", bit(EdgeKind::cpu_operator)},
    Word{"python", bit(EdgeKind::cpu_python)},
    Word{"runtime", bit(EdgeKind::cpu_runtime)},
    Word{"untraced", bit(EdgeKind::cpu_untraced)},
    Word{"loading", bit(EdgeKind::data_loading)},
    Word{"gpu", kDevice},
    Word{"kernel", bit(EdgeKind::kernel)},
    Word{"comm", bit(EdgeKind::communication)},
    Word{"copy", bit(EdgeKind::memory_copy)},
    Word{"set", bit(EdgeKind::memory_set)},
    Word{"gap", kGaps},
    Word{"all", kHost | kDevice | kGaps},
};

constexpr std::array kGapNames = {
    Word{"launch", bit(EdgeKind::launch_delay)}, Word{"kernel", bit(EdgeKind::kernel_gap)}, Word{"stream", bit(EdgeKind::stream_wait)},
    Word{"sync", bit(EdgeKind::sync_return)},    Word{"handoff", bit(EdgeKind::handoff)},   Word{"idle", kIdle},
};

template <std::size_t N>
const Word* find_word(const std::array<Word, N>& words, std::string_view name) {
  for (const Word& word : words) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

template <std::size_t N>
std::string list_words(const std::array<Word, N>& words) {
  std::string list;
  for (const Word& word : words) list += (list.empty() ? "" : " ") + std::string(word.name);
  return list;
}

class EditParser {
 public:
  explicit EditParser(const std::string& text) : text_(text) { rule_.text = text; }

  std::variant<EditRule, EditError> parse() {
    if (what() && filters() && action() && at_end()) return rule_;
    return error_;
  }

 private:
  bool fail(std::size_t position, std::string message, std::string hint = {}) {
    error_ = {std::move(message), position, std::move(hint)};
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view word() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || (text_[at_] >= 'A' && text_[at_] <= 'Z'))) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  bool what() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view name = word();
    const Word* known = find_word(kWhat, name);
    if (known == nullptr)
      return fail(start, name.empty() ? "expected what to change" : "unknown kind \"" + std::string(name) + "\"",
                  "one of: " + list_words(kWhat));
    rule_.kinds = known->kinds;
    if (at_ >= text_.size() || text_[at_] != ':') return true;
    ++at_;
    // Gaps belong to no event: behind the colon stands which of them, not a name.
    if (name != "gap") return pattern(rule_.name);
    skip_blanks();
    const std::size_t gap_start = at_;
    const Word* gap = find_word(kGapNames, word());
    if (gap == nullptr) return fail(gap_start, "unknown gap", "one of: " + list_words(kGapNames));
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
      if (const auto* why = std::get_if<std::string>(&compiled)) return fail(start, "not a regular expression: " + *why);
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
    if (end == at_) return fail(start, "expected a name pattern", "a glob like *gemm*, a quoted name, or /a regular expression/");
    out = NamePattern::glob(text_.substr(at_, end - at_));
    at_ = end;
    return true;
  }

  bool integer(std::optional<std::int64_t>& out) {
    skip_blanks();
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return fail(at_, "expected a whole number");
    at_ = static_cast<std::size_t>(after - text_.data());
    out = value;
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
      } else if (name == "remove") {
        at_ = start;  // the one action that is a word: read again by action()
        return true;
      } else {
        return fail(start, "expected a filter or an action, not \"" + std::string(name) + "\"",
                    "filters: stream N, device N, in PATTERN; actions: * = + - remove");
      }
    }
  }

  bool number(double& out) {
    skip_blanks();
    const auto [after, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (error != std::errc() || !std::isfinite(out)) return fail(at_, "expected a number");
    if (out < 0) return fail(at_, "a negative number makes no sense here");
    at_ = static_cast<std::size_t>(after - text_.data());
    return true;
  }

  bool duration(TimePs& out) {
    double value = 0;
    if (!number(value)) return false;
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view unit = word();
    const double scale = unit == "ns" ? 1e3 : unit == "us" ? 1e6 : unit == "ms" ? 1e9 : unit == "s" ? 1e12 : 0;
    // Nothing is nothing in any unit; anything else without one is a guess.
    if (scale == 0 && !(unit.empty() && value == 0)) return fail(start, "expected a unit", "ns, us, ms or s");
    if (value * scale > static_cast<double>(graph::kMaxWeightPs)) return fail(start, "this duration is too long");
    out = static_cast<TimePs>(std::llround(value * scale));
    return true;
  }

  bool action() {
    skip_blanks();
    const std::size_t start = at_;
    if (at_ >= text_.size()) return fail(at_, "expected an action at the end", "* factor, = duration, + duration, - duration, or remove");
    const char symbol = text_[at_];
    if (symbol == 'r' && word() == "remove") {
      rule_.action = EditRule::Action::set;  // what takes no time is not there, but its order stays
      rule_.amount = 0;
      return true;
    }
    at_ = start + 1;
    switch (symbol) {
      case '*': rule_.action = EditRule::Action::scale; return number(rule_.factor);
      case '=': rule_.action = EditRule::Action::set; return duration(rule_.amount);
      case '+': rule_.action = EditRule::Action::add; return duration(rule_.amount);
      case '-':
        rule_.action = EditRule::Action::add;
        if (!duration(rule_.amount)) return false;
        rule_.amount = -rule_.amount;
        return true;
      default: return fail(start, "expected an action", "* factor, = duration, + duration, - duration, or remove");
    }
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size() || fail(at_, "nothing may follow the action");
  }

  const std::string& text_;
  std::size_t at_ = 0;
  EditRule rule_;
  EditError error_;
};

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
  return pattern;
}

bool NamePattern::matches(std::string_view name) const {
  if (regex_ == nullptr) return true;
  const re2::StringPiece text(name.data(), name.size());
  return whole_ ? RE2::FullMatch(text, *regex_) : RE2::PartialMatch(text, *regex_);
}

std::variant<EditRule, EditError> parse_edit(const std::string& text) { return EditParser(text).parse(); }

}  // namespace orrery::analyze
