#include "trace/names/numbered_steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/numbers.h"

namespace orrery::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word_letter(char c) { return (c >= 'a' && c <= 'z') || is_upper(c); }

/// "step 3" of "step 3 (epoch 1)" and of "step 3 [warmup]".
std::string_view without_brackets(std::string_view name) {
  const std::size_t open = name.ends_with(')')   ? name.rfind('(')
                           : name.ends_with(']') ? name.rfind('[')
                                                 : std::string_view::npos;
  if (open == std::string_view::npos || open == 0) return name;
  name = name.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

/// The last word before the number: "Step" of "ProfilerStep#", "step" of "train_step_".
std::string last_word(std::string_view family) {
  while (!family.empty() && std::string_view(" #_-:=.").find(family.back()) != std::string_view::npos)
    family.remove_suffix(1);
  std::size_t begin = family.size();
  while (begin > 0 && is_word_letter(family[begin - 1])) {
    --begin;
    // A capital before a small letter begins a word: ProfilerStep.
    if (is_upper(family[begin]) && begin + 1 < family.size() && !is_upper(family[begin + 1])) break;
  }
  std::string word(family.substr(begin));
  for (char& c : word) c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

struct MarkedRange {
  EventIndex event = 0;
  TimePs start = 0, end = 0;
  std::int64_t number = 0;
};

struct Family {
  std::vector<MarkedRange> ranges;
  TimePs total = 0;
};

/// In order of time; numbers rise, and none begins before the one before has ended.
bool are_steps(std::vector<MarkedRange>& ranges) {
  if (ranges.size() < 2) return false;
  std::sort(ranges.begin(), ranges.end(), [](const MarkedRange& a, const MarkedRange& b) {
    return std::pair(a.start, a.number) < std::pair(b.start, b.number);
  });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].number <= ranges[i - 1].number || ranges[i].start < ranges[i - 1].end) return false;
  }
  return true;
}

}  // namespace

std::optional<NumberedName> read_numbered_name(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kWords = {"step", "iteration", "iter", "batch"};
  const std::string_view plain = without_brackets(name);
  std::size_t digits = plain.size();
  while (digits > 0 && is_digit(plain[digits - 1])) --digits;
  std::int64_t number = 0;
  if (digits == plain.size() || digits == 0 || !parse_number(plain.substr(digits), number)) return std::nullopt;
  const std::string_view family = plain.substr(0, digits);
  if (std::find(kWords.begin(), kWords.end(), last_word(family)) == kWords.end()) return std::nullopt;
  return NumberedName{family, number};
}

void mark_numbered_steps(const Interner& strings, RankTrace& rank) {
  std::unordered_map<StringId, std::optional<NumberedName>> names;
  std::map<std::pair<LaneIndex, std::string_view>, Family> families;  // in an order that does not hang on addresses
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) != Activity::annotation || !rank.has_duration(e) || rank.duration[e] <= 0) continue;
    const auto [at, is_new] = names.try_emplace(rank.name[e]);
    if (is_new) at->second = read_numbered_name(strings.text(rank.name[e]));
    if (!at->second) continue;
    Family& family = families[{rank.lane[e], at->second->family}];
    family.ranges.push_back({e, rank.start[e], rank.end(e), at->second->number});
    family.total += rank.duration[e];
  }
  Family* outermost = nullptr;
  for (auto& [key, family] : families) {
    if (!are_steps(family.ranges)) continue;
    const bool is_longer = outermost == nullptr || family.total > outermost->total ||
                           (family.total == outermost->total && family.ranges.size() < outermost->ranges.size());
    if (is_longer) outermost = &family;
  }
  if (outermost == nullptr) return;
  std::sort(outermost->ranges.begin(), outermost->ranges.end(),
            [](const MarkedRange& a, const MarkedRange& b) { return a.event < b.event; });
  SparseColumn steps;
  for (const MarkedRange& range : outermost->ranges) steps.push(range.event, range.number);
  rank.field(Field::step).merge(std::move(steps));
}

}  // namespace orrery::trace
