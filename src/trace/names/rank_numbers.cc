#include "trace/names/rank_numbers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/numbers.h"

// Numbers that files tell are believed if all files have one and they differ. Otherwise files are numbered by their
// places, and it is decided whether they are ranks at all: ranks communicate and were recorded at the same time, runs
// are alone or lie one after the other.

namespace orrery::trace {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool spells_rank(std::string_view text) {
  static constexpr std::string_view kWord = "rank";
  if (text.size() < kWord.size()) return false;
  // The bit of 0x20 makes letters small.
  return std::equal(kWord.begin(), kWord.end(), text.begin(), [](char a, char b) { return a == (b | 0x20); });
}

/// "trace_3.json" for "trace_3.json.gz".
std::string_view unpacked(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

/// Where the digits begin that `name` ends with; its end if it ends with none.
std::size_t last_digits(std::string_view name) {
  std::size_t digit = name.size();
  while (digit > 0 && name[digit - 1] >= '0' && name[digit - 1] <= '9') --digit;
  return digit;
}

struct Extent {
  std::int64_t begin_unix_ns = 0, end_unix_ns = 0;
};

std::optional<Extent> extent_of(const RankTrace& rank) {
  if (rank.event_count() == 0) return std::nullopt;
  TimePs begin = rank.start[0], end = rank.end(0);
  for (EventIndex e = 1; e < rank.event_count(); ++e)
    begin = std::min(begin, rank.start[e]), end = std::max(end, rank.end(e));
  return Extent{rank.epoch_unix_ns + begin / 1000, rank.epoch_unix_ns + end / 1000};
}

/// Whether two recordings of one host, and so of one clock, have no moment in common.
bool lie_apart(const std::vector<ToldRank>& told, const std::vector<ReadRank>& ranks) {
  std::vector<std::optional<Extent>> extents;
  extents.reserve(ranks.size());
  for (const ReadRank& read : ranks) extents.push_back(extent_of(read.rank));
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = a + 1; b < ranks.size(); ++b) {
      // Clocks of two hosts may differ by more than the recordings lie apart.
      if (told[a].host.empty() || told[a].host != told[b].host || !extents[a] || !extents[b]) continue;
      if (extents[a]->end_unix_ns < extents[b]->begin_unix_ns || extents[b]->end_unix_ns < extents[a]->begin_unix_ns)
        return true;
    }
  }
  return false;
}

}  // namespace

Result<Numbering> number_ranks(const std::vector<std::string>& paths, const std::vector<ToldRank>& told,
                               std::vector<ReadRank>& ranks) {
  // A file alone is whatever it says.
  if (ranks.size() < 2) return Numbering::told;
  // A world of one is a rank of nothing.
  const auto number_of = [&](std::size_t i) {
    return ranks[i].rank.source.world_size == 1 ? std::optional<std::int64_t>() : told[i].rank;
  };
  std::set<std::int64_t> numbers;
  std::optional<std::size_t> numbered, unnumbered;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::optional<std::int64_t> number = number_of(i);
    if (number) numbers.insert(*number);
    (number ? numbered : unnumbered) = i;
  }
  // Its place among numbered files would be somebody else's number.
  if (numbered && unnumbered) {
    return Error{"this file does not say which rank it is, but " + paths[*numbered] + " does", paths[*unnumbered],
                 Error::kNoOffset, "leave it out, or put its rank into its name (rank3) if it is one of this job"};
  }
  if (numbers.size() > 1) {
    // Several numbers that files tell are ranks, and all files tell one here.
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i].rank.rank = *told[i].rank;
    return Numbering::told;
  }
  const bool all_communicate =
      std::all_of(ranks.begin(), ranks.end(), [](const ReadRank& read) { return read.rank.source.communicates; });
  // One number in all of them is that of one rank recorded several times.
  const bool are_runs = numbered || !all_communicate || lie_apart(told, ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].rank.rank = static_cast<std::int64_t>(i);
    ranks[i].rank.source.is_run = are_runs;
  }
  return are_runs ? Numbering::runs : Numbering::place;
}

bool add_run(Trace& trace, RankTrace&& run, const Interner& strings) {
  const std::int64_t file_epoch_unix_ns = run.epoch_unix_ns;
  if (add_rank(trace, std::move(run), strings)) return true;
  // It was left whole. A run that lies too far away is put beside the others; what its clock really said is kept as its
  // era.
  // NOLINTNEXTLINE(bugprone-use-after-move)
  run.era_ns = trace.epoch_unix_ns - file_epoch_unix_ns;
  run.epoch_unix_ns = trace.epoch_unix_ns;
  return add_rank(trace, std::move(run), strings);
}

std::optional<std::int64_t> rank_in_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::size_t at = 0; at < name.size(); ++at) {
    // The rank in "frank5" is none; in "localRank5" it is.
    const bool begins_word = at == 0 || !is_letter(name[at - 1]) || (name[at] == 'R' && name[at - 1] >= 'a');
    if (!begins_word || !spells_rank(name.substr(at))) continue;
    std::size_t digit = at + 4;
    while (digit < name.size() &&
           (name[digit] == '_' || name[digit] == '-' || name[digit] == '.' || name[digit] == '='))
      ++digit;
    const auto rank = leading_number<std::int64_t>(name.substr(digit));
    if (rank && *rank >= 0) return rank;
  }
  return std::nullopt;
}

std::optional<std::int64_t> node_in_name(std::string_view path) {
  std::string_view name = unpacked(path.substr(path.rfind('/') + 1));
  for (const std::string_view suffix : {".pb", ".xplane"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const std::size_t digit = last_digits(name);
  std::size_t word_end = digit;
  while (word_end > 0 && (name[word_end - 1] == '_' || name[word_end - 1] == '-')) --word_end;
  std::size_t word = word_end;
  while (word > 0 && is_letter(name[word - 1])) --word;
  // Other numbers number other things: a host of the cluster (tw003), a port (10.0.0.7_6003), how many devices there
  // were (gpu1).
  static constexpr std::string_view kWords[] = {"node", "host", "worker", "w", "rank", "process", "task"};
  std::string lower(name.substr(word, word_end - word));
  for (char& c : lower) c = static_cast<char>(c | 0x20);
  if (std::find(std::begin(kWords), std::end(kWords), lower) == std::end(kWords)) return std::nullopt;
  return parse_number<std::int64_t>(name.substr(digit));
}

std::optional<std::int64_t> rank_at_end(std::string_view name, std::string_view ending) {
  name = unpacked(name);
  if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return parse_number<std::int64_t>(name.substr(last_digits(name)));
}

std::optional<ProgramName> program_name(std::string_view path) {
  path = unpacked(path);
  for (const std::string_view ending : {".et", ".json"}) {
    if (!path.ends_with(ending)) continue;
    path.remove_suffix(ending.size());
    const std::size_t dot = path.rfind('.');
    // "7.et" alone is a name, not a rank: PREFIX.RANK.et has two dots.
    if (dot == std::string_view::npos) return std::nullopt;
    const auto rank = parse_number<std::size_t>(path.substr(dot + 1));
    return rank ? std::optional(ProgramName{path.substr(0, dot), *rank}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace orrery::trace
