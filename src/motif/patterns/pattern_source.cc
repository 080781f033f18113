#include "motif/patterns/pattern_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/interrupt.h"
#include "base/units.h"
#include "workload/program_builder.h"

// A round of a rank is a script that its pattern writes; the script becomes a window. Ranks with one class share a
// program, since everything they say is relative to themselves. Rounds that are known to be alike are announced once
// and passed over, so that a million of them cost what one does.

namespace orrery::motif {
namespace {

using workload::ActivityKind;
using workload::Dependency;

/// How the ranks and groups of a pattern are called in the workload.
class Addressing {
 public:
  /// One job on all ranks: by place relative to one another, and by role.
  void use_roles(const MotifJob& job, workload::Workload& workload) {
    relative_role_ = workload.strings.intern("ranks");
    workload.roles.push_back({relative_role_, {{static_cast<std::uint32_t>(job.nodes.size()), 1}}});
    for (std::size_t number = 0; number < job.patterns.size(); ++number) {
      std::vector<StringId> names;
      for (const SubGroup& group : job.patterns[number].groups) {
        // Patterns of a job may call different groups by one name.
        names.push_back(workload.strings.intern(number == 0 ? std::string(group.name)
                                                            : fmt::format("{} {}", group.name, number + 1)));
        workload.roles.push_back({names.back(), group.axes});
      }
      group_names_.push_back(std::move(names));
    }
  }
  /// By rank, and by lists of members: a group for all of the job's ranks, and one for each row, column, ...
  void use_lists(const MotifJob& job, workload::Workload& workload) {
    nodes_ = job.nodes;
    world_ = workload.strings.intern(job.name);
    workload.groups.push_back({world_, job.nodes});
    for (std::size_t number = 0; number < job.patterns.size(); ++number) {
      for (const SubGroup& group : job.patterns[number].groups) list_groups(job, number, group, workload);
    }
  }

  void set_peer(const Pattern& pattern, std::size_t number, std::uint32_t rank, const Script::Step& step,
                workload::Activity& activity) const {
    activity.flags |= workload::activity::kHasPeer;
    // Where jobs share a machine, ranks and groups are told by number; a job that has it alone says them relative to
    // the rank, so that ranks which do the same share a program.
    const bool in_group = step.group != Script::kWorld;
    if (!nodes_.empty()) {
      const workload::Role role{0, in_group ? pattern.groups[step.group].axes : std::vector<workload::Axis>()};
      activity.peer = static_cast<std::int32_t>(
          nodes_[in_group ? role.neighbour(rank, static_cast<std::int32_t>(step.peer)) : step.peer]);
    } else if (in_group) {
      activity.peer = static_cast<std::int32_t>(step.peer);
      activity.peer_role = group_names_[number][step.group];
    } else if (pattern.relative) {
      activity.peer = static_cast<std::int32_t>(step.peer) - static_cast<std::int32_t>(rank);
      activity.peer_role = relative_role_;
    } else {
      activity.peer = static_cast<std::int32_t>(step.peer);
    }
  }
  void set_group(std::size_t number, std::uint32_t rank, const Script::Step& step, workload::Activity& activity) const {
    const bool rooted = is_rooted(step.collective);
    if (rooted) activity.flags |= workload::activity::kHasPeer;
    if (step.group == Script::kWorld) {
      activity.group_name = nodes_.empty() ? 0 : world_;
      if (rooted) activity.peer = static_cast<std::int32_t>(nodes_.empty() ? step.peer : nodes_[step.peer]);
    } else if (nodes_.empty()) {
      activity.group_name = group_names_[number][step.group];
      if (rooted) activity.peer = static_cast<std::int32_t>(step.peer);
    } else {
      const auto& [name, members] = listed_.at({number, step.group, rank});
      activity.group_name = name;
      if (rooted) activity.peer = static_cast<std::int32_t>((*members)[step.peer]);
    }
  }

 private:
  using Members = std::shared_ptr<const std::vector<std::uint32_t>>;

  void list_groups(const MotifJob& job, std::size_t number, const SubGroup& group, workload::Workload& workload) {
    const auto place = static_cast<std::uint32_t>(&group - job.patterns[number].groups.data());
    const workload::Role role{0, group.axes};
    std::uint32_t count = 0;
    for (std::uint32_t rank = 0; rank < job.nodes.size(); ++rank) {
      // Its group was listed with another of its members.
      if (listed_.contains({number, place, rank})) continue;
      std::vector<std::uint32_t> members;
      const std::vector<std::uint32_t> ranks = role.ranks_with(rank);
      members.reserve(ranks.size());
      for (const std::uint32_t member : ranks) members.push_back(job.nodes[member]);
      const StringId name =
          workload.strings.intern(fmt::format("{} {} {} {}", job.name, number + 1, group.name, count++));
      workload.groups.push_back({name, members});
      const auto shared = std::make_shared<const std::vector<std::uint32_t>>(std::move(members));
      for (const std::uint32_t member : ranks) listed_[{number, place, member}] = {name, shared};
    }
  }

  StringId relative_role_ = 0, world_ = 0;
  std::vector<std::uint32_t> nodes_;  // empty: by place and role
  std::vector<std::vector<StringId>> group_names_;
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, std::pair<StringId, Members>>
      listed_;  // by pattern, group and rank
};

class PatternSource : public workload::WorkloadSource {
 public:
  PatternSource(std::vector<MotifJob> jobs, std::uint32_t ranks) : jobs_(std::move(jobs)), addressing_(jobs_.size()) {
    // Text 0 is the empty one, as everywhere.
    job_.strings.intern("");
    job_.program_of_rank.assign(ranks, kNoProgram);
  }

  Status lay_out() {
    // Roles count places of ranks: only a job that has all of them, in order, can be told so.
    const bool all_in_order = jobs_.size() == 1 && jobs_[0].nodes.size() == job_.rank_count() &&
                              std::is_sorted(jobs_[0].nodes.begin(), jobs_[0].nodes.end());
    for (std::size_t number = 0; number < jobs_.size(); ++number) {
      for (const std::uint32_t node : jobs_[number].nodes) {
        if (node >= job_.rank_count())
          return Error{fmt::format("{} wants node {}, and there are {}", jobs_[number].name, node, job_.rank_count())};
        if (job_.program_of_rank[node] != kNoProgram)
          return Error{fmt::format("node {} is in two jobs, or twice in {}", node, jobs_[number].name)};
        job_.program_of_rank[node] = 0;  // taken
      }
      all_in_order ? addressing_[number].use_roles(jobs_[number], job_)
                   : addressing_[number].use_lists(jobs_[number], job_);
      all_in_order ? add_classes(number) : add_each(number);
    }
    for (std::uint32_t& program : job_.program_of_rank) {
      if (program != kNoProgram) continue;
      // All ranks that no job has share one program, which does nothing.
      if (!idle_) idle_ = add_program(0, 0);
      program = *idle_;
    }
    if (const Status few = check_unlike_rounds(); !few) return few;
    return announce();
  }

  [[nodiscard]] const workload::Workload& job() const override { return job_; }
  [[nodiscard]] std::uint32_t program_count() const override { return static_cast<std::uint32_t>(programs_.size()); }
  [[nodiscard]] const workload::ProgramStructure& structure(std::uint32_t program) const override {
    return structures_[program];
  }
  void restart() override {
    for (ProgramState& state : programs_) state.pattern = 0, state.round = 0, state.activities = 0, state.last.reset();
  }

  Result<std::optional<workload::Window>> next_window(std::uint32_t program) override {
    ProgramState& state = programs_[program];
    if (idle_ == program) return idle_window(state);
    const MotifJob& job = jobs_[state.job];
    if (state.pattern == job.patterns.size()) return std::optional<workload::Window>();
    const Pattern& pattern = job.patterns[state.pattern];
    if (const Status written = write_round(pattern, state); !written) return written.error();
    Result<workload::Window> window = window_of(state, pattern);
    if (!window) return std::move(window.error());
    if (const std::uint64_t content = next_content(program); content != 0)
      state.made[content] = {(*window).program->size(), script_.last()};
    next_round(state);
    return std::optional<workload::Window>(std::move(*window));
  }

  // A round is made of what its pattern appends for the rank, and the next one waits for its last step alone.
  [[nodiscard]] std::uint64_t next_content(std::uint32_t program) const override {
    const ProgramState& state = programs_[program];
    const MotifJob& job = jobs_[state.job];
    if (idle_ == program || state.pattern == job.patterns.size()) return 0;
    const Pattern& pattern = job.patterns[state.pattern];
    const std::uint64_t content = pattern.rounds_alike ? 1
                                  : pattern.content    ? pattern.content(state.rank, state.round)
                                                       : 0;
    // Contents of different patterns of a job must differ: the pattern is the lowest digit.
    return content == 0 ? 0 : content * job.patterns.size() + state.pattern;
  }
  [[nodiscard]] std::uint64_t next_alike(std::uint32_t program) const override {
    const ProgramState& state = programs_[program];
    const Pattern& pattern = jobs_[state.job].patterns[state.pattern];
    return pattern.rounds_alike ? pattern.rounds - state.round : 1;
  }
  void pass_windows(std::uint32_t program, std::uint64_t count) override {
    ProgramState& state = programs_[program];
    // What a round like this left behind when it was made.
    const Made& made = state.made.at(next_content(program));
    // Where the last of these rounds would have left off.
    state.last = state.activities + (count - 1) * made.activities + made.last;
    state.activities += count * made.activities;
    next_round(state, count);
  }

 private:
  static constexpr std::uint32_t kNoProgram = ~std::uint32_t{0};

  /// A round, once it was made.
  struct Made {
    std::uint64_t activities = 0;
    Script::StepId last = 0;  ///< what the next window waits for
  };
  struct ProgramState {
    std::size_t job = 0;
    std::uint32_t rank = 0;                        ///< of the patterns: the one whose script this is
    std::unordered_map<std::uint64_t, Made> made;  ///< by content
    // So far.
    std::size_t pattern = 0;
    std::uint64_t round = 0, activities = 0;
    std::optional<std::uint64_t> last;  ///< what the next window waits for
  };

  Status write_round(const Pattern& pattern, const ProgramState& state) {
    script_.clear();
    script_.phase("");
    try {
      pattern.append(script_, state.rank, state.round);
      script_.close();
    } catch (const RoundTooLong&) {
      return Error{
          .message = fmt::format("rank {} has more than {} steps in one round", state.rank, format_count(kMostSteps)),
          .hint = "smaller parameters, or more iterations of less"};
    }
    return {};
  }

  void next_round(ProgramState& state, std::uint64_t count = 1) const {
    state.round += count;
    // The next pattern begins with its first round.
    if (state.round == jobs_[state.job].patterns[state.pattern].rounds) ++state.pattern, state.round = 0;
  }

  std::uint32_t add_program(std::size_t job, std::uint32_t rank) {
    ProgramState state;
    state.job = job;
    state.rank = rank;
    programs_.push_back(std::move(state));
    return static_cast<std::uint32_t>(programs_.size() - 1);
  }

  void add_classes(std::size_t number) {
    const MotifJob& job = jobs_[number];
    std::map<std::vector<std::uint64_t>, std::uint32_t> known;
    std::vector<std::uint64_t> key(job.patterns.size());
    // Ranks with equal classes in all patterns run one program, the first of them stands for it.
    for (std::uint32_t rank = 0; rank < job.nodes.size(); ++rank) {
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = job.patterns[i].class_of(rank);
      const auto found = known.find(key);
      if (found != known.end()) job_.program_of_rank[rank] = found->second;
      else job_.program_of_rank[rank] = known.emplace(key, add_program(number, rank)).first->second;
    }
  }
  void add_each(std::size_t number) {
    for (std::uint32_t rank = 0; rank < jobs_[number].nodes.size(); ++rank)
      job_.program_of_rank[jobs_[number].nodes[rank]] = add_program(number, rank);
  }

  Result<workload::Window> window_of(ProgramState& state, const Pattern& pattern) {
    workload::ProgramBuilder builder;
    std::vector<workload::CarriedDependency> carried;
    const std::uint64_t first = state.activities;
    std::vector<StringId> phases;
    for (const std::string_view phase : script_.phases()) phases.push_back(job_.strings.intern(phase));
    for (const Script::Step& step : script_.steps()) {
      const auto number = static_cast<std::uint32_t>(builder.size());
      workload::Activity activity{.id = first + number,
                                  .name = phases[step.phase],
                                  .kind = step.kind,
                                  .duration_ps = step.duration_ps,
                                  .bytes = step.bytes,
                                  .tag = step.tag,
                                  .collective = step.collective};
      if (step.kind == ActivityKind::send || step.kind == ActivityKind::recv) {
        activity.flags = workload::activity::kHasBytes | workload::activity::kHasTag;
        addressing_[state.job].set_peer(pattern, state.pattern, state.rank, step, activity);
      } else if (step.kind == ActivityKind::collective) {
        activity.flags = workload::activity::kHasBytes;
        addressing_[state.job].set_group(state.pattern, state.rank, step, activity);
      }
      builder.add(activity);
      for (const Script::StepId on : script_.after(step)) builder.depend(first + on, Dependency::data);
      // What waits for nothing within its round waits for the end of the round before.
      if (step.after_count == 0 && state.last) carried.push_back({*state.last, number, Dependency::data});
    }
    state.last = first + script_.last();
    state.activities += script_.steps().size();
    Result<workload::Program> program = std::move(builder).build();
    if (!program) return std::move(program.error());
    set_parts(*program);
    return workload::Window{std::make_shared<workload::Program>(std::move(*program)), std::move(carried)};
  }

  void set_parts(workload::Program& program) const {
    if (script_.parts().empty()) return;
    program.parts = script_.parts();
    for (std::size_t i = 0; i < script_.steps().size(); ++i)
      if (script_.steps()[i].parts != 0) program.part_lists.set(i, script_.steps()[i].parts);
    program.part_lists.complete(program.size());
  }

  /// A rank in no job still has a program.
  Result<std::optional<workload::Window>> idle_window(ProgramState& state) {
    if (state.activities > 0) return std::optional<workload::Window>();
    workload::ProgramBuilder builder;
    builder.add({.kind = ActivityKind::none});
    state.activities = 1;
    Result<workload::Program> program = std::move(builder).build();
    if (!program) return std::move(program.error());
    return std::optional<workload::Window>(
        workload::Window{std::make_shared<workload::Program>(std::move(*program)), {}});
  }

  Status check_unlike_rounds() const {
    std::uint64_t unlike = 0;
    for (std::uint32_t program = 0; program < programs_.size(); ++program) {
      if (idle_ == program) continue;
      for (const Pattern& pattern : jobs_[programs_[program].job].patterns)
        // Capped, because sums of what a file says could overflow.
        if (!pattern.rounds_alike) unlike += std::min(pattern.rounds, kMostRounds);
      if (unlike > kMostUnlikeRounds)
        return Error{.message = fmt::format("more than {} rounds of the ranks that are not all alike",
                                            format_count(kMostUnlikeRounds)),
                     .hint = "fewer iterations or ranks"};
    }
    return {};
  }

  /// Whom programs speak to, and how much they do: windows are made once and forgotten, of rounds that are alike one.
  Status announce() {
    for (std::uint32_t program = 0; program < programs_.size(); ++program) {
      Result<workload::ProgramStructure> all = announce(program);
      if (!all) return all.error();
      structures_.push_back(std::move(*all));
    }
    restart();
    return {};
  }

  Result<workload::ProgramStructure> announce(std::uint32_t program) {
    workload::ProgramStructure all;
    all.length.emplace();
    std::set<workload::ChannelKey> channels;
    std::map<StringId, std::uint64_t> collectives;
    std::unordered_map<std::uint64_t, workload::ProgramStructure> known;  // by content
    ProgramState& state = programs_[program];
    const auto add = [&](const workload::ProgramStructure& one, std::uint64_t times) {
      for (std::size_t i = 0; i < one.group_names.size(); ++i)
        collectives[one.group_names[i]] += one.length->collectives[i] * times;
      all.length->activities += one.length->activities * times;
      all.length->sends += one.length->sends * times;
    };
    while (true) {
      stop_if_requested();
      const std::size_t pattern = state.pattern;
      const std::uint64_t content = next_content(program);
      // A round like one that was seen is counted, and not made again.
      if (const auto found = known.find(content); found != known.end()) {
        add(found->second, 1);
        pass_windows(program, 1);
        continue;
      }
      auto window = next_window(program);
      if (!window) return window.error();
      if (!*window) break;
      std::uint64_t times = 1;
      // One window stands for all of them.
      if (idle_ != program && jobs_[state.job].patterns[pattern].rounds_alike) {
        times = jobs_[state.job].patterns[pattern].rounds;
        state.pattern = pattern + 1, state.round = 0;
      }
      workload::ProgramStructure one = structure_of(lines_of(job_, *(*window)->program));
      channels.insert(one.channels.begin(), one.channels.end());
      add(one, times);
      if (content != 0) known.emplace(content, std::move(one));
    }
    all.channels.assign(channels.begin(), channels.end());
    for (const auto& [name, count] : collectives)
      all.group_names.push_back(name), all.length->collectives.push_back(count);
    return all;
  }

  std::vector<MotifJob> jobs_;
  workload::Workload job_;
  std::vector<Addressing> addressing_;  // by job
  std::vector<ProgramState> programs_;
  std::optional<std::uint32_t> idle_;
  std::vector<workload::ProgramStructure> structures_;
  Script script_;  // of the window at hand
};

}  // namespace

Result<std::unique_ptr<workload::WorkloadSource>> pattern_source(std::vector<MotifJob> jobs, std::uint32_t ranks) {
  auto source = std::make_unique<PatternSource>(std::move(jobs), ranks);
  if (const Status laid_out = source->lay_out(); !laid_out) return laid_out.error();
  return std::unique_ptr<workload::WorkloadSource>(std::move(source));
}

Result<std::unique_ptr<workload::WorkloadSource>> pattern_source(Pattern pattern) {
  const std::uint32_t ranks = pattern.ranks;
  MotifJob job;
  job.nodes.resize(ranks);
  std::iota(job.nodes.begin(), job.nodes.end(), 0u);
  job.patterns.push_back(std::move(pattern));
  std::vector<MotifJob> jobs;
  jobs.push_back(std::move(job));
  return pattern_source(std::move(jobs), ranks);
}

}  // namespace orrery::motif
