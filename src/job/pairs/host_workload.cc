#include "job/pairs/host_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "formats/pytorch_et/reader.h"
#include "job/pairs/unlinked.h"
#include "match/communication.h"
#include "workload/program_builder.h"

// Rows by id, which is the order in which they were begun. Each depends on the row before it on its thread and on its
// caller; rows that say what they communicate become communication with the size and group that they name. Durations
// are not known and are 0.

namespace orrery::job {
namespace {

using trace::HostCollective;
using trace::HostTrace;
using workload::ActivityKind;
using workload::Dependency;

constexpr DiagnosticKind kNoTimes{
    "C308", Severity::note, "host trace without times",
    "operators have an order but take no time; link it with the profiler trace of the same run"};
constexpr DiagnosticKind kLeadsBack{"C309", Severity::warning, "dependency of a host trace on a later row",
                                    "it was left out; it could never be met"};

class HostProgram {
 public:
  HostProgram(const HostTrace& host, const Interner& strings, Diagnostics& diagnostics)
      : host_(host), strings_(strings), diagnostics_(diagnostics) {}

  Result<workload::Program> build();

 private:
  void number_rows();
  workload::Activity activity_of(std::uint32_t row);
  void set_communication(const HostCollective& said, workload::Activity& out) const;
  void depend_on_host_order(std::uint32_t row);
  [[nodiscard]] const HostCollective* collective_of(std::uint64_t id) const;
  void count_leading_back(std::uint64_t id, std::uint64_t on) {
    diagnostics_.add(kLeadsBack, [&] { return fmt::format("{}: row {} on row {}", host_.path, id, on); });
  }

  const HostTrace& host_;
  const Interner& strings_;
  Diagnostics& diagnostics_;
  workload::ProgramBuilder builder_;
  std::vector<std::uint32_t> order_;                             // rows by id
  std::unordered_map<std::uint64_t, std::uint32_t> collective_;  // by id of the row that has it
  std::unordered_map<std::int64_t, std::uint64_t> last_on_thread_;
};

void HostProgram::number_rows() {
  order_.resize(host_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  // Stable: rows of one id, which damaged files have, stay in the order of the file.
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return host_.id[a] < host_.id[b]; });
  for (std::uint32_t i = 0; i < host_.collectives.size(); ++i)
    collective_.emplace(host_.id[host_.collectives[i].row], i);
}

const HostCollective* HostProgram::collective_of(std::uint64_t id) const {
  const auto found = collective_.find(id);
  return found == collective_.end() ? nullptr : &host_.collectives[found->second];
}

void HostProgram::set_communication(const HostCollective& said, workload::Activity& out) const {
  const std::optional<match::CommunicationKind> kind = match::communication_kind(strings_.text(said.collective_name));
  if (!kind) return;
  out.kind = kind->kind;
  out.collective = kind->collective;
  out.flags = 0;  // not the host's
  const std::int64_t element = match::element_bytes(strings_.text(said.dtype));
  const bool known =
      // A division instead of a product, which may overflow.
      said.in_elements >= 0 && element > 0 && said.in_elements < std::numeric_limits<std::int64_t>::max() / element;
  if (known) out.bytes = said.in_elements * element, out.flags |= workload::activity::kHasBytes;
  out.group_name = said.group_name;
}

workload::Activity HostProgram::activity_of(std::uint32_t row) {
  workload::Activity out;
  out.id = host_.id[row];
  out.name = host_.name[row];
  out.kind = ActivityKind::compute;
  // Setting up groups is no work of the program, but its row has to keep its place in the order.
  if (strings_.text(out.name).find("process_group:init") != std::string_view::npos) out.kind = ActivityKind::metadata;
  out.flags = workload::activity::kOnHost;
  if (const HostCollective* collective = collective_of(out.id)) set_communication(*collective, out);
  const std::int64_t thread = host_.thread[row];
  // Threads that no lane can name keep the default.
  if (thread >= 0 && thread <= std::numeric_limits<std::int32_t>::max()) out.lane = static_cast<std::int32_t>(thread);
  return out;
}

void HostProgram::depend_on_host_order(std::uint32_t row) {
  const std::uint64_t id = host_.id[row];
  const auto [last, first] = last_on_thread_.try_emplace(host_.thread[row], id);
  // On one thread everything is done in order, whoever calls whom.
  if (!first) builder_.depend(std::exchange(last->second, id), Dependency::data);
  // The row of the process is its own parent, and has no caller.
  const std::uint64_t parent = host_.parent[row];
  if (parent < id) builder_.depend(parent, Dependency::control);
  else if (parent > id) count_leading_back(id, parent);
}

Result<workload::Program> HostProgram::build() {
  number_rows();
  for (const std::uint32_t row : order_) {
    builder_.add(activity_of(row));
    depend_on_host_order(row);
  }
  workload::DanglingControl dangling;  // of rows that were left out when reading, and are counted there
  Result<workload::Program> program = std::move(builder_).build(&dangling);
  if (!program) program.error().file = host_.path;
  return program;
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

Result<workload::Workload> host_workload(const std::vector<HostTrace>& traces, Interner strings,
                                         Diagnostics& diagnostics) {
  workload::Workload workload;
  workload.strings = std::move(strings);
  for (const HostTrace& host : traces) {
    diagnostics.add(kNoTimes, [&] { return host.path; });
    Result<workload::Program> program = HostProgram(host, workload.strings, diagnostics).build();
    if (!program) return program.error();
    take_groups(host, workload, *program);
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(std::move(*program));
  }
  return workload;
}

Result<workload::Workload> workload_of_hosts(HostFiles& files, Diagnostics& diagnostics) {
  for (HostTrace& host : files.traces) {
    if (host.is_linked()) host = host_part(host);
  }
  return host_workload(files.traces, std::move(files.strings), diagnostics);
}

}  // namespace orrery::job
