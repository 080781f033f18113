#include "match/peers.h"

#include "base/numbers.h"

namespace orrery::match {
namespace {

/// The rank at the front of `text`, which is removed.
std::optional<std::int64_t> take_rank(std::string_view& text) {
  std::int64_t rank = -1;
  return take_number(text, rank) && rank >= 0 ? std::optional(rank) : std::nullopt;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

/// "{0,1}" at the front of `text`, which is removed.
std::optional<std::vector<std::int64_t>> take_list(std::string_view& text) {
  std::vector<std::int64_t> list;
  if (!take(text, '{')) return std::nullopt;
  do {
    const auto number = take_rank(text);
    if (!number) return std::nullopt;
    list.push_back(*number);
  } while (take(text, ','));
  if (!take(text, '}')) return std::nullopt;
  return list;
}

}  // namespace

std::optional<std::int64_t> member_of_group(std::string_view list, std::int64_t place) {
  if (place < 0 || !take(list, '[')) return std::nullopt;
  for (std::int64_t i = 0;; ++i) {
    skip_spaces(list);
    const auto number = take_rank(list);
    if (!number) return std::nullopt;
    if (i == place) return number;
    skip_spaces(list);
    if (!take(list, ',')) return std::nullopt;
  }
}

std::optional<std::vector<std::vector<std::int64_t>>> parse_groups(std::string_view text) {
  std::vector<std::vector<std::int64_t>> groups;
  if (text.empty() || text == "{}" || text.starts_with("[1,")) return groups;
  if (!take(text, '{')) return std::nullopt;
  do {
    auto list = take_list(text);
    if (!list) return std::nullopt;
    groups.push_back(std::move(*list));
  } while (take(text, ','));
  if (text != "}") return std::nullopt;
  return groups;
}

std::optional<std::int64_t> peer_in_pairs(std::string_view pairs, std::int64_t rank, bool is_send) {
  const auto lists = parse_groups(pairs);
  if (!lists) return std::nullopt;
  std::optional<std::int64_t> peer;
  for (const std::vector<std::int64_t>& pair : *lists) {
    if (pair.size() != 2 || pair[is_send ? 0 : 1] != rank) continue;
    if (peer) return std::nullopt;
    peer = pair[is_send ? 1 : 0];
  }
  return peer;
}

}  // namespace orrery::match
