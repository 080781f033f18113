// Rules: how names are read. Which kernels communicate, by whose library and in which way, and which annotations are
// steps. A table that ships with the program and that users add to; what reads the file is in job/read/rules_input.h.
//
// The first rule that fits decides. Patterns are RE2's: no pattern takes longer than a time linear in the text, and
// memory is bounded, whoever wrote it.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/result.h"

namespace orrery::trace {

/// What a kernel of a library of communication is there for.
enum class CommunicationRole : std::uint8_t {
  data,   ///< moves payload
  sync,   ///< exchanges counters or flags and waits for others: it communicates
  setup,  ///< local preparation: listed, but it computes
};
inline constexpr std::string_view kCommunicationRoles[] = {"data", "sync", "setup"};
inline std::string_view to_string(CommunicationRole role) {
  return kCommunicationRoles[static_cast<std::size_t>(role)];
}

/// What a rule may say is done.
inline constexpr std::string_view kCommunicationKinds[] = {"all_reduce", "all_gather", "reduce_scatter",
                                                           "all_to_all", "dispatch",   "combine",
                                                           "broadcast",  "send_recv",  "barrier"};

/// Patterns match anywhere; one that is empty is not asked for, and all that are given must match. "$1" in `library`
/// and `group_size` is a group of the first pattern given, in the order of the fields.
struct CommunicationRule {
  std::string name = {};           ///< of the kernel as function_part has it
  std::string signature = {};      ///< of the whole name, with return type and parameters
  std::string operator_name = {};  ///< of the innermost operator around the launch
  std::string library = {};        ///< "deepep", "$1"; empty: not known
  std::string kind = {};           ///< of kCommunicationKinds; empty: not known
  CommunicationRole role = CommunicationRole::data;
  std::string group_size = {};  ///< "8", "$1", "$1 * 8"; empty: not known
  /// What moves is this input of the operator, counted from 0; none: how much moves is not known.
  std::optional<std::uint32_t> bytes_input = {};
  bool communicates = true;  ///< false: works that fit do not, whatever later rules and libraries say of their names
  std::string file = {};
  int line = 0;
};

/// A name of a host annotation that is a step of an engine. The whole name must match. Named groups say what is in it:
/// requests, tokens and the other names of kStepGroups.
struct StepRule {
  std::string pattern = {};
  std::string engine = {};
  std::string phase = {};  ///< of kStepPhases
  std::string file = {};
  int line = 0;
};
inline constexpr std::string_view kStepPhases[] = {"prefill", "decode", "mixed", "idle", "diffusion", "other"};
inline constexpr std::string_view kStepGroups[] = {"requests",          "tokens",
                                                   "context_requests",  "generation_requests",
                                                   "context_tokens",    "generation_tokens",
                                                   "context_kv_tokens", "generation_kv_tokens"};

/// What is wrong with a rule, and in which field of the file it is: "name", "group_size".
struct RuleFault {
  std::string field;
  std::string message;
};
std::optional<RuleFault> fault_of(const CommunicationRule& rule);
std::optional<RuleFault> fault_of(const StepRule& rule);

/// "deep_ep::intranode::combine<float, 8>" of "void deep_ep::intranode::combine<float, 8>(float*, int)": without return
/// type, parameters and anonymous namespaces. Types of parameters mention other kernels.
std::string function_part(std::string_view kernel);

/// What the rule that fits says of one kernel.
struct RuleReading {
  std::uint32_t rule = 0;       ///< its place in Rules::communication
  std::string library = {};     ///< empty: not known
  std::int64_t group_size = 0;  ///< 0: not known
};

/// What the rule that fits says of a step's name.
struct StepReading {
  std::uint32_t rule = 0;                                                        ///< its place in Rules::steps
  std::array<std::optional<std::int64_t>, std::size(kStepGroups)> numbers = {};  ///< in the order of kStepGroups
};

/// Immutable; any number of threads may ask.
class Rules {
 public:
  /// In order of precedence. None of them may have a fault. `files`: see there.
  Rules(std::vector<CommunicationRule> communication, std::vector<StepRule> steps, std::vector<std::string> files = {});
  ~Rules();
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  [[nodiscard]] const std::vector<CommunicationRule>& communication() const { return communication_; }
  [[nodiscard]] const std::vector<StepRule>& steps() const { return steps_; }
  /// Users' files, the first decides; another process reads them again. What ships with the program is in none.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

  static constexpr std::uint32_t kNoRule = ~std::uint32_t{0};

  /// The first rule that asks for no operator and fits the kernel; kNoRule: none does.
  [[nodiscard]] std::uint32_t first_by_name(std::string_view kernel) const;
  /// Rules that ask for an operator, and for one of this name, ascending. Mostly none.
  [[nodiscard]] std::vector<std::uint32_t> asking_for(std::string_view operator_name) const;
  /// Whether the name and signature that the rule asks for are the kernel's.
  [[nodiscard]] bool fits_name(std::uint32_t rule, std::string_view kernel) const;
  /// What the rule says; it must fit.
  [[nodiscard]] RuleReading read(std::uint32_t rule, std::string_view kernel, std::string_view operator_name) const;
  /// The first rule of steps whose pattern is the whole of `name`; none: it is no step by them.
  [[nodiscard]] std::optional<StepReading> read_step(std::string_view name) const;
  /// Whether any rule asks for an operator.
  [[nodiscard]] bool ask_for_operators() const;

 private:
  struct Patterns;
  std::vector<CommunicationRule> communication_;
  std::vector<StepRule> steps_;
  std::vector<std::string> files_;
  std::unique_ptr<const Patterns> patterns_;
};

/// What rules say about the names of one table of texts, each looked at once: there are a thousand times more works
/// than names. For one thread.
class RuledNames {
 public:
  static constexpr std::uint32_t kNoReading = ~std::uint32_t{0};
  static constexpr StringId kNoOperator = ~StringId{0};

  /// Both must outlive this. Without rules nothing fits.
  RuledNames(const Rules* rules, const Interner& strings);

  /// A place in readings(), or kNoReading.
  std::uint32_t find(StringId kernel, StringId operator_name = kNoOperator);
  /// Equal for equal readings of one kernel's name; grows with find.
  [[nodiscard]] const std::vector<RuleReading>& readings() const { return readings_; }
  [[nodiscard]] const CommunicationRule& rule(std::uint32_t reading) const {
    return rules_->communication()[readings_[reading].rule];
  }

 private:
  static constexpr std::uint32_t kNotLookedAt = RuledNames::kNoReading - 1;
  std::uint32_t by_name(StringId kernel);
  std::uint32_t by_operator(StringId kernel, StringId operator_name, const std::vector<std::uint32_t>& asking);
  std::uint32_t add(std::uint32_t rule, StringId kernel, std::string_view operator_name);

  const Rules* rules_;
  const Interner& strings_;
  Column<std::uint32_t> by_name_;                                    // per text: a reading, kNoReading, or kNotLookedAt
  std::unordered_map<StringId, std::vector<std::uint32_t>> asking_;  // per operator
  std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;         // kernels of operators that rules ask for
  std::vector<RuleReading> readings_;
};

}  // namespace orrery::trace
