#include "formats/kineto/skeleton.h"

#include <algorithm>
#include <cstring>

#include "formats/kineto/limits.h"

namespace orrery::kineto {

Skeleton::Skeleton() { edges_.push_back(Edge{}); }

inline bool Skeleton::matches(const Edge& edge, const char* p) const {
  const char* literal = literals_.data() + edge.literal;
  // Whole blocks of 32 bytes, then the rest under a mask: literals are padded to blocks for that.
  for (std::size_t rest = edge.length; rest > 32; rest -= 32, p += 32, literal += 32) {
    if ((Bytes16(p).equal(Bytes16(literal)) & Bytes16(p + 16).equal(Bytes16(literal + 16))) != 0xFFFF) return false;
  }
  const std::uint32_t equal = Bytes16(p).equal(Bytes16(literal)) | Bytes16(p + 16).equal(Bytes16(literal + 16)) << 16;
  return (equal & edge.tail_mask) == edge.tail_mask;
}

ORRERY_HOT Skeleton::Match Skeleton::match(const char* p, const char* end, EventRecord& record) const {
  const Edge* const edges = edges_.data();
  std::uint32_t at = 0;
  for (;;) {
    at = edges[at].first_child;
    // Children in the order in which they were learned: the first is the commonest, and mostly the only one.
    for (; at != kNone; at = edges[at].next_sibling) {
      if (matches(edges[at], p)) break;
    }
    if (at == kNone) return {Outcome::miss, nullptr};
    const Edge& edge = edges[at];
    p += edge.length;
    if (p > end) return {Outcome::incomplete, nullptr};
    switch (edge.action) {
      case Action::pass_string: {
        p = find_string_end(p, end).quote;
        if (p == nullptr) return {Outcome::incomplete, nullptr};
        break;
      }
      case Action::take_string: {
        const auto [quote, escaped] = find_string_end(p, end);
        if (quote == nullptr) return {Outcome::incomplete, nullptr};
        take_string(record, edge.slot, {{p, static_cast<std::size_t>(quote - p)}, escaped});
        p = quote;
        break;
      }
      case Action::take_field: {
        const auto index = static_cast<std::size_t>(field_of(edge.slot));
        const char* const after = parse_integer_fast(p, end, record.numbers[index]);
        if (after != nullptr) {
          record.present |= std::uint64_t{1} << index;
          p = after;
          break;
        }
        [[fallthrough]];
      }
      case Action::take_number:
        if (!starts_number(*p)) return {Outcome::miss, nullptr};
        p = take_number(record, edge.slot, p, end);
        if (p == nullptr) return {Outcome::miss, nullptr};
        break;
      case Action::pass_number:
        if (!starts_number(*p)) return {Outcome::miss, nullptr};
        p = skip_number(p, end);
        if (p == nullptr) return {Outcome::miss, nullptr};
        break;
      case Action::container: {
        if (*p != '[' && (*p != '{' || edge.slot == kArgs))
          return {Outcome::miss, nullptr};  // an object of arguments is looked into
        const ContainerSkip skip = skip_container(p, end);
        if (skip.after == nullptr) return {skip.too_deep ? Outcome::too_deep : Outcome::incomplete, nullptr};
        take_container(record, edge.slot, {p, static_cast<std::size_t>(skip.after - p)});
        p = skip.after;
        break;
      }
      case Action::word: {
        const char* const after = take_word(record, edge.slot, p, end);
        if (after == nullptr || after == p) return {Outcome::miss, nullptr};
        p = after;
        break;
      }
      case Action::end: return {Outcome::parsed, p};
    }
  }
}

Skeleton::Action Skeleton::action_for(ValueKind kind, Slot slot) {
  switch (kind) {
    case ValueKind::string: return slot == kIgnored ? Action::pass_string : Action::take_string;
    case ValueKind::number:
      if (slot == kIgnored) return Action::pass_number;
      return slot >= kFirstField && !holds_text(field_of(slot)) ? Action::take_field : Action::take_number;
    case ValueKind::container: return Action::container;
    case ValueKind::word: return Action::word;
    case ValueKind::end: break;
  }
  return Action::end;
}

// The literal of `first` and, as long as their values are of no interest and so may well be constant, of the steps that
// follow, with those values between them.
SkeletonStep Skeleton::merged(std::span<const SkeletonStep> steps, std::size_t& used) {
  const char* const begin = steps[0].literal.data();
  used = 1;
  const auto may_be_constant = [](const SkeletonStep& step) {
    return step.slot == kIgnored && step.kind != ValueKind::container && step.kind != ValueKind::end;
  };
  // Values that nobody asks for (a fixed pid, a device) are compared with the literal, which is faster than skipping.
  while (used < steps.size() && may_be_constant(steps[used - 1])) {
    const std::string_view next = steps[used].literal;
    if (static_cast<std::size_t>(next.data() + next.size() - begin) > kMaxLiteralBytes) break;
    ++used;
  }
  const SkeletonStep& last = steps[used - 1];
  return {{begin, static_cast<std::size_t>(last.literal.data() + last.literal.size() - begin)}, last.kind, last.slot};
}

void Skeleton::learn(std::span<const SkeletonStep> steps) {
  // A file whose events all differ would grow the trie for ever; it is parsed the slow way instead.
  if (edges_.size() + steps.size() > kMaxSkeletonEdges) return;
  const auto too_long = [](const SkeletonStep& step) {
    return step.literal.size() > kMaxLiteralBytes || step.literal.empty();
  };
  if (std::any_of(steps.begin(), steps.end(), too_long)) return;
  // Invariant: no literal holds a zero byte, so that none matches beyond the end of a window, where there are zeros.
  const char* const begin = steps.front().literal.data();
  const std::string_view event(
      begin, static_cast<std::size_t>(steps.back().literal.data() + steps.back().literal.size() - begin));
  if (event.find('\0') != std::string_view::npos) return;
  std::uint32_t node = 0;
  while (!steps.empty()) {
    std::size_t used = 0;
    const SkeletonStep longest = merged(steps, used);
    const SkeletonStep& single = steps[0];
    std::uint32_t similar =
        kNone;  // an edge that takes the value of `single` for a constant, which it now turns out not to be
    std::uint32_t at = edges_[node].first_child;
    int siblings = 0;
    for (; at != kNone; at = edges_[at].next_sibling, ++siblings) {
      const std::string_view known(literals_.data() + edges_[at].literal, edges_[at].length);
      if (known == longest.literal && edges_[at].kind == longest.kind) break;
      if (known == single.literal && edges_[at].kind == single.kind) {
        used = 1;
        break;
      }
      if (known.size() > single.literal.size() && known.substr(0, single.literal.size()) == single.literal)
        similar = at;
    }
    if (at == kNone && similar != kNone) {
      used = 1;
      at = similar;
      edges_[at] = make_edge(single, edges_[at].next_sibling);
    } else if (at == kNone) {
      if (siblings >= kMaxSiblings) return;
      at = add_edge(node, longest);
    }
    node = at;
    steps = steps.subspan(used);
  }
}

Skeleton::Edge Skeleton::make_edge(const SkeletonStep& step, std::uint32_t next_sibling) {
  const std::size_t length = step.literal.size();
  // From 1 to 32: of a full last block all bits count.
  const std::size_t tail = (length - 1) % 32 + 1;
  Edge edge{};
  edge.literal = static_cast<std::uint32_t>(literals_.size());
  edge.length = static_cast<std::uint16_t>(length);
  edge.kind = step.kind;
  edge.action = action_for(step.kind, step.slot);
  edge.slot = step.slot;
  edge.tail_mask = tail == 32 ? ~0u : (1u << tail) - 1;
  edge.next_sibling = next_sibling;
  literals_.append(std::span<const char>(step.literal.data(), length));
  literals_.resize((literals_.size() + 31) / 32 * 32, '\0');
  return edge;
}

std::uint32_t Skeleton::add_edge(std::uint32_t node, const SkeletonStep& step) {
  const Edge edge = make_edge(step, kNone);
  const auto number = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back(edge);
  // Appended behind its siblings: what was learned first is usually the most common.
  if (edges_[node].first_child == kNone) {
    edges_[node].first_child = number;
  } else {
    std::uint32_t last = edges_[node].first_child;
    while (edges_[last].next_sibling != kNone) last = edges_[last].next_sibling;
    edges_[last].next_sibling = number;
  }
  return number;
}

}  // namespace orrery::kineto
