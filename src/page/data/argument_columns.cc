#include "page/data/argument_columns.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json/json_writer.h"
#include "base/parallel.h"
#include "page/data/codec.h"
#include "page/data/rank_arguments.h"

// First it is chosen which arguments get a column: those of which many values are new for their name. The others become
// sets, found per rank by a trie (a set is its parent and one more argument) and numbered over all ranks by their text,
// the most frequent first, so that numbers are small and the page compresses well.

namespace orrery::page {

// Sets of arguments, found by adding one argument after the other: a set is another set and one more argument.

class ArgumentSets {
 public:
  /// A set: `parent` with the argument `key`, whose value is `value`.
  struct Node {
    std::uint32_t parent, key;
    std::int64_t value;
  };
  static constexpr std::uint32_t kEmpty = 0;

  ArgumentSets() : nodes_{{0, 0, 0}}, slots_(1024, kFree) {}

  /// The number of the set that has one more argument; numbers are in order of first use. O(1).
  std::uint32_t with(std::uint32_t parent, std::uint32_t key, std::int64_t value) {
    // At most half full, so that probing stays short.
    if (nodes_.size() * 2 > slots_.size()) grow();
    std::uint32_t& slot = slots_[find(parent, key, value)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({parent, key, value});
    }
    return slot;
  }

  [[nodiscard]] const Node& operator[](std::uint32_t set) const { return nodes_[set]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  [[nodiscard]] std::size_t find(std::uint32_t parent, std::uint32_t key, std::int64_t value) const {
    // Fibonacci hashing: the golden ratio of 2^64, then another odd number, so that all bits of the key reach the low
    // ones.
    std::uint64_t hash = (std::uint64_t{parent} << 32U | key) * 0x9E3779B97F4A7C15U;
    hash = (std::rotl(hash, 29) ^ static_cast<std::uint64_t>(value)) * 0xD6E8FEB86659FD93U;
    const std::size_t mask = slots_.size() - 1;
    // Linear probing.
    for (std::size_t at = (hash ^ hash >> 32U) & mask;; at = (at + 1) & mask) {
      if (slots_[at] == kFree) return at;
      const Node& node = nodes_[slots_[at]];
      if (node.parent == parent && node.key == key && node.value == value) return at;
    }
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (std::uint32_t set = 1; set < nodes_.size(); ++set)
      slots_[find(nodes_[set].parent, nodes_[set].key, nodes_[set].value)] = set;
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

namespace {

/// So many values of a rank say whether an argument counts on; and fewer distinct ones than this are worth no column.
constexpr std::size_t kValuesLookedAt = 16'384, kFewValues = 16;
/// One in so many values may be new for a name before the argument gets a column; the stricter ones where that leaves
/// too many sets.
constexpr std::size_t kUsesOfValue[] = {8, 32, 128, 1024};
constexpr std::size_t kSetsAtLeast = 4096, kEventsPerSet = 16;
/// An argument is left out if its distinct texts take more than this, and more than so many bytes per event of the
/// page.
constexpr std::size_t kTextBytesAtLeast = 256 * 1024, kTextBytesPerEvent = 4;

/// An argument of the whole job.
struct JobKey {
  std::string text;
  std::size_t distinct = 0, seen = 0;  ///< of the rank that looks most like it counts on: values by name, among so many
  std::size_t text_bytes = 0;          ///< distinct texts of the rank that has most
  bool is_text = false;                ///< in a column: values are numbers of texts
  bool is_left_out = false;
  bool varies = false;  ///< has a column
};

struct RankWork {
  std::optional<RankArguments> arguments;
  std::vector<const ArgumentColumn*> by_key;  ///< per JobKey; null: the rank has none
  ArgumentSets sets;
  Column<std::uint32_t> set_of;        ///< per event of the page
  std::vector<std::uint32_t> numbers;  ///< per set: its number in the job
  std::vector<std::vector<std::int64_t>>
      texts;  ///< per JobKey that varies and is text: numbers of the job by number of the rank
};

class ArgumentEncoder {
 public:
  ArgumentEncoder(const trace::Trace& trace, const EventTable& events, const NameTable& names)
      : trace_(trace), events_(events), names_(names), ranks_(trace.ranks.size()) {}

  Result<std::vector<Blob>> encode() {
    if (const Status read = read_all(); !read) return read.error();
    collect_keys();
    if (keys_.empty()) return std::vector<Blob>{};
    // Stricter and stricter, until there are few enough sets: each is text that the page carries.
    for (const std::size_t uses : kUsesOfValue) {
      choose_columns(uses);
      parallel_for(ranks_.size(), [&](std::size_t r) { make_sets(r); });
      std::size_t sets = 0;
      for (const RankWork& rank : ranks_) sets += rank.sets.size();
      if (sets <= std::max(kSetsAtLeast, static_cast<std::size_t>(events_.events()) / kEventsPerSet)) break;
    }
    number_sets();
    number_texts();
    std::vector<Blob> blobs(ranks_.size() + 1);
    blobs[0] = common_blob();
    parallel_for(ranks_.size(), [&](std::size_t r) { blobs[r + 1] = rank_blob(r); });
    return blobs;
  }

 private:
  [[nodiscard]] std::uint32_t name_of(std::size_t rank, trace::EventIndex event) const {
    return names_.number(trace_.ranks[rank].name[event], events_.ranks()[rank].kind[event]);
  }
  [[nodiscard]] std::uint32_t place_of(std::size_t rank, trace::EventIndex event) const {
    return events_.ranks()[rank].place[event];
  }

  Status read_all() {
    std::vector<Status> read(ranks_.size());
    parallel_for(ranks_.size(), [&](std::size_t r) {
      Result<RankArguments> arguments = RankArguments::read(trace_, r, events_);
      if (arguments) ranks_[r].arguments.emplace(std::move(*arguments));
      else read[r] = arguments.error();
    });
    for (const Status& status : read) {
      if (!status) return status;
    }
    return {};
  }

  /// Keys in the order of trace::Field, then by text; and what the ranks' columns look like.
  void collect_keys() {
    std::map<std::pair<std::size_t, std::string>, JobKey> found;
    const auto order = [](std::string_view key) {
      const auto* const known =
          std::find_if(trace::kFields.begin(), trace::kFields.end(), [&](const auto& f) { return f.written == key; });
      return std::pair(static_cast<std::size_t>(known - trace::kFields.begin()), std::string(key));
    };
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (const ArgumentColumn& column : ranks_[r].arguments->columns()) {
        JobKey& key = found[order(column.key)];
        key.text = column.key;
        look_at(r, column, key);
      }
    }
    for (auto& [place, key] : found) keys_.push_back(std::move(key));
    for (RankWork& rank : ranks_) {
      for (const JobKey& key : keys_) {
        const auto& columns = rank.arguments->columns();
        const auto column =
            std::find_if(columns.begin(), columns.end(), [&](const ArgumentColumn& c) { return c.key == key.text; });
        rank.by_key.push_back(column == columns.end() ? nullptr : &*column);
      }
    }
    const std::size_t most_text =
        std::max(kTextBytesAtLeast, static_cast<std::size_t>(events_.events()) * kTextBytesPerEvent);
    for (JobKey& key : keys_) key.is_left_out = key.text_bytes > most_text;
  }

  void look_at(std::size_t r, const ArgumentColumn& column, JobKey& key) const {
    std::unordered_set<std::uint64_t> values;
    std::unordered_set<std::int64_t> texts;
    std::size_t seen = 0, text_bytes = 0;
    for (std::size_t i = 0; i < column.events.size(); ++i) {
      if (place_of(r, column.events[i]) == EventTable::kLeftOut) continue;
      if (seen < kValuesLookedAt) {
        ++seen;
        // A value counts as new per name: a number that only tells names apart belongs into the sets.
        values.insert(std::uint64_t{name_of(r, column.events[i])} * 0x9E3779B97F4A7C15U ^
                      static_cast<std::uint64_t>(column.values[i]));
      }
      if (column.texts != nullptr && texts.insert(column.values[i]).second)
        text_bytes += column.text(column.values[i]).size();
      // A script's numbers are doubles: beyond 2^53 they would be rounded, so such values are written as text.
      key.is_text |= column.texts == nullptr && zigzag(column.values[i]) >= kExactInScript;
    }
    key.is_text |= column.texts != nullptr;
    key.text_bytes = std::max(key.text_bytes, text_bytes);
    // The larger share of distinct values, compared without dividing.
    if (values.size() * key.seen >= key.distinct * seen) key.distinct = values.size(), key.seen = seen;
  }

  void choose_columns(std::size_t uses_of_value) {
    for (JobKey& key : keys_) key.varies = key.distinct > kFewValues && key.distinct * uses_of_value > key.seen;
  }

  void make_sets(std::size_t r) {
    RankWork& rank = ranks_[r];
    rank.sets = {};
    rank.set_of.assign(events_.ranks()[r].order.size(), ArgumentSets::kEmpty);
    for (std::uint32_t k = 0; k < keys_.size(); ++k) {
      const ArgumentColumn* const column = rank.by_key[k];
      if (column == nullptr || keys_[k].is_left_out) continue;
      for (std::size_t i = 0; i < column->events.size(); ++i) {
        const std::uint32_t place = place_of(r, column->events[i]);
        if (place == EventTable::kLeftOut) continue;
        std::uint32_t& set = rank.set_of[place];
        // A set only says that the argument is there if its value is in a column.
        set = rank.sets.with(set, k, keys_[k].varies ? 0 : column->values[i]);
      }
    }
  }

  /// [key, text, key, text, ...]; null: the value is in a column.
  [[nodiscard]] std::string set_json(const RankWork& rank, std::uint32_t set) const {
    std::vector<std::uint32_t> chain;
    for (; set != ArgumentSets::kEmpty; set = rank.sets[set].parent) chain.push_back(set);
    std::string text;
    JsonWriter json(text);
    json.begin_array();
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      const ArgumentSets::Node& node = rank.sets[*at];
      json.value(node.key);
      if (keys_[node.key].varies) json.null();
      else json.value(rank.by_key[node.key]->text(node.value));
    }
    json.end_array();
    return text;
  }

  /// Sets of all ranks by content, the most frequent first; and for each name its sets, the most frequent first.
  void number_sets() {
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<std::uint64_t> uses;
    std::unordered_map<std::uint64_t, std::uint64_t> pairs;  // name and set
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      RankWork& rank = ranks_[r];
      rank.numbers.assign(rank.sets.size(), kNone);
      for (std::uint32_t place = 0; place < rank.set_of.size(); ++place) {
        std::uint32_t& number = rank.numbers[rank.set_of[place]];
        if (number == kNone) {
          const auto [at, is_new] =
              // Sets of different ranks are the same if their text is.
              known.emplace(set_json(rank, rank.set_of[place]), static_cast<std::uint32_t>(set_texts_.size()));
          number = at->second;
          if (is_new) set_texts_.push_back(at->first), uses.push_back(0);
        }
        ++uses[number];
        ++pairs[std::uint64_t{name_of(r, events_.ranks()[r].order[place])} << 32U | number];
      }
    }
    sort_sets(uses);
    sets_of_name_.resize(names_.size());
    std::vector<std::tuple<std::uint64_t, std::uint64_t>> sorted;  // by falling uses: the rest of them first
    sorted.reserve(pairs.size());
    // Largest counts first: the complement turns the order round.
    for (const auto& [pair, count] : pairs)
      sorted.emplace_back(~count, (pair >> 32U << 32U) | place_of_set_[static_cast<std::uint32_t>(pair)]);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [rest, pair] : sorted) {
      std::vector<std::uint32_t>& sets = sets_of_name_[pair >> 32U];
      place_in_name_[pair] = static_cast<std::uint32_t>(sets.size());
      sets.push_back(static_cast<std::uint32_t>(pair));
    }
  }

  void sort_sets(const std::vector<std::uint64_t>& uses) {
    std::vector<std::uint32_t> sorted(set_texts_.size());
    for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
      return uses[a] != uses[b] ? uses[a] > uses[b] : set_texts_[a] < set_texts_[b];
    });
    place_of_set_.resize(sorted.size());
    std::vector<std::string> texts(sorted.size());
    for (std::uint32_t i = 0; i < sorted.size(); ++i)
      place_of_set_[sorted[i]] = i, texts[i] = std::move(set_texts_[sorted[i]]);
    set_texts_ = std::move(texts);
  }

  /// Texts of columns, in the order of ranks, keys and events of the page.
  void number_texts() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      RankWork& rank = ranks_[r];
      rank.texts.resize(keys_.size());
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        const ArgumentColumn* const column = rank.by_key[k];
        if (column == nullptr || !keys_[k].varies || !keys_[k].is_text || keys_[k].is_left_out) continue;
        std::unordered_map<std::int64_t, StringId> numbers;
        for (std::size_t i = 0; i < column->events.size(); ++i) {
          const bool is_shown = place_of(r, column->events[i]) != EventTable::kLeftOut;
          StringId number = 0;
          if (is_shown) {
            const auto [at, is_new] = numbers.try_emplace(column->values[i], StringId{0});
            if (is_new) at->second = texts_.intern(column->text(column->values[i]));
            number = at->second;
          }
          rank.texts[k].push_back(number);
        }
      }
    }
  }

  [[nodiscard]] Blob common_blob() const {
    const auto list = [](const char* name, std::size_t count, auto&& write) {
      std::string text;
      JsonWriter json(text);
      json.begin_array();
      for (std::size_t i = 0; i < count; ++i) write(json, i);
      json.end_array();
      return encode_json(name, std::move(text));
    };
    Blob blob{"arguments", -1, {}};
    blob.table.push_back(list("ar.keys", keys_.size(), [&](JsonWriter& json, std::size_t k) {
      const JobKey& key = keys_[k];
      json.begin_array().value(key.text).value(key.is_left_out ? "left out"
                                               : !key.varies   ? "set"
                                               : key.is_text   ? "text"
                                                               : "number");
      json.end_array();
    }));
    blob.table.push_back(
        list("ar.sets", set_texts_.size(), [&](JsonWriter& json, std::size_t i) { json.raw(set_texts_[i]); }));
    blob.table.push_back(list("ar.names", sets_of_name_.size(), [&](JsonWriter& json, std::size_t name) {
      json.begin_array();
      for (const std::uint32_t set : sets_of_name_[name]) json.value(set);
      json.end_array();
    }));
    blob.table.push_back(list("ar.texts", texts_.size(), [&](JsonWriter& json, std::size_t i) {
      json.value(texts_.text(static_cast<StringId>(i)));
    }));
    return blob;
  }

  [[nodiscard]] Blob rank_blob(std::size_t r) const {
    const RankWork& rank = ranks_[r];
    const Column<trace::EventIndex>& order = events_.ranks()[r].order;
    Blob blob{"arguments", trace_.ranks[r].rank, {}};
    Column<std::uint32_t> places(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const std::uint64_t set = place_of_set_[rank.numbers[rank.set_of[i]]];
      places[i] = place_in_name_.at(std::uint64_t{name_of(r, order[i])} << 32U | set);
    }
    blob.table.push_back(encode_planes("ar.set", order.size(), [&](std::size_t i) { return places[i]; }));
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (rank.by_key[k] == nullptr || !keys_[k].varies || keys_[k].is_left_out) continue;
      const Column<std::int64_t> values = in_page_order(r, k);
      const auto value = [&](std::size_t i) { return values[i]; };
      const std::string name = "ar." + std::to_string(k);
      blob.table.push_back(keys_[k].is_text ? encode_planes(name, values.size(), value)
                                            : encode_delta(name, values.size(), value));
    }
    return blob;
  }

  /// The values of one argument, of those events of the page that have it.
  [[nodiscard]] Column<std::int64_t> in_page_order(std::size_t r, std::size_t k) const {
    const ArgumentColumn& column = *ranks_[r].by_key[k];
    const std::size_t count = events_.ranks()[r].order.size();
    Column<std::int64_t> dense(count);
    Column<std::uint8_t> has(count, std::uint8_t{0});
    for (std::size_t i = 0; i < column.events.size(); ++i) {
      const std::uint32_t place = place_of(r, column.events[i]);
      if (place == EventTable::kLeftOut) continue;
      has[place] = 1;
      dense[place] = keys_[k].is_text ? ranks_[r].texts[k][i] : column.values[i];
    }
    Column<std::int64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
      if (has[i] != 0) values.push_back(dense[i]);
    }
    return values;
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const trace::Trace& trace_;
  const EventTable& events_;
  const NameTable& names_;
  std::vector<RankWork> ranks_;
  std::vector<JobKey> keys_;
  std::vector<std::string> set_texts_;                              // by number
  std::vector<std::uint32_t> place_of_set_;                         // by number at first use
  std::vector<std::vector<std::uint32_t>> sets_of_name_;            // by number of the name
  std::unordered_map<std::uint64_t, std::uint32_t> place_in_name_;  // by name and set
  Interner texts_;
};

}  // namespace

Result<std::vector<Blob>> argument_blobs(const trace::Trace& trace, const EventTable& events, const NameTable& names) {
  return ArgumentEncoder(trace, events, names).encode();
}

}  // namespace orrery::page
