// The small language of what-if edits: which part of a step or of a job, and what becomes of it.
//
//     edit     = {scope} (change | event) | profiler | network
//     scope    = rank:numbers | step:numbers | group:pattern              numbers: 3, 0-3, 0-3,7
//     change   = what [":" pattern] {filter} action
//     what     = cpu | op | python | runtime | untraced | loading         host time
//              | gpu | kernel | comm | copy | set                         device time; gpu: all, kernel: without comm
//              | collective [":" kind] | p2p                              transfers of what ranks exchange
//              | gap                                                      delays, by the pattern:
//                                                                         launch kernel stream sync handoff idle
//              | all
//     pattern  = /regular expression/ | "glob" | glob                     of the event's name; * ? in globs
//     filter   = stream N | device N | in pattern                         in: inside an annotation of that name
//              | kind name                                                of operators: gemm, attention, norm, ...
//     action   = * factor | = duration | + duration | - duration | remove
//              | = roof | = achievable                                    no longer than the device allows
//     duration = 5us, 1.2ms, 300ns, 0
//     event    = delay duration | fails at duration restart duration [from step:N]
//     profiler = profiler remove                                          what recording cost the host
//     network  = (network | link:pattern) (bandwidth | latency) action    only where a machine is simulated
//
//     kernel:/gemm/ * 0.5     gap:launch = 0     rank:3 delay 4ms     group:dp* collective:all_reduce * 2
//
// See docs/WHATIF.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyze/roofline/operator_kind.h"
#include "causal/edge_kind.h"
#include "causal/rank_graph.h"
#include "graph/edits.h"

namespace orrery::analyze {

// The words of the edit language and the kinds of time they stand for; for those who read edits and for those who write
// them.

constexpr std::uint32_t bit_of(causal::EdgeKind kind) { return 1u << static_cast<unsigned>(kind); }

namespace edit_kinds {
using causal::EdgeKind;
inline constexpr std::uint32_t kHost = bit_of(EdgeKind::cpu_operator) | bit_of(EdgeKind::cpu_python) |
                                       bit_of(EdgeKind::cpu_runtime) | bit_of(EdgeKind::cpu_untraced) |
                                       bit_of(EdgeKind::data_loading);
inline constexpr std::uint32_t kCommunication = bit_of(EdgeKind::communication);
inline constexpr std::uint32_t kDevice =
    bit_of(EdgeKind::kernel) | kCommunication | bit_of(EdgeKind::memory_copy) | bit_of(EdgeKind::memory_set);
inline constexpr std::uint32_t kIdle = bit_of(EdgeKind::idle_thread) | bit_of(EdgeKind::idle_device);
inline constexpr std::uint32_t kGaps = bit_of(EdgeKind::launch_delay) | bit_of(EdgeKind::kernel_gap) |
                                       bit_of(EdgeKind::stream_wait) | bit_of(EdgeKind::sync_return) |
                                       bit_of(EdgeKind::handoff) | kIdle;
}  // namespace edit_kinds

struct EditWord {
  std::string_view name;
  std::uint32_t kinds;  ///< bit per EdgeKind
};

inline constexpr std::array kEditWhat = {
    EditWord{"cpu", edit_kinds::kHost},
    EditWord{"op", bit_of(causal::EdgeKind::cpu_operator)},
    EditWord{"python", bit_of(causal::EdgeKind::cpu_python)},
    EditWord{"runtime", bit_of(causal::EdgeKind::cpu_runtime)},
    EditWord{"untraced", bit_of(causal::EdgeKind::cpu_untraced)},
    EditWord{"loading", bit_of(causal::EdgeKind::data_loading)},
    EditWord{"gpu", edit_kinds::kDevice},
    EditWord{"kernel", bit_of(causal::EdgeKind::kernel)},
    EditWord{"comm", edit_kinds::kCommunication},
    EditWord{"collective", edit_kinds::kCommunication},
    EditWord{"p2p", edit_kinds::kCommunication},
    EditWord{"copy", bit_of(causal::EdgeKind::memory_copy)},
    EditWord{"set", bit_of(causal::EdgeKind::memory_set)},
    EditWord{"gap", edit_kinds::kGaps},
    EditWord{"all", edit_kinds::kHost | edit_kinds::kDevice | edit_kinds::kGaps},
};

inline constexpr std::array kEditGaps = {
    EditWord{"launch", bit_of(causal::EdgeKind::launch_delay)},
    EditWord{"kernel", bit_of(causal::EdgeKind::kernel_gap)},
    EditWord{"stream", bit_of(causal::EdgeKind::stream_wait)},
    EditWord{"sync", bit_of(causal::EdgeKind::sync_return)},
    EditWord{"handoff", bit_of(causal::EdgeKind::handoff)},
    EditWord{"idle", edit_kinds::kIdle},
};

/// The word that selects this kind of time and no other: op, kernel, comm; empty for delays, order and arrivals.
std::string_view word_of(causal::EdgeKind kind);
/// launch, kernel, idle; empty for what is no delay.
std::string_view gap_word_of(causal::EdgeKind kind);

/// What a pattern has to look like to match exactly this name: "aten::mm", or /^void f\(float\*\)$/ where quotes or
/// wildcards are in it.
std::string exact_pattern(std::string_view name);

}  // namespace orrery::analyze

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
  /// roof, achievable: what the device allows the operator, where that is less (analyze/roofline/owner_prices.h).
  enum class Action : std::uint8_t { scale, set, add, roof, achievable };
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
  std::optional<OperatorKind> operator_kind;
  Action action = Action::scale;
  double factor = 1;
  TimePs amount = 0;
  bool removes_profiler = false;  ///< what recording cost is taken off (recording_cost.h); nothing else counts then

  /// Whether it takes what the device allows for an amount.
  [[nodiscard]] bool asks_device() const { return action == Action::roof || action == Action::achievable; }
  /// Whether it speaks of what operators compute, which the graph does not know by itself.
  [[nodiscard]] bool asks_operators() const { return operator_kind || asks_device(); }
  [[nodiscard]] bool selects(causal::EdgeKind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1) != 0; }
  /// What a piece of this weight weighs afterwards; never more than a graph can hold. `factor_instead`: of a scaling
  /// rule, for sweeps. What the device allows is not known here: such a rule changes nothing.
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
