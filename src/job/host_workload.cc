#include "job/host_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "formats/pytorch_et/reader.h"
#include "graph/types.h"
#include "match/communication.h"
#include "workload/program_builder.h"

namespace orrery::job {
namespace {

using trace::HostCollective;
using trace::HostTrace;
using trace::MeasuredRow;
using workload::ActivityKind;
using workload::Dependency;

constexpr DiagnosticKind kNoTimes{"C308", Severity::note, "host trace without times",
                                  "operators have an order but take no time; link it with the profiler trace of the same run"};
constexpr DiagnosticKind kLeadsBack{"C309", Severity::warning, "dependency of a host trace on a later row",
                                    "it was left out; it could never be met"};

class HostProgram {
 public:
  HostProgram(const HostTrace& host, Interner& strings, std::int64_t epoch_us, Diagnostics& diagnostics)
      : host_(host), strings_(strings), epoch_us_(epoch_us), diagnostics_(diagnostics) {}

  Result<workload::Program> build();

 private:
  [[nodiscard]] const MeasuredRow* measured(std::uint32_t row) const {
    return host_.is_linked() && host_.measured[row].measured ? &host_.measured[row] : nullptr;
  }
  [[nodiscard]] bool is_device(std::uint32_t row) const { return host_.is_linked() && host_.measured[row].category != 0; }
  void number_rows();
  workload::Activity activity_of(std::uint32_t row);
  void set_times(const MeasuredRow& times, workload::Activity& out) const;
  void set_communication(std::uint32_t row, std::string_view name, workload::Activity& out) const;
  void depend_on_host_order(std::uint32_t row);
  void depend_on_launch(std::uint32_t row);
  void depend_on_links(std::uint32_t row);
  [[nodiscard]] const HostCollective* collective_of(std::uint64_t id) const;
  void count_leading_back(std::uint64_t id, std::uint64_t on) {
    diagnostics_.add(kLeadsBack, [&] { return fmt::format("{}: row {} on row {}", host_.path, id, on); });
  }

  const HostTrace& host_;
  Interner& strings_;
  std::int64_t epoch_us_;
  Diagnostics& diagnostics_;
  workload::ProgramBuilder builder_;
  std::vector<std::uint32_t> order_;                             // rows by id
  std::unordered_map<std::uint64_t, std::uint32_t> collective_;  // by id of the row that has it
  std::unordered_map<std::int64_t, std::uint64_t> last_on_thread_;
  std::unordered_map<std::int64_t, std::uint64_t> last_on_stream_;
};

void HostProgram::number_rows() {
  order_.resize(host_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return host_.id[a] < host_.id[b]; });
  for (std::uint32_t i = 0; i < host_.collectives.size(); ++i) collective_.emplace(host_.id[host_.collectives[i].row], i);
}

const HostCollective* HostProgram::collective_of(std::uint64_t id) const {
  const auto found = collective_.find(id);
  return found == collective_.end() ? nullptr : &host_.collectives[found->second];
}

void HostProgram::set_times(const MeasuredRow& times, workload::Activity& out) const {
  const auto ps = [](double us) { return static_cast<TimePs>(std::llround(us * static_cast<double>(kPsPerUs))); };
  const double most_us = to_us(graph::kMaxWeightPs);
  const double since = times.ts - static_cast<double>(epoch_us_);
  if (times.has_ts && since >= 0 && since < most_us) out.start_ps = ps(since);
  const bool on_device = times.category != 0;
  const double duration = on_device ? times.inclusive_dur : times.exclusive_dur;
  if ((on_device ? times.has_inclusive : times.has_exclusive) && duration > 0 && duration < most_us) out.duration_ps = ps(duration);
  if (on_device && times.stream >= 0 && times.stream <= std::numeric_limits<std::int32_t>::max())
    out.lane = static_cast<std::int32_t>(times.stream);
}

/// `row`: of the operator; `name`: of the kernel or, without device work, of the collective.
void HostProgram::set_communication(std::uint32_t row, std::string_view name, workload::Activity& out) const {
  const std::optional<match::CommunicationKind> kind = match::communication_kind(name);
  if (!kind) return;
  out.kind = kind->kind;
  out.collective = kind->collective;
  out.flags = 0;  // not the host's
  const HostCollective* found = collective_of(host_.id[row]);
  if (found == nullptr) found = collective_of(host_.parent[row]);
  if (found == nullptr) return;
  const std::int64_t element = match::element_bytes(strings_.text(found->dtype));
  const bool known = found->in_elements >= 0 && element > 0 && found->in_elements < std::numeric_limits<std::int64_t>::max() / element;
  if (known) out.bytes = found->in_elements * element, out.flags |= workload::activity::kHasBytes;
  out.group_name = found->group_name;
}

workload::Activity HostProgram::activity_of(std::uint32_t row) {
  workload::Activity out;
  out.id = host_.id[row];
  out.name = host_.name[row];
  out.kind = ActivityKind::compute;
  const std::string_view name = strings_.text(out.name);
  if (name.find("process_group:init") != std::string_view::npos) out.kind = ActivityKind::metadata;
  if (is_device(row)) {
    set_communication(row, name, out);
    if (host_.measured[row].group_name != 0 && out.kind != ActivityKind::compute) out.group_name = host_.measured[row].group_name;
  } else {
    out.flags = workload::activity::kOnHost;
    const HostCollective* collective = host_.is_linked() ? nullptr : collective_of(out.id);
    if (collective != nullptr) set_communication(row, strings_.text(collective->collective_name), out);
    const std::int64_t thread = host_.thread[row];
    if (thread >= 0 && thread <= std::numeric_limits<std::int32_t>::max()) out.lane = static_cast<std::int32_t>(thread);
  }
  if (const MeasuredRow* times = measured(row)) set_times(*times, out);
  return out;
}

void HostProgram::depend_on_host_order(std::uint32_t row) {
  const std::uint64_t id = host_.id[row];
  const auto [last, first] = last_on_thread_.try_emplace(host_.thread[row], id);
  if (!first) builder_.depend(std::exchange(last->second, id), Dependency::data);
  const std::uint64_t parent = host_.parent[row];
  if (parent < id) builder_.depend(parent, Dependency::control);
  else if (parent > id) count_leading_back(id, parent);
}

void HostProgram::depend_on_launch(std::uint32_t row) {
  const std::uint64_t id = host_.id[row];
  if (host_.parent[row] < id) builder_.depend(host_.parent[row], Dependency::data);
  const auto [last, first] = last_on_stream_.try_emplace(host_.measured[row].stream, id);
  if (!first) builder_.depend(std::exchange(last->second, id), Dependency::data);
}

void HostProgram::depend_on_links(std::uint32_t row) {
  const MeasuredRow* times = measured(row);
  if (times == nullptr) return;
  const auto depend = [&](std::uint64_t on) {
    if (on < host_.id[row]) builder_.depend(on, Dependency::data);
    else count_leading_back(host_.id[row], on);
  };
  if (times->inter_thread_dep > 0) depend(static_cast<std::uint64_t>(times->inter_thread_dep));
  for (std::uint32_t i = 0; i < times->syncs; ++i) depend(host_.sync_ids[times->first_sync + i]);
}

Result<workload::Program> HostProgram::build() {
  number_rows();
  for (const std::uint32_t row : order_) {
    builder_.add(activity_of(row));
    if (is_device(row)) {
      depend_on_launch(row);
    } else {
      depend_on_host_order(row);
      depend_on_links(row);
    }
  }
  workload::DanglingControl dangling;  // of rows that were left out when reading, and are counted there
  Result<workload::Program> program = std::move(builder_).build(&dangling);
  if (!program) program.error().file = host_.path;
  return program;
}

/// The microsecond in which the first of all rows starts; 0 without times.
std::int64_t earliest_us(const std::vector<HostTrace>& traces) {
  std::optional<double> earliest;
  for (const HostTrace& host : traces) {
    for (const MeasuredRow& row : host.measured) {
      if (row.measured && row.has_ts && std::isfinite(row.ts) && (!earliest || row.ts < *earliest)) earliest = row.ts;
    }
  }
  return earliest && std::fabs(*earliest) < 9e18 ? static_cast<std::int64_t>(std::floor(*earliest)) : 0;
}

/// Groups with their ranks; what is between all ranks becomes the world.
void take_groups(const HostTrace& host, workload::Workload& workload, workload::Program& program) {
  std::map<StringId, bool> is_listed;
  for (const pytorch_et::ProcessGroup& group : pytorch_et::process_groups(host, workload.strings)) {
    const StringId name = workload.strings.intern(group.name);
    is_listed[name] = !group.ranks.empty();
    if (!group.ranks.empty() && workload.find_group(name) == nullptr) workload.groups.push_back({name, group.ranks});
  }
  program.group_names.update([&](StringId name) {
    const auto found = is_listed.find(name);
    return found != is_listed.end() && !found->second ? StringId{0} : name;
  });
}

}  // namespace

Result<workload::Workload> host_workload(const std::vector<HostTrace>& traces, Interner strings, Diagnostics& diagnostics) {
  workload::Workload workload;
  workload.strings = std::move(strings);
  workload.epoch_us = earliest_us(traces);
  for (const HostTrace& host : traces) {
    if (!host.is_linked()) diagnostics.add(kNoTimes, [&] { return host.path; });
    Result<workload::Program> program = HostProgram(host, workload.strings, workload.epoch_us, diagnostics).build();
    if (!program) return program.error();
    take_groups(host, workload, *program);
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(std::move(*program));
  }
  return workload;
}

}  // namespace orrery::job
