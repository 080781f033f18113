#include "simulate/pricing/embedded_astra.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/content_hash.h"
#include "machine/astra_export.h"
#include "simulate/engine/rank_classes.h"
#include "simulate/pricing/operations_workload.h"
#include "simulate/schedule_uses.h"
#include "workload/matching.h"
#include "workload/resolve_roles.h"

// Asked for prices, it makes a small workload of the operations and simulates that, all beginning at 0. Asked to run,
// it simulates the whole workload and tells the sink afterwards, in an order that an engine could have told it in.

namespace orrery::simulate {
namespace {

astra::Backend backend_for(AstraBackend wanted, std::size_t dimensions) {
  switch (wanted) {
    case AstraBackend::unaware: return astra::Backend::unaware;
    case AstraBackend::aware: return astra::Backend::aware;
    case AstraBackend::aware_multi_dim: return astra::Backend::aware_multi_dim;
    case AstraBackend::automatic: break;
  }
  return dimensions == 1 ? astra::Backend::aware : astra::Backend::aware_multi_dim;
}

std::string_view backend_name(astra::Backend backend) {
  switch (backend) {
    case astra::Backend::unaware: return "unaware";
    case astra::Backend::aware: return "aware";
    case astra::Backend::aware_multi_dim: break;
  }
  return "aware-md";
}

}  // namespace

Result<EmbeddedAstra> EmbeddedAstra::open(const machine::Machine& machine, AstraBackend wanted) {
  Result<machine::ExportedAstraSystem> exported = machine::to_astra_system(machine);
  if (!exported) return exported.error();
  const std::size_t dimensions = exported->system.dimensions.size();
  const astra::Backend backend = backend_for(wanted, dimensions);
  if (backend == astra::Backend::aware && dimensions > 1) {
    return Error{.message = fmt::format("the backend 'aware' knows one dimension, and the machine '{}' has {}",
                                        machine.name, dimensions),
                 .hint = "astra_backend: aware-md, or leave it out"};
  }
  const Result<machine::AstraFiles> files = machine::to_astra(machine);
  if (!files) return files.error();
  // The files say all that the embedded model knows of the machine: other files, other prices.
  ContentHash system;
  system.add(files->network_yaml);
  system.add(files->system_json);
  std::string version =
      fmt::format("ASTRA-sim 518bd51 embedded, analytical {}, system {:016x}", backend_name(backend), system.xxh3());
  return EmbeddedAstra(std::move(exported->system), backend, exported->raised_endpoint_delay, std::move(version));
}

Result<std::vector<TimePs>> EmbeddedAstra::ask(std::span<const CommOp> ops) const {
  const workload::Workload workload = workload_of(ops, static_cast<std::uint32_t>(system_.npus()));
  const Result<astra::Outcome> outcome = astra::simulate(workload, system_, {.backend = backend_});
  if (!outcome) return outcome.error();
  const std::vector<std::uint64_t> first = workload.first_activities();
  std::vector<TimePs> ends(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const std::uint32_t rank : ops[i].ranks)
      ends[i] = std::max(ends[i], outcome->schedule.end_ps[first[rank] + activity_of(workload, i, rank)]);
  }
  return ends;
}

namespace {

Status check_words(const workload::Workload& workload) {
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    // Ranks that share a program share its faults.
    if (rank > 0 && workload.program_of_rank[rank] == workload.program_of_rank[rank - 1]) continue;
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      for (const graph::Slot slot : program.dependencies.incoming(i)) {
        if (static_cast<workload::Dependency>(program.dependencies.type(slot)) == workload::Dependency::start)
          return Error{.message =
                           workload.describe(rank, i) + " waits for a start only, which ASTRA-sim does not know"};
      }
    }
  }
  return {};
}

/// By communicator, with names of roles where there are roles: the files have numbers for their groups.
CollectiveUses uses_by_communicator(const workload::Matching& matching, const Schedule& schedule) {
  const workload::Membership& membership = matching.membership();
  const workload::Workload& workload = matching.workload();
  CollectiveUses uses(membership.communicators().size());
  std::size_t number = 0;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    const workload::ProgramLines& lines = matching.lines(rank);
    for (std::size_t i = 0; i < program.size(); ++i, ++number) {
      if (program.kinds[i] != workload::ActivityKind::collective) continue;
      const std::uint32_t communicator = membership.communicator_number(rank, lines.places[i].line);
      if (communicator == workload::kNoLine) continue;
      const workload::Communicator& group = membership.communicators()[communicator];
      uses.add({communicator, group.name, group.ranks.size()}, lines.places[i].place, program, i,
               schedule.start_ps[number], schedule.end_ps[number]);
    }
  }
  return uses;
}

/// Something that happened. At one moment what ends comes first; then what begins, in an order in which causes come
/// before effects on each rank, and what takes no time ends as it begins.
struct Happening {
  TimePs when;
  bool begins;
  std::uint32_t rank;
  std::uint32_t position;  ///< of a start: in the topological order of the program
  std::uint32_t activity;

  auto operator<=>(const Happening&) const = default;
};

Status tell(const workload::Matching& matching, const Schedule& schedule,
            const std::vector<std::vector<CollectiveUse>>& uses, ScheduleSink& sink) {
  const workload::Workload& workload = matching.workload();
  const RankClasses classes = each_rank_alone(workload.rank_count());
  const Bundles bundles(matching.membership(), classes);
  if (Status begun = sink.begin({matching.membership(), classes, bundles}); !begun) return begun;
  const std::vector<std::uint64_t> first = workload.first_activities();
  std::vector<Happening> happenings;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      const TimePs start = schedule.start_ps[first[rank] + i], end = schedule.end_ps[first[rank] + i];
      happenings.push_back({start, true, rank, program.dependencies.position(i), i});
      // What takes no time ends as it begins, below.
      if (end > start) happenings.push_back({end, false, rank, 0, i});
    }
  }
  std::sort(happenings.begin(), happenings.end());
  for (const Happening& what : happenings) {
    const ExecutedActivity activity{what.rank, what.activity, &workload.program(what.rank), what.activity};
    if (what.begins) sink.started(activity, what.when);
    if (!what.begins || schedule.end_ps[first[what.rank] + what.activity] == what.when) sink.ended(activity, what.when);
  }
  for (std::uint32_t communicator = 0; communicator < uses.size(); ++communicator) {
    for (std::size_t place = 0; place < uses[communicator].size(); ++place)
      sink.collective_ended(bundles.of_communicator[communicator], place, uses[communicator][place]);
  }
  return {};
}

}  // namespace

Result<AstraRun> run_astra_in_loop(workload::WorkloadSource& source, const EmbeddedAstra& model,
                                   const EngineOptions& options, ScheduleSink* sink) {
  if (options.compute_time == ComputeTime::roofline)
    return Error{
        .message = "the model astra in the loop takes compute times as they are in the programs, not from a roofline"};
  const Result<workload::Workload> whole = workload::collect(source);
  if (!whole) return whole.error();
  if (Status said = check_words(*whole); !said) return said.error();
  const Result<workload::Matching> matching = workload::Matching::of(*whole);
  if (!matching) return matching.error();
  std::optional<workload::Workload> resolved;
  if (!whole->roles.empty()) resolved = workload::resolve_roles(*whole);
  astra::Options astra_options{.backend = model.backend(), .whole_microseconds = true};
  astra_options.use_symmetry = options.use_symmetry;
  astra_options.keep_link_series = options.keep_link_series;
  astra_options.cancelled = options.cancel;
  Result<astra::Outcome> outcome = astra::simulate(resolved ? *resolved : *whole, model.system(), astra_options);
  if (!outcome) return outcome.error();
  AstraRun run{std::move(outcome->schedule), std::move(outcome->link_names)};
  const CollectiveUses uses = uses_by_communicator(*matching, run.schedule);
  run.schedule.collectives.clear();
  if (sink == nullptr) {
    run.schedule.collectives = uses.all();
    return run;
  }
  if (Status told = tell(*matching, run.schedule, uses.of_group(), *sink); !told) return told.error();
  // The sink has them.
  run.schedule.start_ps.clear();
  run.schedule.end_ps.clear();
  return run;
}

}  // namespace orrery::simulate
