// The small language of what-if edits: which part of a step, and what becomes of it.
//
//     edit     = what [":" pattern] {filter} action
//     what     = cpu | op | python | runtime | untraced | loading            (host time)
//              | gpu | kernel | comm | copy | set                            (device time; gpu is all four, kernel without comm)
//              | gap                                                         (delays; pattern: launch kernel stream sync handoff idle)
//              | all
//     pattern  = /regular expression/ | "glob" | glob                        (matched against the event's name; * ? in globs)
//     filter   = stream N | device N | in pattern                            (in: inside an annotation whose name matches)
//     action   = * factor | = duration | + duration | - duration | remove    (duration: 5us, 1.2ms, 300ns, 0)
//
//     kernel:/gemm/ * 0.5          gap:launch = 0          cpu * 0.8          kernel:nccl* stream 20 remove
//
// See docs/WHATIF.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/edits.h"
#include "link/step_graph.h"

namespace re2 {
class RE2;
}

namespace orrery::analyze {

/// Where an edit cannot be understood.
struct EditError {
  std::string message;
  std::size_t position = 0;  ///< character of the edit, from 0
  std::string hint = {};
};

class NamePattern {
 public:
  NamePattern() = default;  ///< matches everything
  static std::variant<NamePattern, std::string> regex(const std::string& text);
  static NamePattern glob(const std::string& text);
  [[nodiscard]] bool matches(std::string_view name) const;
  [[nodiscard]] bool matches_everything() const { return regex_ == nullptr; }

 private:
  std::shared_ptr<const re2::RE2> regex_;
  bool whole_ = false;
};

struct EditRule {
  enum class Action : std::uint8_t { scale, set, add };

  std::string text;         ///< as written
  std::uint32_t kinds = 0;  ///< bit per EdgeKind
  NamePattern name;
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> device;
  std::optional<NamePattern> inside;
  Action action = Action::scale;
  double factor = 1;
  TimePs amount = 0;
};

std::variant<EditRule, EditError> parse_edit(const std::string& text);

/// Applies the rules in order; each sees the result of those before it. Returns how many edges each rule changed.
/// `factor`: replaces the factor of every scaling rule (for sweeps).
std::vector<std::uint64_t> apply(const link::StepGraph& step, const std::vector<EditRule>& rules, graph::Edits& edits,
                                 std::optional<double> factor = std::nullopt);

}  // namespace orrery::analyze
