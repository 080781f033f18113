// What happens to each member of the JSON formats: data, read by json_rewriter. A member that no rule names is left out
// and counted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "scrub/words/public_words.h"
#include "scrub/words/renamer.h"

namespace orrery::scrub {

enum class Treatment : std::uint8_t {
  drop,          ///< left out
  keep_number,   ///< a number (also in quotes), true, false or null stays as written
  keep_numbers,  ///< a list of such
  keep_ranks,    ///< a text that is a list of numbers: "[0, 1, 2, 3]"
  size,          ///< a number, rounded on request
  moment,        ///< microseconds, moved
  duration,      ///< microseconds, jittered on request
  epoch_ns,      ///< what moments are relative to, moved
  clock_ms,      ///< milliseconds of a clock that only orders files, moved
  wall_clock,    ///< a date, replaced by that of the epoch
  process,       ///< renumbered
  thread,        ///< renumbered
  sort_index,    ///< renumbered if it is a process or thread number
  rename,        ///< text -> new text of `domain`, unless it is in `words`
  flow,          ///< a number stays, a text is renamed
  label,         ///< "stream 7" stays, "thread 4711 (python3)" loses its number and name
  device_name,   ///< renamed unless the user wants to keep it
  empty_text,    ///< stays as ""
  object,        ///< by the rules `inner`
  objects,       ///< each of a list by the rules `inner`
  tensors,       ///< values of an operator: tensors keep ids and sizes, anything else becomes 0, false or ""
  hollow,        ///< shapes and strides: lists of lists stay, without numbers
  types,         ///< words of PyTorch's type names stay
  schema,        ///< of an operator: which arguments it writes stays, and of communication which is the peer
  attributes,    ///< [{"name", "type", "value"}]: the value by the rule that `inner` has for the name
  of_operators,  ///< of Chakra's nodes, where their operands are texts: left out, but for those of PyTorch's operators
                 ///< where these are kept
  call_inputs,   ///< of communication: integers stay, other values become ""; of anything else left out
  call_sizes,    ///< of communication: shapes become numbers of elements; of anything else left out
  call_types,    ///< of communication: words of PyTorch's type names stay; of anything else left out
};

struct ObjectRules;

struct MemberRule {
  std::string_view key;
  Treatment treatment = Treatment::drop;
  Domain domain = Domain::text;
  Vocabulary words = Vocabulary::none;
  const ObjectRules* inner = nullptr;
};

/// "kept", "left out", "renamed", ...: what a reader of --dry-run wants to know.
std::string_view describe(const MemberRule& rule);
/// Whether nothing, or nothing but public words, is left of it.
bool is_removed(const MemberRule& rule);
/// Whether it has rules of its own for what is in it.
bool is_container(const MemberRule& rule);

/// Whether it is kept of communication only.
bool is_of_calls(const MemberRule& rule);

/// The rules of one kind of object. Looking a key up takes a few nanoseconds.
struct ObjectRules {
  static constexpr std::size_t kSlots = 256;

  /// `place`: how reports call the object, "event.args."; empty for the document itself.
  ObjectRules(std::string_view place, std::span<const MemberRule> rules);

  [[nodiscard]] const MemberRule* find(std::string_view key) const {
    for (std::size_t slot = hash(key);; slot = (slot + 1) % kSlots) {
      if (slots[slot] == 0) return nullptr;
      const MemberRule& rule = rules[slots[slot] - 1u];
      if (rule.key == key) return &rule;
    }
  }
  [[nodiscard]] std::size_t index_of(const MemberRule& rule) const {
    return first_index + static_cast<std::size_t>(&rule - rules.data());
  }

  static std::size_t hash(std::string_view key) {
    if (key.empty()) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(key[i]); };
    return (key.size() * 31u + at(0) * 7u + at(key.size() - 1) * 13u + at(key.size() / 2) * 3u) % kSlots;
  }

  std::string_view place;
  std::span<const MemberRule> rules;
  std::size_t first_index;  ///< rules of all objects are numbered through
  std::array<std::uint8_t, kSlots> slots{};
};

/// Members of the document of every JSON format: Kineto, host and linked traces, Chakra's feeder.
const ObjectRules& document_rules();
/// The records of the lists that documents hold: traceEvents, nodes, workload_graph. Null if it is no such list.
const ObjectRules* record_rules(std::string_view list);
/// Entries of the list of process groups, which host traces hold as a text.
const ObjectRules& process_group_rules();

/// Fields of a Chakra node, its attributes and the attributes of the file, by the names of the schema: their treatment
/// is chakra_rewriter's.
const ObjectRules& chakra_node_rules();
const ObjectRules& chakra_attribute_rules();
const ObjectRules& chakra_metadata_rules();

/// Records of A-mpiP traces, and what mpiP's report tells: their treatment is ampip_rewriter's.
const ObjectRules& ampip_record_rules();
const ObjectRules& mpip_report_rules();

/// Every rule, by number: for reports.
struct NumberedRule {
  const ObjectRules* object;
  const MemberRule* rule;
};
std::span<const NumberedRule> all_rules();

}  // namespace orrery::scrub
