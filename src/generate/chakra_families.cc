#include "generate/chakra_families.h"

#include <fmt/format.h>

#include <utility>

#include "generate/pattern_workload.h"
#include "report/counted.h"
#include "workload/program_builder.h"

namespace orrery::generate {
namespace {

using workload::Activity;
using workload::ActivityKind;
using workload::Collective;

class Families {
 public:
  explicit Families(std::uint32_t ranks) : ranks_(ranks) {}

  /// `nodes` on every rank, each after the one before it if `chained`.
  Status add(std::string name, std::string_view node_name, const std::vector<Activity>& nodes, bool chained = false) {
    NamedWorkload family{std::move(name), {}};
    workload::Workload& workload = family.workload;
    const StringId node_name_id = workload.strings.intern(node_name);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      workload::ProgramBuilder builder;
      for (Activity node : nodes) {
        // Numbers go on from rank to rank and from family to family, as the generator counts them.
        node.id = next_id_++;
        node.name = node_name_id;
        builder.add(node);
        if (chained && builder.size() > 1) builder.depend(node.id - 1, workload::Dependency::data);
      }
      Result<workload::Program> program = std::move(builder).build();
      if (!program) return program.error();
      // Every rank has a program of its own, since ids differ.
      workload.program_of_rank.push_back(rank);
      workload.programs.push_back(std::move(*program));
    }
    families.push_back(std::move(family));
    return {};
  }

  std::vector<NamedWorkload> families;

 private:
  std::uint32_t ranks_;
  std::uint64_t next_id_ = 0;
};

}  // namespace

Result<std::vector<NamedWorkload>> chakra_families(const ChakraFamilyOptions& options) {
  if (options.ranks < 1 || options.ranks > kMaxRanks)
    return Error{fmt::format("workloads of {}", report::counted(options.ranks, "rank"))};
  if (options.runtime_us < 0 || options.runtime_us > graph::kMaxWeightPs / kPsPerUs || options.tensor_bytes < 0 ||
      options.collective_bytes < 0)
    return Error{"a runtime or size that is negative or too large"};
  const auto sized = [&](ActivityKind kind) {
    return Activity{.kind = kind, .flags = workload::activity::kHasBytes, .bytes = options.tensor_bytes};
  };
  const auto collective = [&](Collective kind) {
    return Activity{.kind = ActivityKind::collective,
                    .flags = workload::activity::kHasBytes,
                    .bytes = kind == Collective::barrier ? 0 : options.collective_bytes,
                    .collective = kind};
  };
  const Activity compute = {.kind = ActivityKind::compute, .duration_ps = options.runtime_us * kPsPerUs};
  struct Family {
    const char* name;
    const char* node_name;
    std::vector<Activity> nodes;
    bool chained = false;
  };
  const Family all[] = {{"one_metadata_node_all_types", "METADATA_NODE", {{.kind = ActivityKind::metadata}}},
                        {"one_remote_mem_load_node", "MEM_LOAD_NODE", {sized(ActivityKind::memory_load)}},
                        {"one_remote_mem_store_node", "MEM_STORE_NODE", {sized(ActivityKind::memory_store)}},
                        {"one_comp_node", "COMP_NODE", {compute}},
                        {"two_comp_nodes_independent", "COMP_NODE", {compute, compute}},
                        {"two_comp_nodes_dependent", "COMP_NODE", {compute, compute}, true},
                        {"ALL_REDUCE", "ALL_REDUCE", {collective(Collective::all_reduce)}},
                        {"ALL_TO_ALL", "ALL_TO_ALL", {collective(Collective::all_to_all)}},
                        {"ALL_GATHER", "ALL_GATHER", {collective(Collective::all_gather)}},
                        {"REDUCE_SCATTER", "REDUCE_SCATTER", {collective(Collective::reduce_scatter)}},
                        {"BROADCAST", "BROADCAST", {collective(Collective::broadcast)}},
                        {"BARRIER", "BARRIER", {collective(Collective::barrier)}},
                        {"one_comm_send_node", "COMM_SEND_NODE", {sized(ActivityKind::send)}},
                        {"one_comm_recv_node", "COMM_RECV_NODE", {sized(ActivityKind::recv)}}};
  Families families(options.ranks);
  for (const Family& family : all) {
    if (const Status added = families.add(family.name, family.node_name, family.nodes, family.chained); !added)
      return added.error();
  }
  return std::move(families.families);
}

}  // namespace orrery::generate
