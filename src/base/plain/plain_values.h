// A tree of plain values as Python and JSON write it: numbers, texts, lists and dicts, with nothing that could run.
//
// Everything lies in three arrays; a value is a number (PlainId), and what is referred to twice is stored once. So a
// million references to one list cost a million words, and a value can be recognised by its number: readers of many
// records look at a text once, however often it occurs.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/column.h"
#include "base/result.h"

namespace orrery {

using PlainId = std::uint32_t;

/// Texts are views into what was read, which must outlive this.
class PlainValues {
 public:
  enum class Type : std::uint8_t { none, boolean, integer, real, text, bytes, list, tuple, dict, set };
  static constexpr PlainId kMissing = ~PlainId{0};
  static constexpr std::uint32_t kMaxNesting = 256;

  PlainValues();
  /// Forgets all values, and keeps the room for as many: whoever reads many trees does not ask for it each time.
  void clear();

  [[nodiscard]] PlainId root() const { return root_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] Type type(PlainId id) const { return id == kMissing ? Type::none : values_[id].type; }
  [[nodiscard]] bool is(PlainId id, Type type_asked) const { return id != kMissing && values_[id].type == type_asked; }
  [[nodiscard]] bool is_sequence(PlainId id) const { return is(id, Type::list) || is(id, Type::tuple); }

  /// Of a boolean or an integer; none for anything else.
  [[nodiscard]] std::optional<std::int64_t> integer(PlainId id) const {
    if (!is(id, Type::integer) && !is(id, Type::boolean)) return std::nullopt;
    return static_cast<std::int64_t>(values_[id].payload);
  }
  /// Of any number.
  [[nodiscard]] std::optional<double> number(PlainId id) const;
  /// Empty for what is no text.
  [[nodiscard]] std::string_view text(PlainId id) const {
    if (!is(id, Type::text)) return {};
    return {reinterpret_cast<const char*>(values_[id].payload), values_[id].length};
  }
  /// Elements; of a dict key, value, key, value, ... None for what has none.
  [[nodiscard]] std::span<const PlainId> items(PlainId id) const;
  /// The value of a dict's text key, of several the last; kMissing if there is none. O(members).
  [[nodiscard]] PlainId find(PlainId dict, std::string_view key) const;

  // For the makers of a tree.

  PlainId add_none() { return kNone; }
  PlainId add_boolean(bool value) { return value ? kTrue : kFalse; }
  PlainId add_integer(std::int64_t value) {
    if (value >= 0 && value < kSmall) return kFirstSmall + static_cast<PlainId>(value);
    return add({static_cast<std::uint64_t>(value), 0, Type::integer});
  }
  PlainId add_real(double value);
  /// `text` is not copied.
  PlainId add_text(std::string_view text, Type type_of_it = Type::text) {
    return add({reinterpret_cast<std::uint64_t>(text.data()), static_cast<std::uint32_t>(text.size()), type_of_it});
  }
  /// A text that lies nowhere else.
  PlainId add_own_text(std::string text) { return add_text(own_texts_.emplace_back(std::move(text))); }
  PlainId add_container(Type type_of_it, std::span<const PlainId> items = {});
  /// `container` is one; amortised O(more).
  void append(PlainId container, std::span<const PlainId> more);
  void set_root(PlainId root) { root_ = root; }

  /// How much there is; what is made later lies behind it.
  struct Extent {
    std::size_t values = 0, containers = 0, items = 0;
  };
  [[nodiscard]] Extent extent() const { return {values_.size(), containers_.size(), items_.size()}; }
  /// Forgets what lies behind, which nothing before it may hold.
  void forget_behind(const Extent& extent) {
    values_.resize_uninitialized(extent.values);
    containers_.resize_uninitialized(extent.containers);
    items_.resize_uninitialized(extent.items);
  }

  /// Whether what the root leads to can be walked: no value holds itself, and none lies deeper than kMaxNesting. The
  /// message of a value that does not. O(1), unless something was put into a value that another holds already.
  [[nodiscard]] const char* fault_in_nesting() const;

 private:
  struct Value {
    std::uint64_t payload = 0;  // a number's bits, where a text lies, or the number of a container
    std::uint32_t length = 0;   // of a text
    Type type = Type::none;
  };
  struct Container {
    std::uint64_t first = 0;  // its room in items_
    std::uint32_t count = 0, capacity = 0;
    std::uint16_t height = 1;  // of what it held when it was made or filled last
    bool is_held = false;      // by another
  };
  // What nearly every record holds exists once.
  static constexpr PlainId kNone = 0, kFalse = 1, kTrue = 2, kFirstSmall = 3;
  static constexpr std::int64_t kSmall = 256;

  PlainId add(Value value) {
    values_.push_back(value);
    return static_cast<PlainId>(values_.size() - 1);
  }
  [[nodiscard]] bool is_container(PlainId id) const { return values_[id].type >= Type::list; }
  /// Puts the items behind those of `container`, which has the room, and takes note of what it holds now.
  void hold(std::size_t container, std::span<const PlainId> items);
  [[nodiscard]] const char* walk_nesting() const;

  Column<Value> values_;
  Column<Container> containers_;
  Column<PlainId> items_;
  std::deque<std::string> own_texts_;
  PlainId root_ = 0;
  bool grew_while_held_ = false;  // heights may be too low, and a value may hold itself
};

}  // namespace orrery
