#include "causal/device/communicating_works.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "causal/host/launching_operators.h"
#include "match/communication.h"

namespace orrery::causal {
namespace {

using match::LibraryKernel;
using trace::Activity;
using trace::EventIndex;
using trace::RuledNames;

bool is_kernel(const trace::RankTrace& rank, EventIndex event) {
  const Activity activity = rank.activity(event);
  return activity != Activity::memory_copy && activity != Activity::memory_set;
}

// What names say, each looked at once: there are a thousand times more works than names.
class KernelNames {
 public:
  explicit KernelNames(const Interner& strings) : strings_(strings), known_(strings.size(), kNotLookedAt) {}

  LibraryKernel of(StringId name) {
    std::uint8_t& known = known_[name];
    if (known == kNotLookedAt) known = static_cast<std::uint8_t>(match::library_kernel(strings_.text(name)));
    return static_cast<LibraryKernel>(known);
  }

 private:
  static constexpr std::uint8_t kNotLookedAt = 255;
  const Interner& strings_;
  std::vector<std::uint8_t> known_;
};

/// Whose kernel it is that has a library in its name.
std::string library_called(std::string_view kernel) {
  const auto has = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
  if (kernel.starts_with("hccl")) return "hccl";
  if (kernel.starts_with("mscclKernel")) return "msccl";
  // RCCL calls most of its kernels as NCCL does.
  return has("rccl") && !has("nccl") ? "rccl" : "nccl";
}

/// "all_reduce" of "_allreduce_base", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"; empty: it does not say.
std::string kind_called(std::string_view name) {
  if (const auto known = match::communication_kind(name)) {
    if (known->kind == workload::ActivityKind::send) return "send";
    if (known->kind == workload::ActivityKind::recv) return "recv";
    return std::string(workload::to_string(known->collective));
  }
  return name.find("SendRecv") != std::string_view::npos ? "send_recv" : "";
}

class Teller {
 public:
  Teller(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
         std::span<const EventIndex> operators)
      : trace_(trace),
        rank_(rank),
        timeline_(timeline),
        operators_(operators),
        joined_(rank.field(trace::Field::operator_text)),
        libraries_(trace.strings),
        rules_(trace.rules.get(), trace.strings),
        says_nothing_(trace.strings.size(), 0) {}

  WorkCommunications tell() {
    out_.facts_of.assign(timeline_.works.size(), WorkCommunications::kNone);
    const trace::SparseColumn& recorded = rank_.field(trace::Field::collective_text);
    bool any_recorded = false;
    // Without a single record the loop is not entered.
    for (std::uint32_t w = 0; w < timeline_.works.size() && !recorded.event.empty(); ++w) {
      const EventIndex event = timeline_.works[w].event;
      if (!is_kernel(rank_, event)) continue;
      const auto kind = recorded.find(event);
      if (!kind) continue;
      take(w, static_cast<StringId>(*kind));
      any_recorded = true;
    }
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const EventIndex event = timeline_.works[w].event;
      if (out_.facts_of[w] == WorkCommunications::kNone && is_kernel(rank_, event)) decide(w, any_recorded);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] EventIndex launcher_of(std::uint32_t w) const { return operators_.empty() ? kNoEvent : operators_[w]; }

  /// The name of its operator, or kNoOperator. What a capture says of work of a graph comes first: the operator around
  /// the launch launched all of it.
  StringId operator_of(std::uint32_t w) {
    const std::int64_t joined = joined_.find(timeline_.works[w].event, -1);
    if (joined >= 0) return static_cast<StringId>(joined);
    const EventIndex launcher = launcher_of(w);
    return launcher == kNoEvent ? RuledNames::kNoOperator : rank_.name[launcher];
  }

  std::uint32_t reading_of(std::uint32_t w) {
    return rules_.find(rank_.name[timeline_.works[w].event], operator_of(w));
  }

  void decide(std::uint32_t w, bool any_recorded) {
    const StringId op = operator_of(w);
    const StringId name = rank_.name[timeline_.works[w].event];
    // Without an operator the name alone decides, and most names were found to say nothing before.
    if (op == RuledNames::kNoOperator && says_nothing_[name] != 0) return;
    if (op != RuledNames::kNoOperator && asks_for_communication(trace_.strings.text(op))) return take(w, op);
    if (const std::uint32_t reading = reading_of(w); reading != RuledNames::kNoReading) {
      if (rules_.rule(reading).communicates) take(w, name);
      return;
    }
    switch (libraries_.of(name)) {
      case LibraryKernel::none: break;
      case LibraryKernel::entry: take(w, name); break;
      // A name that only mentions a library decides where nothing better is known: no operator, and no records at all.
      case LibraryKernel::mentioned:
        if (op == RuledNames::kNoOperator && !any_recorded) take(w, name);
        break;
    }
    if (op == RuledNames::kNoOperator && out_.facts_of[w] == WorkCommunications::kNone) says_nothing_[name] = 1;
  }

  /// `said`: the record, operator or name that tells what is done, unless a rule does.
  void take(std::uint32_t w, StringId said) {
    const EventIndex event = timeline_.works[w].event;
    std::uint32_t reading = reading_of(w);
    if (reading != RuledNames::kNoReading && !rules_.rule(reading).communicates) reading = RuledNames::kNoReading;
    std::int64_t group_size = rank_.field(trace::Field::group_size).find(event).value_or(0);
    if (const EventIndex launcher = launcher_of(w); group_size <= 0 && launcher != kNoEvent)
      group_size = rank_.field(trace::Field::group_size).find(launcher).value_or(0);
    const auto [place, is_new] =
        places_.emplace(std::tuple(rank_.name[event], said, reading, std::max<std::int64_t>(group_size, 0)),
                        static_cast<std::uint32_t>(out_.facts.size()));
    out_.facts_of[w] = place->second;
    if (is_new) out_.facts.push_back(facts_of(rank_.name[event], said, reading, std::max<std::int64_t>(group_size, 0)));
  }

  CommunicationFacts facts_of(StringId name, StringId said, std::uint32_t reading, std::int64_t group_size) {
    CommunicationFacts facts{.group_size = group_size};
    if (reading != RuledNames::kNoReading) {
      const trace::CommunicationRule& rule = rules_.rule(reading);
      const trace::RuleReading& read = rules_.readings()[reading];
      facts.library = read.library;
      facts.kind = rule.kind;
      facts.role = rule.role;
      // Who asked for a communication, or recorded one, knows better than a name.
      if (said != name && facts.role == trace::CommunicationRole::setup) facts.role = trace::CommunicationRole::data;
      if (group_size == 0) facts.group_size = read.group_size;
      facts.bytes_input = rule.bytes_input;
      return facts;
    }
    const std::string_view kernel = trace_.strings.text(name);
    if (libraries_.of(name) != LibraryKernel::none) facts.library = library_called(kernel);
    facts.kind = kind_called(trace_.strings.text(said));
    if (facts.kind.empty()) facts.kind = kind_called(kernel);
    return facts;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  std::span<const EventIndex> operators_;
  trace::InOrder joined_;
  KernelNames libraries_;
  RuledNames rules_;
  std::vector<std::uint8_t>
      says_nothing_;  // per text: a kernel that no operator explains, and that does not communicate
  std::map<std::tuple<StringId, StringId, std::uint32_t, std::int64_t>, std::uint32_t> places_;
  WorkCommunications out_;
};

}  // namespace

bool asks_for_communication(std::string_view name) {
  return match::names_communication(name) || name == "record_param_comms";
}

bool operators_may_tell_communication(const trace::Trace& trace) {
  const bool by_rules = trace.rules != nullptr && trace.rules->ask_for_operators();
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const std::string_view name = trace.strings.text(id);
    // Operators are looked for only where they can decide something: finding them takes longer than all the rest.
    if (asks_for_communication(name) || match::library_kernel(name) == LibraryKernel::mentioned) return true;
    if (by_rules && !trace.rules->asking_for(name).empty()) return true;
  }
  return false;
}

WorkCommunications communications_of_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                           const DeviceTimeline& timeline, std::span<const EventIndex> operators) {
  return Teller(trace, rank, timeline, operators).tell();
}

std::vector<std::uint8_t> communicating_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const DeviceTimeline& timeline, const trace::ContentOrder& content) {
  std::vector<EventIndex> operators;
  if (!timeline.works.empty() && operators_may_tell_communication(trace))
    operators = launching_operators(trace, rank, timeline, content);
  const WorkCommunications found = communications_of_works(trace, rank, timeline, operators);
  std::vector<std::uint8_t> communicates(timeline.works.size());
  for (std::uint32_t w = 0; w < communicates.size(); ++w) communicates[w] = found.communicates(w) ? 1 : 0;
  return communicates;
}

}  // namespace orrery::causal
