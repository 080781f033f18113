#include "workload/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/counted.h"
#include "workload/program_builder.h"

namespace orrery::workload {
namespace {

constexpr std::uint64_t kMostCollected = std::uint64_t{1} << 31;  // of one program

// What is not this program's to free.
template <typename T>
std::shared_ptr<const T> borrowed(const T& value) {
  return {std::shared_ptr<const void>(), &value};
}

/// Puts the windows of one program together.
class Joiner {
 public:
  void add(const Window& window) {
    const Program& program = *window.program;
    const graph::Graph& graph = program.dependencies;
    auto carried = window.carried.begin();
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      ids_.push_back(program.ids[i]);
      builder_.add({.id = program.ids[i],
                    .name = program.names[i],
                    .kind = program.kinds[i],
                    .flags = program.flags[i],
                    .duration_ps = program.duration_ps(i),
                    .bytes = program.bytes[i],
                    .operations = program.operations[i],
                    .peer = program.peers[i],
                    .peer_role = program.peer_roles[i],
                    .tag = program.tags[i],
                    .collective = program.collectives[i],
                    .group_name = program.group_names[i],
                    .priority = program.priorities[i],
                    .excluded_dims = program.excluded_dims[i],
                    .start_ps = program.starts_ps[i],
                    .lane = program.lanes[i]});
      for (const graph::Slot slot : graph.incoming(i))
        builder_.depend(program.ids[graph.source(slot)], static_cast<Dependency>(graph.type(slot)));
      // Both are in the order of activities, so one pass over the window takes them.
      for (; carried != window.carried.end() && carried->target == i; ++carried)
        builder_.depend(ids_[carried->source], carried->type);
      cpus_.set(ids_.size() - 1, program.cpus[i]);
      nics_.set(ids_.size() - 1, program.nics[i]);
      if (program.part_lists[i] == 0) continue;
      const std::span<const std::int64_t> given = program.parts_of(i);
      parts_.emplace_back(given.begin(), given.end());
      part_lists_.set(ids_.size() - 1, static_cast<std::uint32_t>(parts_.size()));
    }
  }

  Result<Program> build() && {
    Result<Program> program = std::move(builder_).build();
    if (!program) return program;
    cpus_.complete(ids_.size());
    nics_.complete(ids_.size());
    part_lists_.complete(ids_.size());
    program->cpus = std::move(cpus_);
    program->nics = std::move(nics_);
    program->part_lists = std::move(part_lists_);
    program->parts = std::move(parts_);
    return program;
  }

 private:
  ProgramBuilder builder_;
  Column<std::uint64_t> ids_;
  OptionalColumn<std::uint8_t> cpus_, nics_;
  OptionalColumn<std::uint32_t> part_lists_;
  std::vector<std::vector<std::int64_t>> parts_;
};

Result<Program> collect_program(WorkloadSource& source, std::uint32_t program) {
  Joiner joiner;
  while (true) {
    Result<std::optional<Window>> window = source.next_window(program);
    if (!window) return window.error();
    if (!*window) return std::move(joiner).build();
    // As Joiner::add goes through them beside the activities.
    std::stable_sort((*window)->carried.begin(), (*window)->carried.end(),
                     [](const CarriedDependency& a, const CarriedDependency& b) { return a.target < b.target; });
    joiner.add(**window);
  }
}

}  // namespace

WholeWorkload::WholeWorkload(Matching matching)
    : matching_(std::move(matching)), made_(matching_.workload().programs.size()) {}

Result<WholeWorkload> WholeWorkload::of(const Workload& workload) {
  Result<Matching> matching = Matching::of(workload);
  if (!matching) return matching.error();
  return WholeWorkload(std::move(*matching));
}

Result<std::optional<Window>> WholeWorkload::next_window(std::uint32_t program) {
  if (made_[program]) return std::optional<Window>();
  made_[program] = true;
  return std::optional<Window>(
      Window{borrowed(matching_.workload().programs[program]), {}, borrowed(matching_.lines_of_program(program))});
}

Result<Workload> collect(WorkloadSource& source) {
  source.restart();
  for (std::uint32_t program = 0; program < source.program_count(); ++program) {
    const std::optional<ProgramLength>& length = source.structure(program).length;
    // Asked before anything is made, where the source knows it.
    if (length && length->activities >= kMostCollected)
      return Error{.message = fmt::format("a program of {} does not fit into memory as a whole",
                                          report::counted(length->activities, "activity", "activities"))};
  }
  Workload whole;
  for (std::uint32_t program = 0; program < source.program_count(); ++program) {
    Result<Program> joined = collect_program(source, program);
    if (!joined) return joined.error();
    whole.programs.push_back(std::move(*joined));
  }
  const Workload& job = source.job();
  // Texts are interned in the order of their ids, so that ids stay.
  for (StringId text = 0; text < job.strings.size(); ++text) whole.strings.intern(job.strings.text(text));
  whole.program_of_rank.append(std::span<const std::uint32_t>(job.program_of_rank));
  whole.groups = job.groups;
  whole.roles = job.roles;
  whole.epoch_us = job.epoch_us;
  whole.recorded_ranks = job.recorded_ranks;
  // Whoever gets the source next begins at the front.
  source.restart();
  return whole;
}

}  // namespace orrery::workload
