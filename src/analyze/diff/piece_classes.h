// The pieces of two runs counted by the same classes: (kind, name) as texts, since each job has its own table of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "causal/causal_graph.h"

namespace orrery::analyze {

inline constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

/// Classes by number, in order of first appearance.
class PieceClasses {
 public:
  struct Class {
    causal::EdgeKind kind{};
    std::string name;  ///< empty: time that belongs to no event, and delays
    friend auto operator<=>(const Class&, const Class&) = default;
  };

  std::uint32_t number(causal::EdgeKind kind, std::string_view name);
  [[nodiscard]] const Class& operator[](std::uint32_t number) const { return classes_[number]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(classes_.size()); }

 private:
  std::vector<Class> classes_;
  std::map<std::pair<causal::EdgeKind, std::string>, std::uint32_t, std::less<>> numbers_;
};

/// Whether an edge is a piece: something that takes time of its own. Order and arrivals do not.
inline bool is_piece(causal::EdgeKind kind) {
  return kind != causal::EdgeKind::order && kind != causal::EdgeKind::arrival;
}

/// Per slot: the number of its class; kNoClass where it is no piece.
Column<std::uint32_t> classes_of(const causal::CausalGraph& job, PieceClasses& classes);

/// How long each class took in each step of the job: times[class][step], all ranks together; shorter where classes came
/// later. Parts of what has an edge of its own (causal/part_edges.h) are in no sum.
std::vector<std::vector<TimePs>> class_step_times(const causal::CausalGraph& job,
                                                  const Column<std::uint32_t>& slot_class);

}  // namespace orrery::analyze
