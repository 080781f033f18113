// The small language of what-if edits: which part of a step or of a job, and what becomes of it.
//
//     edit     = {scope} (change | event) | profiler | network
//     scope    = rank:numbers | step:numbers | group:pattern                 (numbers: 3, 0-3, 0-3,7)
//     change   = what [":" pattern] {filter} action
//     what     = cpu | op | python | runtime | untraced | loading            (host time)
//              | gpu | kernel | comm | copy | set                            (device time; gpu is all four, kernel
//              without comm) | collective [":" kind] | p2p                                 (transfers of what ranks
//              exchange) | gap                                                         (delays; pattern: launch kernel
//              stream sync handoff idle) | all
//     pattern  = /regular expression/ | "glob" | glob                        (matched against the event's name; * ? in
//     globs) filter   = stream N | device N | in pattern                            (in: inside an annotation whose
//     name matches) action   = * factor | = duration | + duration | - duration | remove    (duration: 5us, 1.2ms,
//     300ns, 0) event    = delay duration | fails at duration restart duration [from step:N] profiler = profiler remove
//     (what recording typically costs per event of the host) network  = (network | link:pattern) (bandwidth | latency)
//     action       (only where a machine is simulated)
//
//     kernel:/gemm/ * 0.5          gap:launch = 0          rank:3 delay 4ms          group:dp* collective:all_reduce *
//     2
//
// See docs/WHATIF.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "causal/rank_graph.h"
#include "graph/edits.h"

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
  /// The glob "": what has no name at all, which no other pattern selects.
  [[nodiscard]] bool is_of_nameless() const { return of_nameless_; }

 private:
  std::shared_ptr<const re2::RE2> regex_;
  bool whole_ = false;
  bool of_nameless_ = false;
};

/// 0-3,7
struct NumberSet {
  struct Range {
    std::int64_t first = 0, last = 0;  ///< both included
  };
  std::vector<Range> ranges;  ///< as written

  [[nodiscard]] bool contains(std::int64_t number) const;
};

/// Whose pieces, when, and of which group; what is not given does not matter.
struct EditScope {
  std::optional<NumberSet> ranks;
  std::optional<NumberSet> steps;  ///< by the number in the step's name
  std::optional<NamePattern> group;
};

/// A change: pieces of time, and what becomes of each.
struct EditRule {
  enum class Action : std::uint8_t { scale, set, add };
  /// Of communication, which part.
  enum class Exchanged : std::uint8_t { anything, collectives, messages };

  std::string text;  ///< as written
  EditScope scope;
  std::uint32_t kinds = 0;  ///< bit per EdgeKind
  NamePattern name;
  Exchanged exchanged = Exchanged::anything;
  NamePattern collective;  ///< of collectives: their kind
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> device;
  std::optional<NamePattern> inside;
  Action action = Action::scale;
  double factor = 1;
  TimePs amount = 0;
  bool removes_profiler = false;  ///< of every recorded event `amount` is taken off, wherever it lies
                                  ///< (profiler_cost.h); nothing else counts then

  [[nodiscard]] bool selects(causal::EdgeKind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1) != 0; }
  /// What a piece of this weight weighs afterwards; never more than a graph can hold. `factor_instead`: of a scaling
  /// rule, for sweeps.
  [[nodiscard]] TimePs changed(TimePs weight, std::optional<double> factor_instead) const;
};

/// The main thread of each selected rank stands still once, at the begin of each selected step.
struct DelayEvent {
  std::string text;
  EditScope scope;
  TimePs amount = 0;
};

/// The selected ranks stand still from the job's begin + `at` for `restart`.
struct FailureEvent {
  std::string text;
  EditScope scope;
  TimePs at = 0;
  TimePs restart = 0;
  std::optional<std::int64_t> from_step;  ///< then the whole job goes back to the begin of this step
};

/// A change of the machine that exchanges are simulated on.
struct NetworkEdit {
  enum class Quantity : std::uint8_t { bandwidth, latency };

  std::string text;
  std::optional<NamePattern> link;  ///< none: every link of the network
  Quantity quantity = Quantity::bandwidth;
  EditRule::Action action = EditRule::Action::scale;
  double factor = 1;
  TimePs amount = 0;            ///< of latencies that are set or added to
  double bytes_per_second = 0;  ///< of bandwidths that are set
};

using ParsedEdit = std::variant<EditRule, DelayEvent, FailureEvent, NetworkEdit, EditError>;
ParsedEdit parse_edit(const std::string& text);

/// As it was written; of an error nothing.
const std::string& text_of(const ParsedEdit& edit);

/// Why the edit cannot be applied to the graph of one rank: it speaks of what is known from all of them. Empty if it
/// can.
std::string needs_whole_job(const ParsedEdit& edit);

/// What a set names of which nothing is there: "rank 7", "steps 5 to 9". Of a range some may be absent: it is meant as
/// those there are.
std::vector<std::string> absent_numbers(const NumberSet& wanted, std::span<const std::int64_t> present,
                                        std::string_view what);

/// "ProfilerStep#12" -> 12: the number that a step's name ends in.
std::optional<std::int64_t> number_of_step(std::string_view name);

}  // namespace orrery::analyze
