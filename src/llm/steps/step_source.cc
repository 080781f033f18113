#include "llm/steps/step_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "llm/steps/paired_passes.h"
#include "workload/chain_builder.h"
#include "workload/program_lines.h"

// A stage's program is a chain of passes: receive, the layers' items, send; then all that ran beside it, and the end of
// the step. Schedules of passes are made once per kind (pass, part, first or last) and repeated by copying columns,
// since a step has thousands of passes and a handful of kinds. The program comes in windows of some 16,000 activities.

namespace orrery::llm {
namespace {

using workload::ActivityKind;

constexpr std::size_t kWindowActivities = 1 << 14;

/// An item of a schedule as it goes into programs.
struct ReadyItem {
  workload::Activity activity;
  bool joins = true;
  WaitedFor waits_for = kNobody;
  std::int32_t needs_layer = -1;
  std::int32_t layer = -1;  ///< that its name speaks of
};
using ReadySchedule = std::vector<ReadyItem>;

/// What all stages and windows share.
class StepJob {
 public:
  StepJob(const StepPlan& plan, const StepTimes& times, std::vector<std::vector<PassItem>> orders)
      : plan_(plan),
        times_(times),
        schedules_(plan_, times_),
        orders_(std::move(orders)),
        message_bytes_(schedules_.message_bytes()) {
    role_names_ = lay_out(plan_, job_);
    for (const char* name : {"recv activations", "recv gradients", "send activations", "send gradients"})
      message_names_.push_back(job_.strings.intern(name));
    note_ends();
  }

  [[nodiscard]] const StepPlan& plan() const { return plan_; }
  [[nodiscard]] const workload::Workload& job() const { return job_; }
  [[nodiscard]] workload::Workload take_job() && { return std::move(job_); }
  [[nodiscard]] const std::vector<PassItem>& order(std::uint32_t stage) const { return orders_[stage]; }
  [[nodiscard]] std::uint32_t part_of(std::uint32_t stage, std::uint32_t chunk) const {
    return chunk * plan_.stages() + stage;
  }

  const ReadySchedule& schedule(std::uint32_t stage, const PassItem& item) {
    const PartPass place = place_of(stage, item);
    const Key key = key_of(place);
    const auto found = ready_.find(key);
    if (found != ready_.end()) return found->second;
    return ready_.emplace(key, prepare(schedules_.make(place))).first->second;
  }
  /// Of two passes that run as one.
  const ReadySchedule& paired_schedule(std::uint32_t stage, const PassItem& forward, const PassItem& backward) {
    const PartPass first = place_of(stage, forward), second = place_of(stage, backward);
    const std::pair<Key, Key> key{key_of(first), key_of(second)};
    const auto found = paired_.find(key);
    if (found != paired_.end()) return found->second;
    return paired_.emplace(key, prepare(pair_passes(schedules_.make(first), schedules_.make(second)))).first->second;
  }
  [[nodiscard]] ReadySchedule begin_of_step(std::uint32_t stage) { return prepare(schedules_.begin_of_step(stage)); }
  [[nodiscard]] ReadySchedule end_of_step(std::uint32_t stage) { return prepare(schedules_.end_of_step(stage)); }

  [[nodiscard]] workload::Activity message(ActivityKind kind, bool gradients, std::uint32_t receiver_part) const {
    // Activations go to the next stage, gradients back; round about, since the first stage's second chunk follows the
    // last stage's first.
    const bool forward_peer = (kind == ActivityKind::send) != gradients;
    workload::Activity activity{
        .kind = kind,
        .flags = workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag,
        .bytes = message_bytes_,
        .peer = forward_peer ? 1 : -1,
        .peer_role = role_names_[static_cast<std::size_t>(ParallelAxis::pipeline)],
        // Tags are the part that receives, and the direction: messages of two chunks between the same stages differ.
        .tag = 2 * std::int64_t{receiver_part} + (gradients ? 1 : 0),
        .lane = lane_of(ParallelAxis::pipeline)};
    activity.name = message_names_[(kind == ActivityKind::send ? 2 : 0) + (gradients ? 1 : 0)];
    return activity;
  }
  /// Tied weights are at both ends of the pipeline: each sends its gradients to the other.
  [[nodiscard]] workload::Activity tied(ActivityKind kind, bool is_first_stage) {
    workload::Activity activity = message(kind, (kind == ActivityKind::send) == is_first_stage, 0);
    activity.name = job_.strings.intern("tied embeddings");
    // A tag of its own, behind those of all parts.
    activity.tag = 2 * std::int64_t{plan_.parts()} + ((kind == ActivityKind::send) == is_first_stage ? 1 : 0);
    activity.bytes = std::max<std::int64_t>(1, static_cast<std::int64_t>(plan_.gradient_bytes * plan_.model.vocabulary *
                                                                         plan_.model.hidden / plan_.job.tensor));
    return activity;
  }

 private:
  using Key = std::tuple<Pass, std::uint32_t, bool, bool>;

  [[nodiscard]] PartPass place_of(std::uint32_t stage, const PassItem& item) const {
    const std::uint32_t part = part_of(stage, item.chunk);
    // Where weight gradients are passes of their own, they are what completes the gradients.
    const Pass last_kind = plan_.order == PipelineOrder::zero_bubble ? Pass::weight_gradient : Pass::backward;
    return {.pass = item.pass,
            .part = part,
            .is_first = item.pass == Pass::forward && item.micro_batch == first_forward_[part],
            .is_last = item.pass == last_kind && item.micro_batch == last_gradient_[part]};
  }
  static Key key_of(const PartPass& place) { return {place.pass, place.part, place.is_first, place.is_last}; }

  /// Which micro-batch of each part comes first, and which adds the last to its gradients.
  void note_ends() {
    first_forward_.assign(plan_.parts(), 0);
    last_gradient_.assign(plan_.parts(), 0);
    for (std::uint32_t stage = 0; stage < plan_.stages(); ++stage) {
      std::vector<bool> seen(plan_.chunks(), false);
      for (const PassItem& item : orders_[stage]) {
        const std::uint32_t part = part_of(stage, item.chunk);
        if (item.pass != Pass::forward) last_gradient_[part] = item.micro_batch;
        else if (!seen[item.chunk]) first_forward_[part] = item.micro_batch, seen[item.chunk] = true;
      }
    }
  }

  ReadySchedule prepare(const LayerSchedule& schedule) {
    ReadySchedule ready;
    for (const LayerItem& item : schedule)
      ready.push_back({activity_of(item, role_names_, job_.strings), item.joins, item.waits_for, item.needs_layer,
                       item.name.layer});
    return ready;
  }

  const StepPlan plan_;
  const StepTimes times_;
  const LayerSchedules schedules_;
  const std::vector<std::vector<PassItem>> orders_;
  const std::int64_t message_bytes_;
  workload::Workload job_;
  RoleNames role_names_{};
  std::vector<StringId> message_names_;
  std::vector<std::uint32_t> first_forward_, last_gradient_;
  std::map<Key, ReadySchedule> ready_;
  std::map<std::pair<Key, Key>, ReadySchedule> paired_;
};

/// How far the program of a stage was made.
struct StageProgress {
  std::size_t items = 0;
  bool ended = false;
  std::uint64_t activities = 0;
  std::optional<std::uint64_t> chain;        ///< its end
  std::optional<std::uint64_t> before_item;  ///< its end before the item made last
  std::vector<std::uint64_t> beside;         ///< what runs beside it: the end of the step waits for all
  std::vector<std::uint64_t> pass_ends;
  std::multimap<std::int32_t, std::uint64_t> gathered;  ///< by layer: what brings its parameters together
};

class StageWriter {
 public:
  /// A window has about `most` activities: passes are not cut.
  StageWriter(StepJob& job, std::uint32_t stage, StageProgress& progress, std::size_t most = kWindowActivities)
      : job_(job), stage_(stage), progress_(progress), most_(most), chain_(progress.activities, progress.chain) {}

  Result<workload::Window> window() {
    write();
    return std::move(chain_).window();
  }
  /// What comes next, as a program of its own.
  Result<workload::Program> program() {
    write();
    return std::move(chain_).program();
  }

 private:
  void write() {
    const std::vector<PassItem>& order = job_.order(stage_);
    if (progress_.activities == 0) begin_step();
    while (progress_.items < order.size() && chain_.size() < most_) {
      const std::size_t i = progress_.items;
      const std::size_t count = order[i].is_paired ? 2 : 1;
      progress_.items += count;
      run({order.data() + i, count});
    }
    if (progress_.items == order.size() && chain_.size() < most_) end_step();
    progress_.activities = chain_.next_id();
    progress_.chain = chain_.chain();
  }

  void begin_step() {
    for (const ReadyItem& item : job_.begin_of_step(stage_))
      progress_.gathered.emplace(item.layer, chain_.add(item.activity));
  }

  /// Passes come again and again: all but the first of a kind repeat what that added.
  void emit_pass(const ReadySchedule& schedule) {
    // What depends on more than the chain, or on earlier windows, is written out.
    if (!chain_.chain() || *chain_.chain() < chain_.first_id() || !progress_.gathered.empty()) return emit(schedule);
    const std::uint64_t before = *chain_.chain(), begin = chain_.next_id();
    const auto [found, fresh] = written_.try_emplace(&schedule, WrittenPass{chain_.size(), before});
    if (fresh) return emit(schedule);
    chain_.repeat(found->second.first, schedule.size(), found->second.chain_before, before);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      if (schedule[i].joins) chain_.set_chain(begin + i);
      else progress_.beside.push_back(begin + i);
    }
  }

  void emit(const ReadySchedule& schedule) {
    const std::uint64_t begin = chain_.next_id();
    for (const ReadyItem& item : schedule) {
      const std::optional<std::uint64_t> before = chain_.chain();
      const std::uint64_t id = chain_.append(item.activity, item.joins);
      for (const std::int32_t place : item.waits_for) {
        if (place >= 0 && begin + static_cast<std::uint64_t>(place) != before)
          chain_.depend(begin + static_cast<std::uint64_t>(place));
      }
      const auto [first, last] = progress_.gathered.equal_range(item.needs_layer);
      for (auto one = first; one != last; ++one) chain_.depend(one->second);
      if (!item.joins) progress_.beside.push_back(id);
    }
  }

  void receive(bool gradients, std::uint32_t part, std::optional<std::uint64_t> before) {
    const std::uint64_t id = chain_.add(job_.message(ActivityKind::recv, gradients, part));
    // Posted ahead, it waits only for what the stage had done one pass ago; what follows waits for it and for the
    // chain.
    const std::optional<std::uint64_t> after = job_.plan().overlap.messages ? before : chain_.chain();
    if (after) chain_.depend(*after);
    if (!job_.plan().overlap.messages || !chain_.chain()) return chain_.set_chain(id);
    received_.push_back(id);
  }
  void send(bool gradients, std::uint32_t receiver_part) {
    chain_.append(job_.message(ActivityKind::send, gradients, receiver_part), false);
  }

  /// One pass, or two that run as one.
  void run(std::span<const PassItem> items) {
    const std::uint32_t parts = job_.plan().parts();
    const std::optional<std::uint64_t> before = chain_.chain();
    for (const PassItem& item : items) {
      const std::uint32_t part = job_.part_of(stage_, item.chunk);
      if (item.pass == Pass::forward && part > 0) receive(false, part, progress_.before_item);
      if (item.pass == Pass::backward && part + 1 < parts) receive(true, part, progress_.before_item);
    }
    progress_.before_item = before;
    if (!received_.empty()) {
      // Both the chain and the messages: what comes next waits for a point in time that has neither duration nor place.
      chain_.append({.kind = ActivityKind::none});
      for (const std::uint64_t one : received_) chain_.depend(one);
      received_.clear();
    }
    emit_pass(items.size() == 1 ? job_.schedule(stage_, items[0]) : job_.paired_schedule(stage_, items[0], items[1]));
    for (const PassItem& item : items) {
      const std::uint32_t part = job_.part_of(stage_, item.chunk);
      if (item.pass == Pass::forward && part + 1 < parts) send(false, part + 1);
      if (item.pass == Pass::backward && part > 0) send(true, part - 1);
      progress_.pass_ends.push_back(chain_.next_id());
    }
  }

  void end_step() {
    const StepPlan& plan = job_.plan();
    if (plan.tied_embeddings && plan.stages() > 1 && (stage_ == 0 || stage_ + 1 == plan.stages())) {
      chain_.append(job_.tied(ActivityKind::send, stage_ == 0), false);
      progress_.beside.push_back(chain_.append(job_.tied(ActivityKind::recv, stage_ == 0), false));
    }
    // The optimizer needs all that ran beside the passes.
    chain_.append({.kind = ActivityKind::none});
    for (const std::uint64_t one : progress_.beside) chain_.depend(one);
    progress_.beside.clear();
    emit(job_.end_of_step(stage_));
    progress_.ended = true;
  }

  StepJob& job_;
  const std::uint32_t stage_;
  StageProgress& progress_;
  const std::size_t most_;
  workload::ChainBuilder chain_;
  std::vector<std::uint64_t> received_;

  struct WrittenPass {
    std::size_t first = 0;           ///< of its activities, in the builder
    std::uint64_t chain_before = 0;  ///< what it was put behind
  };
  std::unordered_map<const ReadySchedule*, WrittenPass> written_;  ///< StepJob keeps schedules where they are
};

class PlannedStep final : public StepSource {
 public:
  PlannedStep(const StepPlan& plan, const StepTimes& times, std::vector<std::vector<PassItem>> orders)
      : job_(plan, times, std::move(orders)), stages_(plan.stages()) {}

  /// What each program speaks to and how long it is: known once it was made. What fits into one window is kept, the
  /// rest is made again when it is needed.
  Status announce() {
    whole_.resize(stages_.size());
    for (std::uint32_t stage = 0; stage < stages_.size(); ++stage) {
      workload::ProgramStructure all;
      std::map<StringId, std::uint64_t> collectives;
      all.length.emplace();
      std::vector<workload::Window> windows;
      while (true) {
        Result<std::optional<workload::Window>> window = next_window(stage);
        if (!window) return std::move(window.error());
        if (!*window) break;
        auto lines = std::make_shared<workload::ProgramLines>(lines_of(job_.job(), *(*window)->program));
        for (const workload::Stream& stream : lines->streams)
          collectives[stream.group_name] += stream.activities.size();
        for (const workload::Channel& channel : lines->channels) all.channels.push_back(channel.key);
        all.length->activities += (*window)->program->size();
        all.length->sends += lines->sends.size();
        windows.resize(std::min<std::size_t>(windows.size(), 1));
        windows.push_back(std::move(**window));
        windows.back().lines = std::move(lines);
      }
      if (windows.size() == 1) whole_[stage] = std::move(windows[0]);
      pass_ends_.push_back(std::move(stages_[stage].pass_ends));
      std::sort(all.channels.begin(), all.channels.end());
      all.channels.erase(std::unique(all.channels.begin(), all.channels.end()), all.channels.end());
      for (const auto& [name, count] : collectives) {
        all.group_names.push_back(name);
        all.length->collectives.push_back(count);
      }
      structures_.push_back(std::move(all));
    }
    restart();
    return {};
  }

  [[nodiscard]] const workload::Workload& job() const override { return job_.job(); }
  [[nodiscard]] std::uint32_t program_count() const override { return static_cast<std::uint32_t>(stages_.size()); }
  [[nodiscard]] const workload::ProgramStructure& structure(std::uint32_t program) const override {
    return structures_[program];
  }
  [[nodiscard]] const std::vector<std::uint64_t>& pass_ends(std::uint32_t stage) const override {
    return pass_ends_[stage];
  }
  void restart() override { stages_.assign(stages_.size(), StageProgress()); }
  Result<std::optional<workload::Window>> next_window(std::uint32_t program) override {
    if (stages_[program].ended) return std::optional<workload::Window>();
    if (program < structures_.size() && whole_[program]) {
      stages_[program].ended = true;
      return whole_[program];
    }
    Result<workload::Window> window = StageWriter(job_, program, stages_[program]).window();
    if (!window) return std::move(window.error());
    return std::optional<workload::Window>(std::move(*window));
  }

 private:
  StepJob job_;
  std::vector<StageProgress> stages_;
  std::vector<workload::ProgramStructure> structures_;
  std::vector<std::vector<std::uint64_t>> pass_ends_;
  std::vector<std::optional<workload::Window>> whole_;  // by stage, where it is one window
};

}  // namespace

Result<std::unique_ptr<StepSource>> step_source(const StepPlan& plan, const StepTimes& times,
                                                std::vector<std::vector<PassItem>> orders) {
  auto source = std::make_unique<PlannedStep>(plan, times, std::move(orders));
  if (const Status announced = source->announce(); !announced) return announced.error();
  return std::unique_ptr<StepSource>(std::move(source));
}

Result<StepWorkload> step_workload(const StepPlan& plan, const StepTimes& times,
                                   std::vector<std::vector<PassItem>> orders) {
  StepJob job(plan, times, std::move(orders));
  StepWorkload step;
  std::vector<workload::Program> programs;
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    StageProgress progress;
    Result<workload::Program> program =
        StageWriter(job, stage, progress, std::numeric_limits<std::size_t>::max()).program();
    if (!program) return std::move(program.error());
    programs.push_back(std::move(*program));
    step.pass_ends.push_back(std::move(progress.pass_ends));
  }
  step.workload = std::move(job).take_job();
  step.workload.programs = std::move(programs);
  return step;
}

std::vector<PassDurations> compute_durations(const StepPlan& plan, const StepTimes& times) {
  const LayerSchedules schedules(plan, times);
  std::vector<PassDurations> all(plan.stages());
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    const auto sum = [&](Pass pass) {
      TimePs total = 0;
      for (std::uint32_t chunk = 0; chunk < plan.chunks(); ++chunk) {
        for (const LayerItem& item : schedules.make({.pass = pass, .part = chunk * plan.stages() + stage}))
          total += item.on_host ? 0 : item.duration_ps;
      }
      return total / plan.chunks();
    };
    all[stage] = {.forward_ps = sum(Pass::forward),
                  .backward_ps = sum(Pass::backward),
                  .weight_gradient_ps = sum(Pass::weight_gradient)};
  }
  return all;
}

}  // namespace orrery::llm
