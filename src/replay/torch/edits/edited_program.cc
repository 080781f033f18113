#include "replay/torch/edits/edited_program.h"

#include <string_view>

#include "analyze/whatif/edit_language.h"
#include "match/communication.h"
#include "replay/torch/edits/edit_outcomes.h"
#include "replay/torch/scale/scaled_transfer.h"

namespace orrery::replay::torch {
namespace {

using analyze::EditRule;
using causal::EdgeKind;
using workload::ActivityKind;

// What the edit needs that programs do not have; empty: nothing.
std::string missing_for(const analyze::ParsedEdit& edit) {
  const auto* rule = std::get_if<EditRule>(&edit);
  if (rule == nullptr || rule->scope.steps) return "the source has no steps";
  if (rule->inside) return "the source has no annotations";
  if ((rule->kinds & analyze::edit_kinds::kHost) != 0) return "the source has no operators, and nothing of the host";
  return {};
}

class ProgramEditing {
 public:
  ProgramEditing(const std::vector<analyze::ParsedEdit>& edits, const workload::Workload& workload, std::size_t place,
                 std::int64_t rank)
      : edits_(edits), workload_(workload), program_(workload.program(place)), rank_(rank) {
    for (std::size_t i = 0; i < program_.size(); ++i) result_.durations.push_back(program_.duration_ps(i));
    result_.transfers.resize(program_.size());
    result_.list.counts.resize(edits.size());
  }

  Result<ProgramEdits> run() {
    for (edit_ = 0; edit_ < edits_.size(); ++edit_) {
      if (const std::string missing = missing_for(edits_[edit_]); !missing.empty()) return refuse(missing);
      const auto& rule = std::get<EditRule>(edits_[edit_]);
      if (rule.scope.ranks && !rule.scope.ranks->contains(rank_)) continue;
      for (std::size_t i = 0; i < program_.size(); ++i) {
        if (is_program_work(program_, i) && selects_work(rule, i)) change_work(rule, i);
        if (!is_program_transfer(program_, i)) continue;
        if (const Status taken = take_transfer(rule, i); !taken) return taken.error();
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] Error refuse(const std::string& why) const { return refuse_edit(analyze::text_of(edits_[edit_]), why); }
  [[nodiscard]] std::string_view name_of(std::size_t i) const { return workload_.strings.text(program_.names[i]); }
  [[nodiscard]] bool fits(const EditRule& rule, std::size_t i) const {
    return rule.name.matches(name_of(i)) && (!rule.stream || program_.lanes[i] == *rule.stream);
  }

  [[nodiscard]] bool selects_work(const EditRule& rule, std::size_t i) const {
    // Programs tell fills from copies by name only.
    const EdgeKind kind = program_.kinds[i] == ActivityKind::compute       ? EdgeKind::kernel
                          : name_of(i).find("Memset") != std::string::npos ? EdgeKind::memory_set
                                                                           : EdgeKind::memory_copy;
    return rule.selects(kind) && !rule.scope.group && fits(rule, i);
  }

  void change_work(const EditRule& rule, std::size_t i) {
    TimePs& duration = result_.durations[i];
    ++result_.list.counts[edit_].works;
    // Later edits see what earlier ones made of it, but nothing brings back what was removed.
    if (duration != RankEdits::kRemoved) duration = rule.changed(duration, std::nullopt);
    // Nothing that takes no time needs to be run.
    if (duration == 0) duration = RankEdits::kRemoved;
  }

  Status take_transfer(const EditRule& rule, std::size_t i) {
    const match::CommunicationKind kind{program_.kinds[i], program_.collectives[i]};
    if (!rule.selects(EdgeKind::communication) || !selects_kind(rule, kind) || !fits(rule, i)) return {};
    if (rule.scope.group) {
      const std::string_view group = workload_.strings.text(program_.group_names[i]);
      if (group.empty()) return refuse("the group of " + std::string(name_of(i)) + " has no name");
      if (!rule.scope.group->matches(group)) return {};
    }
    if (rule.action != EditRule::Action::scale && !leaves_nothing(rule))
      return refuse(std::string(name_of(i)) +
                    " takes what the network takes: it can carry * times as much, or be removed");
    // It has no size that could be scaled.
    if (kind.kind == ActivityKind::collective && kind.collective == workload::Collective::barrier &&
        !leaves_nothing(rule))
      return {};
    TransferEdit& transfer = result_.transfers[i];
    ++result_.list.counts[edit_].communications;
    // Factors of several edits multiply.
    transfer.factor *= leaves_nothing(rule) ? 0 : rule.factor;
    if (!leaves_everything(rule)) transfer.edit = static_cast<std::uint32_t>(edit_);
    return {};
  }

  const std::vector<analyze::ParsedEdit>& edits_;
  const workload::Workload& workload_;
  const workload::Program& program_;
  std::int64_t rank_;
  std::size_t edit_ = 0;
  ProgramEdits result_;
};

}  // namespace

bool is_program_work(const workload::Program& program, std::size_t activity) {
  const ActivityKind kind = program.kinds[activity];
  return !program.has(activity, workload::activity::kOnHost) && program.duration_ps(activity) > 0 &&
         (kind == ActivityKind::compute || kind == ActivityKind::memory_load || kind == ActivityKind::memory_store);
}

bool is_program_transfer(const workload::Program& program, std::size_t activity) {
  const ActivityKind kind = program.kinds[activity];
  return kind == ActivityKind::collective || kind == ActivityKind::send || kind == ActivityKind::recv;
}

Result<ProgramEdits> edit_program(const std::vector<analyze::ParsedEdit>& edits, const workload::Workload& workload,
                                  std::size_t place, std::int64_t rank) {
  return ProgramEditing(edits, workload, place, rank).run();
}

}  // namespace orrery::replay::torch
