#include "base/plain/plain_values.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace orrery {
namespace {

constexpr const char* kTooDeep = "values are nested deeper than 256 levels";

}  // namespace

PlainValues::PlainValues() { clear(); }

void PlainValues::clear() {
  values_.clear();
  containers_.clear();
  items_.clear();
  own_texts_.clear();
  grew_while_held_ = false;
  root_ = 0;
  values_.push_back({});
  values_.push_back({0, 0, Type::boolean});
  values_.push_back({1, 0, Type::boolean});
  for (std::int64_t i = 0; i < kSmall; ++i) values_.push_back({static_cast<std::uint64_t>(i), 0, Type::integer});
}

std::optional<double> PlainValues::number(PlainId id) const {
  if (is(id, Type::real)) return std::bit_cast<double>(values_[id].payload);
  const std::optional<std::int64_t> whole = integer(id);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::span<const PlainId> PlainValues::items(PlainId id) const {
  if (id == kMissing || !is_container(id)) return {};
  const Container& container = containers_[values_[id].payload];
  return {items_.data() + container.first, container.count};
}

PlainId PlainValues::find(PlainId dict, std::string_view key) const {
  if (!is(dict, Type::dict)) return kMissing;
  const std::span<const PlainId> members = items(dict);
  // As in Python, the last of equal keys is the one that counts.
  for (std::size_t i = members.size(); i >= 2; i -= 2) {
    if (is(members[i - 2], Type::text) && text(members[i - 2]) == key) return members[i - 1];
  }
  return kMissing;
}

PlainId PlainValues::add_real(double value) { return add({std::bit_cast<std::uint64_t>(value), 0, Type::real}); }

PlainId PlainValues::add_container(Type type_of_it, std::span<const PlainId> items) {
  const auto count = static_cast<std::uint32_t>(items.size());
  containers_.push_back({items_.size(), 0, count});
  items_.resize_uninitialized(items_.size() + count);
  hold(containers_.size() - 1, items);
  return add({containers_.size() - 1, 0, type_of_it});
}

void PlainValues::hold(std::size_t container, std::span<const PlainId> items) {
  Container& holder = containers_[container];
  std::uint16_t height = holder.height;
  PlainId* out = items_.data() + holder.first + holder.count;
  for (const PlainId item : items) {
    *out++ = item;
    if (!is_container(item)) continue;
    Container& held = containers_[values_[item].payload];
    held.is_held = true;
    // More than there may be is enough to know.
    height = std::max(height, static_cast<std::uint16_t>(std::min<std::uint32_t>(held.height + 1u, kMaxNesting + 1)));
  }
  holder.height = height;
  holder.count += static_cast<std::uint32_t>(items.size());
}

void PlainValues::append(PlainId container, std::span<const PlainId> more) {
  Container& grown = containers_[values_[container].payload];
  const std::size_t needed = grown.count + more.size();
  if (needed > grown.capacity) {
    // What lies behind it belongs to others: it moves, to twice the room if it was not empty, so that a list that is
    // written in many pieces is not copied once per piece.
    const std::size_t room = grown.count == 0 ? needed : 2 * needed;
    const std::uint64_t first = items_.size();
    items_.resize_uninitialized(first + room);
    std::copy_n(items_.data() + grown.first, grown.count, items_.data() + first);
    grown.first = first;
    grown.capacity = static_cast<std::uint32_t>(std::min<std::size_t>(room, ~std::uint32_t{0}));
  }
  hold(values_[container].payload, more);
  // Also by itself, now.
  grew_while_held_ = grew_while_held_ || grown.is_held;
}

const char* PlainValues::fault_in_nesting() const {
  if (!is_container(root_)) return nullptr;
  if (grew_while_held_) return walk_nesting();
  return containers_[values_[root_].payload].height > kMaxNesting ? kTooDeep : nullptr;
}

const char* PlainValues::walk_nesting() const {
  // Each container is entered once; its height stays, so that shared ones cost nothing more.
  constexpr std::uint16_t kNew = 0, kOpen = 0xFFFF;
  std::vector<std::uint16_t> height(containers_.size(), kNew);
  struct Step {
    PlainId id;
    std::uint32_t next;
  };
  std::vector<Step> way = {{root_, 0}};
  height[values_[root_].payload] = kOpen;
  while (!way.empty()) {
    Step& step = way.back();
    const std::span<const PlainId> held = items(step.id);
    while (step.next < held.size() && !is_container(held[step.next])) ++step.next;
    if (step.next < held.size()) {
      const PlainId inner = held[step.next];
      const std::uint16_t known = height[values_[inner].payload];
      if (known == kOpen) return "a value holds itself";
      if (way.size() + std::max<std::size_t>(known, 1) > kMaxNesting) return kTooDeep;
      ++step.next;
      if (known != kNew) continue;
      height[values_[inner].payload] = kOpen;
      way.push_back({inner, 0});
      continue;
    }
    std::uint16_t deepest = 0;
    for (const PlainId inner : held) {
      if (is_container(inner)) deepest = std::max(deepest, height[values_[inner].payload]);
    }
    height[values_[step.id].payload] = static_cast<std::uint16_t>(deepest + 1);
    way.pop_back();
  }
  return nullptr;
}

}  // namespace orrery
