#include "replay/torch/edits/edited_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/whatif/edit_language.h"
#include "analyze/whatif/edit_selector.h"
#include "causal/device/communicating_works.h"
#include "match/communication.h"
#include "replay/torch/edits/edit_outcomes.h"
#include "replay/torch/scale/scaled_transfer.h"
#include "replay/torch/source/row_scopes.h"

// Edits are taken one by one in their order, first over device work and operators, then over communication. What they
// select of a call is noted; only when all are taken is it known whether a call was selected whole. Then removed calls
// take their works with them, and communication gets its new sizes.

namespace orrery::replay::torch {
namespace {

using analyze::EditRule;
using causal::EdgeKind;
using causal::kNoRow;

class CallEditing {
 public:
  CallEditing(const std::vector<analyze::ParsedEdit>& edits, const RankSource& source, const ChosenCalls& chosen,
              const Lifetimes& lifetimes)
      : edits_(edits),
        source_(source),
        host_(*source.host),
        chosen_(chosen),
        lifetimes_(lifetimes),
        steps_(step_numbers(source)) {
    result_.is_removed.assign(host_.size(), 0);
    result_.transfers.resize(chosen.collectives.size());
    for (const LaunchedWork& work : source.works) result_.durations.push_back(work.duration);
    result_.list.counts.resize(edits.size());
    for (const std::int64_t step : steps_) {
      const std::vector<std::int64_t>& known = result_.list.steps;
      if (step != kNoStepNumber && (known.empty() || known.back() != step)) result_.list.steps.push_back(step);
    }
  }

  Result<RankEdits> run() {
    for (edit_ = 0; edit_ < edits_.size(); ++edit_, selected_.clear()) {
      const auto* rule = std::get_if<EditRule>(&edits_[edit_]);
      const auto* delay = std::get_if<analyze::DelayEvent>(&edits_[edit_]);
      if (const Status done = rule != nullptr ? take_rule(*rule) : take_delay(*delay); !done) return done.error();
    }
    if (const Status whole = remove_whole_calls(); !whole) return whole.error();
    remove_their_works();
    if (const Status scaled = scale_transfers(); !scaled) return scaled.error();
    result_.list.sides = transfer_sides(source_, chosen_, result_.transfers);
    return std::move(result_);
  }

 private:
  [[nodiscard]] EditCount& count() { return result_.list.counts[edit_]; }
  [[nodiscard]] Error refuse(std::size_t edit, const std::string& why) const {
    return refuse_edit(analyze::text_of(edits_[edit]), why, host_.path);
  }
  [[nodiscard]] Error refuse(const std::string& why) const { return refuse(edit_, why); }
  [[nodiscard]] std::string_view name_of(std::uint32_t row) const { return source_.strings->text(host_.name[row]); }
  [[nodiscard]] std::string describe(std::uint32_t row) const {
    return fmt::format("{} (node {})", name_of(row), host_.id[row]);
  }

  // Whether the edit is about this rank, and what it needs to be known of the recording is.
  Result<bool> concerns(const analyze::EditScope& scope, bool needs_steps) const {
    if (scope.ranks && !scope.ranks->contains(source_.rank)) return false;
    if ((needs_steps || scope.steps) && result_.list.steps.empty()) return refuse("the recording has no steps");
    return true;
  }

  // Steps are ranges too: they may be all that a recording has, and all that is asked for.
  [[nodiscard]] bool has_ranges(const analyze::NamePattern& pattern) const {
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      if (is_user_range(source_, row) && (!is_step_name(name_of(row)) || pattern.matches(name_of(row)))) return true;
    }
    return false;
  }

  Status take_delay(const analyze::DelayEvent& delay) {
    const Result<bool> here = concerns(delay.scope, true);
    if (!here) return here.error();
    for (std::uint32_t row = 0; row < host_.size() && *here; ++row) {
      if (!is_user_range(source_, row) || !is_step_name(name_of(row))) continue;
      const auto number = analyze::number_of_step(name_of(row));
      if (delay.scope.steps && !(number && delay.scope.steps->contains(*number))) continue;
      result_.pauses[row] += delay.amount;
      ++count().pauses;
    }
    return {};
  }

  Status take_rule(const EditRule& rule) {
    const Result<bool> here = concerns(rule.scope, false);
    if (!here) return here.error();
    if (!*here) return {};
    if (rule.inside && !has_ranges(*rule.inside)) return refuse("the recording has no annotations");
    const RowScope scope(source_, steps_, rule.scope, rule.inside);
    if (rule.kinds == analyze::bit_of(EdgeKind::cpu_operator)) return take_operators(rule, scope);
    if ((rule.kinds & analyze::edit_kinds::kHost) != 0) {
      result_.pace_factor *= leaves_nothing(rule) ? 0 : rule.factor;
      count().is_pace = true;
      return {};
    }
    if (const Status taken = take_works(rule, scope); !taken) return taken;
    return rule.selects(EdgeKind::communication) ? take_transfers(rule, scope) : Status();
  }

  // --- operators by name ---

  // Whether a row from `row` on up to below `end` is an operator that matches.
  [[nodiscard]] bool any_matches(const Column<std::uint8_t>& matches, std::uint32_t row, std::uint32_t end) const {
    for (; row != end && row != kNoRow; row = source_.order.parent[row]) {
      if (matches[host_.name[row]] != 0 && !is_user_range(source_, row) && causal::is_operator_row(name_of(row)))
        return true;
    }
    return false;
  }

  Status take_operators(const EditRule& rule, const RowScope& scope) {
    // The host has no streams, and is in no group.
    if (rule.stream || rule.scope.group) return {};
    const Column<std::uint8_t> matches = analyze::matching(*source_.strings, rule.name);
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      const bool is_call = chosen_.number[row] != kNoNumber32, is_transfer = chosen_.collective[row] != kNoNumber32;
      if ((!is_call && !is_transfer) || !scope.contains_row(row) || !any_matches(matches, row, kNoRow)) continue;
      if (is_transfer) edit_transfer(chosen_.collective[row], 0);
      else remove_call(row);
    }
    for (std::size_t w = 0; w < source_.works.size(); ++w) {
      const LaunchedWork& work = source_.works[w];
      if (work.launch.row == kNoRow || !scope.contains(work.launch)) continue;
      const std::uint32_t call = chosen_.call_of[work.launch.row];
      if (call == kNoRow && any_matches(matches, work.launch.row, kNoRow)) remove_work(w);
      if (call == kNoRow || chosen_.number[call] == kNoNumber32 || result_.removes(call)) continue;
      if (any_matches(matches, work.launch.row, call))
        return refuse(describe(work.launch.row) + " is part of " + describe(call) + ", which is called whole");
    }
    return {};
  }

  void remove_call(std::uint32_t row) {
    ++count().operations;
    result_.is_removed[row] = 1;
  }

  void remove_work(std::size_t w) {
    ++count().works;
    result_.durations[w] = RankEdits::kRemoved;
  }

  // --- device work ---

  // Communication that no call of the host trace asks for: a kernel of a library, which is work like any other here.
  [[nodiscard]] bool communicates(const LaunchedWork& work) const {
    if (work.kind != EdgeKind::kernel) return false;
    const std::uint32_t row = work.launch.row;
    if (row != kNoRow && causal::asks_for_communication(name_of(row))) return true;
    const match::LibraryKernel library = match::library_kernel(source_.strings->text(work.name));
    return library == match::LibraryKernel::entry || (library == match::LibraryKernel::mentioned && row == kNoRow);
  }

  [[nodiscard]] bool selects(const EditRule& rule, const LaunchedWork& work) const {
    const bool is_transfer = communicates(work);
    if (!rule.selects(is_transfer ? EdgeKind::communication : work.kind) || rule.scope.group) return false;
    if (is_transfer && !selects_kind(rule, match::communication_kind(source_.strings->text(work.name)))) return false;
    return !rule.stream || source_.streams[work.stream] == *rule.stream;
  }

  Status take_works(const EditRule& rule, const RowScope& scope) {
    const bool has_device =
        std::any_of(lifetimes_.all.begin(), lifetimes_.all.end(), [](const Lifetime& one) { return !one.is_on_host; });
    const bool is_transfer = rule.kinds == analyze::edit_kinds::kCommunication;
    if (source_.works.empty() && has_device && !is_transfer)
      return refuse("no profiler trace says what the device did; op:PATTERN remove needs none");
    const Column<std::uint8_t> matches = analyze::matching(*source_.strings, rule.name);
    for (std::size_t w = 0; w < source_.works.size(); ++w) {
      const LaunchedWork& work = source_.works[w];
      if (matches[work.name] == 0 || !selects(rule, work) || !scope.contains(work.launch)) continue;
      const std::uint32_t call = work.launch.row == kNoRow ? kNoRow : chosen_.call_of[work.launch.row];
      // What communication launches, copies of gloo among it, is part of it.
      if (call != kNoRow && chosen_.number[call] == kNoNumber32) continue;
      if (call == kNoRow) change_work(rule, w);
      else if (const Status changed = change_called(rule, w, call); !changed) return changed;
    }
    return {};
  }

  void change_work(const EditRule& rule, std::size_t w) {
    TimePs& duration = result_.durations[w];
    ++count().works;
    if (duration != RankEdits::kRemoved) duration = rule.changed(duration, std::nullopt);
    // Work of no duration is not launched at all.
    if (duration == 0) duration = RankEdits::kRemoved;
  }

  Status change_called(const EditRule& rule, std::size_t w, std::uint32_t call) {
    if (selected_.insert(call).second) ++count().operations;
    if (!leaves_nothing(rule)) {
      if (leaves_everything(rule) || result_.removes(call)) return {};
      return refuse(describe(call) + " is called, and takes what it takes: it can only be removed");
    }
    result_.durations[w] = RankEdits::kRemoved;
    touched_.emplace(call, edit_);
    return {};
  }

  // A call goes when all that it launched does.
  Status remove_whole_calls() {
    for (std::size_t w = 0; w < source_.works.size(); ++w) {
      const std::uint32_t row = source_.works[w].launch.row;
      const auto touched = row == kNoRow ? touched_.end() : touched_.find(chosen_.call_of[row]);
      if (touched == touched_.end() || result_.durations[w] == RankEdits::kRemoved || result_.removes(touched->first))
        continue;
      return refuse(
          touched->second,
          fmt::format("{} is called whole, and also launched {}, which is not selected; op:{} remove leaves it out",
                      describe(touched->first), source_.strings->text(source_.works[w].name), name_of(touched->first)));
    }
    for (const auto& [call, edit] : touched_) result_.is_removed[call] = 1;
    return {};
  }

  // What is not called, and not communicated, does nothing on the device.
  void remove_their_works() {
    for (std::size_t w = 0; w < source_.works.size(); ++w) {
      const std::uint32_t row = source_.works[w].launch.row;
      const std::uint32_t call = row == kNoRow ? kNoRow : chosen_.call_of[row];
      if (call == kNoRow) continue;
      const std::uint32_t transfer = chosen_.collective[call];
      if (result_.removes(call) || (transfer != kNoNumber32 && result_.transfers[transfer].factor == 0))
        result_.durations[w] = RankEdits::kRemoved;
    }
  }

  // --- communication ---

  void edit_transfer(std::uint32_t collective, double factor) {
    TransferEdit& transfer = result_.transfers[collective];
    ++count().communications;
    transfer.factor *= factor;
    if (factor != 1) transfer.edit = static_cast<std::uint32_t>(edit_);
  }

  Status take_transfers(const EditRule& rule, const RowScope& scope) {
    const TransferSelector selector(source_, chosen_, rule);
    bool any_barrier = false;
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      const std::uint32_t number = chosen_.collective[row];
      if (number == kNoNumber32 || !scope.contains_row(row)) continue;
      const Result<bool> selected = selector.selects(row);
      if (!selected) return refuse(selected.error().message);
      if (!*selected) continue;
      if (rule.action != EditRule::Action::scale && !leaves_nothing(rule))
        return refuse(describe(row) + " takes what the network takes: it can carry * times as much, or be removed");
      const bool is_barrier = chosen_.collectives[number].kind == "barrier";
      any_barrier |= is_barrier;
      if (!is_barrier || leaves_nothing(rule)) edit_transfer(number, leaves_nothing(rule) ? 0 : rule.factor);
    }
    if (any_barrier && count().selects_nothing()) return refuse("a barrier carries nothing that could be more or less");
    return {};
  }

  Status scale_transfers() {
    result_.scaled.resize(chosen_.collectives.size());
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      const std::uint32_t number = chosen_.collective[row];
      if (number == kNoNumber32) continue;
      const TransferEdit& edit = result_.transfers[number];
      if (edit.factor == 0 || edit.factor == 1) continue;
      const auto members = static_cast<std::int64_t>(source_.groups[group_of_call(source_, row)].size());
      result_.scaled[number] = scale_transfer(chosen_.collectives[number], edit.factor, members);
      if (!result_.scaled[number]) return refuse(edit.edit, describe(row) + " would carry more than any memory holds");
    }
    return {};
  }

  const std::vector<analyze::ParsedEdit>& edits_;
  const RankSource& source_;
  const trace::HostTrace& host_;
  const ChosenCalls& chosen_;
  const Lifetimes& lifetimes_;
  std::vector<std::int64_t> steps_;
  std::size_t edit_ = 0;
  std::set<std::uint32_t> selected_;              // calls, by the edit that is being taken
  std::map<std::uint32_t, std::size_t> touched_;  // by call: the first edit that removes something it launched
  RankEdits result_;
};

}  // namespace

Result<RankEdits> edit_calls(const std::vector<analyze::ParsedEdit>& edits, const RankSource& source,
                             const ChosenCalls& chosen, const Lifetimes& lifetimes) {
  return CallEditing(edits, source, chosen, lifetimes).run();
}

}  // namespace orrery::replay::torch
