#include "formats/kineto/skeleton.h"

#include <algorithm>
#include <cstring>

namespace orrery::kineto {
namespace {

constexpr std::size_t kMaxEdges = 8192;
constexpr std::size_t kMaxLiteralBytes = 240;
constexpr int kMaxSiblings = 24;

const char* skip_word(const char* p, const char* end) {
  while (*p >= 'a' && *p <= 'z') ++p;
  return p < end ? p : nullptr;
}

}  // namespace

Skeleton::Skeleton() { first_edge_.push_back(kNone); }

inline bool Skeleton::matches(const Edge& edge, const char* p) const {
  const char* literal = literals_.data() + edge.literal;
  std::size_t rest = edge.length;
  for (; rest > 16; rest -= 16, p += 16, literal += 16) {
    if (Bytes16(p).equal(Bytes16(literal)) != 0xFFFF) return false;
  }
  return (Bytes16(p).equal(Bytes16(literal)) & edge.tail_mask) == edge.tail_mask;
}

Skeleton::Match Skeleton::match(const char* p, const char* end, EventRecord& record) const {
  std::uint32_t node = 0;
  for (;;) {
    std::uint32_t at = first_edge_[node];
    for (; at != kNone; at = edges_[at].next_sibling) {
      if (matches(edges_[at], p)) break;
    }
    if (at == kNone) return {Outcome::miss, nullptr};
    const Edge& edge = edges_[at];
    p += edge.length;
    if (p > end) return {Outcome::incomplete, nullptr};
    switch (edge.kind) {
      case ValueKind::string: {
        bool escaped = false;
        const char* quote = find_string_end(p, end, escaped);
        if (quote == nullptr) return {Outcome::incomplete, nullptr};
        if (edge.slot != kIgnored) take_string(record, edge.slot, {{p, static_cast<std::size_t>(quote - p)}, escaped});
        p = quote;
        break;
      }
      case ValueKind::number:
        if (!is_number_char(*p)) return {Outcome::miss, nullptr};
        p = edge.slot == kIgnored ? skip_number(p, end) : take_number(record, edge.slot, p, end);
        if (p == nullptr) return {Outcome::miss, nullptr};
        break;
      case ValueKind::container: {
        if (*p != '[' && *p != '{') return {Outcome::miss, nullptr};
        const ContainerSkip skip = skip_container(p, end);
        if (skip.after == nullptr) return {skip.too_deep ? Outcome::too_deep : Outcome::incomplete, nullptr};
        p = skip.after;
        break;
      }
      case ValueKind::word:
        p = skip_word(p, end);
        if (p == nullptr) return {Outcome::incomplete, nullptr};
        break;
      case ValueKind::end: return {Outcome::parsed, p};
    }
    node = edge.next_node;
  }
}

void Skeleton::learn(const std::vector<SkeletonStep>& steps) {
  if (edges_.size() + steps.size() > kMaxEdges) return;
  const auto too_long = [](const SkeletonStep& step) { return step.literal.size() > kMaxLiteralBytes || step.literal.empty(); };
  if (std::any_of(steps.begin(), steps.end(), too_long)) return;
  std::uint32_t node = 0;
  for (const SkeletonStep& step : steps) {
    std::uint32_t at = first_edge_[node];
    int siblings = 0;
    for (; at != kNone; at = edges_[at].next_sibling, ++siblings) {
      const Edge& edge = edges_[at];
      if (edge.kind == step.kind && edge.length == step.literal.size() && std::memcmp(literals_.data() + edge.literal, step.literal.data(), edge.length) == 0) break;
    }
    if (at == kNone) {
      if (siblings >= kMaxSiblings) return;
      at = add_edge(node, step);
    }
    node = edges_[at].next_node;
  }
}

std::uint32_t Skeleton::add_edge(std::uint32_t node, const SkeletonStep& step) {
  const std::size_t length = step.literal.size();
  const std::size_t tail = (length - 1) % 16 + 1;
  Edge edge{};
  edge.literal = static_cast<std::uint32_t>(literals_.size());
  edge.length = static_cast<std::uint16_t>(length);
  edge.kind = step.kind;
  edge.slot = step.slot;
  edge.tail_mask = (1u << tail) - 1;
  edge.next_node = static_cast<std::uint32_t>(first_edge_.size());
  edge.next_sibling = kNone;
  literals_.append(std::span<const char>(step.literal.data(), length));
  literals_.resize((literals_.size() + 15) / 16 * 16, '\0');
  first_edge_.push_back(kNone);
  const auto number = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back(edge);
  // Appended behind its siblings: what was learned first is usually the most common.
  if (first_edge_[node] == kNone) {
    first_edge_[node] = number;
  } else {
    std::uint32_t last = first_edge_[node];
    while (edges_[last].next_sibling != kNone) last = edges_[last].next_sibling;
    edges_[last].next_sibling = number;
  }
  return number;
}

}  // namespace orrery::kineto
