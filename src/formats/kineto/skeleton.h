// What makes the reader fast: the text between values, learned.
//
// A profiler prints events of a kind with the same printf: only the values differ. The skeleton is a trie of the
// literal text between values, learned from events parsed the slow way:
//
//     {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 12.5, ...
//     '{"ph": "' -> string (phase) -> '", "cat": "' -> string (category) -> '", "name": "' -> string (name) -> '",
//     "ts": ' -> number ...
//
// Parsing a known kind of event is then: compare 32 bytes at a time with the expected literal, take the value, follow
// the edge. Keys are neither unescaped nor looked up. A value that nobody reads is taken for part of the literal until
// it turns out to vary
// ("Trace name": "PyTorch Profiler" never does). Anything unexpected is a miss, and the generic parser reads that event
// and extends the trie.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "formats/kineto/event_record.h"

namespace orrery::kineto {

enum class ValueKind : std::uint8_t {
  string,  ///< the literal ends with the opening quote, the next one starts with the closing quote
  number,
  container,  ///< an array or object that is passed over
  word,       ///< true, false, null
  end,        ///< no value: the literal ends with the brace that closes the event
};

/// One step of a learned event: the literal text, then a value of this kind for this slot.
struct SkeletonStep {
  std::string_view literal;
  ValueKind kind;
  Slot slot;
};

class Skeleton {
 public:
  Skeleton();

  enum class Outcome : std::uint8_t { parsed, miss, incomplete, too_deep };
  struct Match {
    Outcome outcome;
    const char* after;  ///< after the event, when parsed
  };
  /// `p` is at the { of an event. On anything but `parsed` the record is left half-filled.
  Match match(const char* p, const char* end, EventRecord& record) const;

  /// Adds the steps of one event, ending with ValueKind::end. Does nothing once the trie has reached its size limit: a
  /// file whose events all differ is read by the generic parser.
  void learn(std::span<const SkeletonStep> steps);

 private:
  static constexpr std::uint32_t kNone = ~0u;
  /// What to do with the value: its kind, and for the commonest kinds also the slot, so that one jump leads to the
  /// right place.
  enum class Action : std::uint8_t {
    pass_string,
    take_string,
    pass_number,
    take_field,
    take_number,
    container,
    word,
    end
  };

  // A node of the trie is the edge that leads to it; the root is edge 0, which is never compared with anything.
  struct alignas(32) Edge {
    std::uint32_t literal;  // offset into literals_, padded to a multiple of 32
    std::uint16_t length;
    Action action;
    Slot slot;
    std::uint32_t tail_mask;            // bits of the last 32-byte block that belong to the literal
    std::uint32_t first_child = kNone;  // edge number
    std::uint32_t next_sibling;         // edge number, kNone at the end
    ValueKind kind;
  };

  [[nodiscard]] bool matches(const Edge& edge, const char* p) const;
  static SkeletonStep merged(std::span<const SkeletonStep> steps, std::size_t& used);
  Edge make_edge(const SkeletonStep& step, std::uint32_t next_sibling);
  std::uint32_t add_edge(std::uint32_t node, const SkeletonStep& step);

  static Action action_for(ValueKind kind, Slot slot);

  std::vector<Edge> edges_;
  Column<char> literals_;
};

}  // namespace orrery::kineto
