#include "match/mpi/mpi_function.h"

#include <algorithm>
#include <array>
#include <vector>

// Every function has one role, and a table of names per role; the tables are joined, sorted by name once, and searched
// by halving. Non-blocking collectives stand beside the blocking ones that they start.

namespace orrery::match {
namespace {

using workload::Collective;

// No Collective where no such pattern is modelled: then only the kind tells what it is.
struct NamedCollective {
  std::string_view blocking, non_blocking;
  std::optional<Collective> collective;
  std::string_view kind;
};

// MPI_Scan has a kind of its own: rank i waits for those before it only, which no Collective says.
constexpr NamedCollective kMpiCollectives[] = {
    {"MPI_Allreduce", "MPI_Iallreduce", Collective::all_reduce, "all_reduce"},
    {"MPI_Reduce", "MPI_Ireduce", Collective::reduce, "reduce"},
    {"MPI_Bcast", "MPI_Ibcast", Collective::broadcast, "broadcast"},
    {"MPI_Barrier", "MPI_Ibarrier", Collective::barrier, "barrier"},
    {"MPI_Allgather", "MPI_Iallgather", Collective::all_gather, "all_gather"},
    {"MPI_Allgatherv", "MPI_Iallgatherv", Collective::all_gather, "all_gather"},
    {"MPI_Gather", "MPI_Igather", Collective::gather, "gather"},
    {"MPI_Gatherv", "MPI_Igatherv", Collective::gather, "gather"},
    {"MPI_Scatter", "MPI_Iscatter", Collective::scatter, "scatter"},
    {"MPI_Scatterv", "MPI_Iscatterv", Collective::scatter, "scatter"},
    {"MPI_Alltoall", "MPI_Ialltoall", Collective::all_to_all, "all_to_all"},
    {"MPI_Alltoallv", "MPI_Ialltoallv", Collective::all_to_all, "all_to_all"},
    {"MPI_Alltoallw", "MPI_Ialltoallw", Collective::all_to_all, "all_to_all"},
    {"MPI_Reduce_scatter", "MPI_Ireduce_scatter", Collective::reduce_scatter, "reduce_scatter"},
    {"MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block", Collective::reduce_scatter, "reduce_scatter"},
    {"MPI_Scan", "MPI_Iscan", std::nullopt, "scan"},
    {"MPI_Exscan", "MPI_Iexscan", std::nullopt, "exscan"},
    {"MPI_Neighbor_allgather", "MPI_Ineighbor_allgather", std::nullopt, "neighbour_exchange"},
    {"MPI_Neighbor_allgatherv", "MPI_Ineighbor_allgatherv", std::nullopt, "neighbour_exchange"},
    {"MPI_Neighbor_alltoall", "MPI_Ineighbor_alltoall", std::nullopt, "neighbour_exchange"},
    {"MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv", std::nullopt, "neighbour_exchange"},
    {"MPI_Neighbor_alltoallw", "MPI_Ineighbor_alltoallw", std::nullopt, "neighbour_exchange"},
};

// The modes of sending differ in when the call returns, which a recording tells by its times.
constexpr std::string_view kSends[] = {"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend"};
constexpr std::string_view kImmediateSends[] = {"MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend"};
constexpr std::string_view kAgreements[] = {"MPI_Comm_create",
                                            "MPI_Comm_create_group",
                                            "MPI_Comm_disconnect",
                                            "MPI_Comm_dup",
                                            "MPI_Comm_dup_with_info",
                                            "MPI_Comm_free",
                                            "MPI_Comm_split",
                                            "MPI_Comm_split_type",
                                            "MPI_Cart_create",
                                            "MPI_Cart_sub",
                                            "MPI_Dist_graph_create",
                                            "MPI_Dist_graph_create_adjacent",
                                            "MPI_Graph_create",
                                            "MPI_Intercomm_create",
                                            "MPI_Intercomm_merge",
                                            "MPI_Comm_accept",
                                            "MPI_Comm_connect",
                                            "MPI_Comm_join",
                                            "MPI_Comm_spawn",
                                            "MPI_Comm_spawn_multiple",
                                            "MPI_File_close",
                                            "MPI_File_open",
                                            "MPI_File_set_view",
                                            "MPI_Win_allocate",
                                            "MPI_Win_allocate_shared",
                                            "MPI_Win_create",
                                            "MPI_Win_create_dynamic",
                                            "MPI_Win_fence",
                                            "MPI_Win_free"};
// A test that succeeds ends a request as a wait does; one that fails says nothing.
constexpr std::string_view kTests[] = {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"};
constexpr std::string_view kProbes[] = {"MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"};
constexpr std::string_view kOthers[] = {"MPI_Accumulate",
                                        "MPI_Bsend_init",
                                        "MPI_Compare_and_swap",
                                        "MPI_Fetch_and_op",
                                        "MPI_Get",
                                        "MPI_Get_accumulate",
                                        "MPI_Put",
                                        "MPI_Raccumulate",
                                        "MPI_Recv_init",
                                        "MPI_Rget",
                                        "MPI_Rget_accumulate",
                                        "MPI_Rput",
                                        "MPI_Rsend_init",
                                        "MPI_Send_init",
                                        "MPI_Ssend_init",
                                        "MPI_Start",
                                        "MPI_Startall",
                                        "MPI_Win_complete",
                                        "MPI_Win_flush",
                                        "MPI_Win_flush_all",
                                        "MPI_Win_flush_local",
                                        "MPI_Win_flush_local_all",
                                        "MPI_Win_lock",
                                        "MPI_Win_lock_all",
                                        "MPI_Win_post",
                                        "MPI_Win_start",
                                        "MPI_Win_sync",
                                        "MPI_Win_test",
                                        "MPI_Win_unlock",
                                        "MPI_Win_unlock_all",
                                        "MPI_Win_wait"};
// MPI_Init and MPI_Finalize begin and end MPI: ranks may wait there for one another, but the program says nothing to
// anybody.
constexpr std::string_view kLocals[] = {"MPI_Abort",
                                        "MPI_Finalize",
                                        "MPI_Init",
                                        "MPI_Init_thread",
                                        "MPI_Address",
                                        "MPI_Attr_delete",
                                        "MPI_Attr_get",
                                        "MPI_Attr_put",
                                        "MPI_Buffer_attach",
                                        "MPI_Buffer_detach",
                                        "MPI_Cancel",
                                        "MPI_Cart_coords",
                                        "MPI_Cart_get",
                                        "MPI_Cart_map",
                                        "MPI_Cart_rank",
                                        "MPI_Cart_shift",
                                        "MPI_Cartdim_get",
                                        "MPI_Comm_compare",
                                        "MPI_Comm_create_keyval",
                                        "MPI_Comm_delete_attr",
                                        "MPI_Comm_free_keyval",
                                        "MPI_Comm_get_attr",
                                        "MPI_Comm_get_name",
                                        "MPI_Comm_group",
                                        "MPI_Comm_rank",
                                        "MPI_Comm_remote_group",
                                        "MPI_Comm_remote_size",
                                        "MPI_Comm_set_attr",
                                        "MPI_Comm_set_name",
                                        "MPI_Comm_size",
                                        "MPI_Comm_test_inter",
                                        "MPI_Dims_create",
                                        "MPI_Dist_graph_neighbors",
                                        "MPI_Dist_graph_neighbors_count",
                                        "MPI_Errhandler_create",
                                        "MPI_Errhandler_free",
                                        "MPI_Errhandler_get",
                                        "MPI_Errhandler_set",
                                        "MPI_Error_class",
                                        "MPI_Error_string",
                                        "MPI_Get_address",
                                        "MPI_Get_count",
                                        "MPI_Get_elements",
                                        "MPI_Get_processor_name",
                                        "MPI_Get_version",
                                        "MPI_Graph_get",
                                        "MPI_Graph_map",
                                        "MPI_Graph_neighbors",
                                        "MPI_Graph_neighbors_count",
                                        "MPI_Graphdims_get",
                                        "MPI_Group_compare",
                                        "MPI_Group_difference",
                                        "MPI_Group_excl",
                                        "MPI_Group_free",
                                        "MPI_Group_incl",
                                        "MPI_Group_intersection",
                                        "MPI_Group_range_excl",
                                        "MPI_Group_range_incl",
                                        "MPI_Group_rank",
                                        "MPI_Group_size",
                                        "MPI_Group_translate_ranks",
                                        "MPI_Group_union",
                                        "MPI_Initialized",
                                        "MPI_Keyval_create",
                                        "MPI_Keyval_free",
                                        "MPI_Op_create",
                                        "MPI_Op_free",
                                        "MPI_Pack",
                                        "MPI_Pack_size",
                                        "MPI_Pcontrol",
                                        "MPI_Request_free",
                                        "MPI_Request_get_status",
                                        "MPI_Test_cancelled",
                                        "MPI_Topo_test",
                                        "MPI_Type_commit",
                                        "MPI_Type_contiguous",
                                        "MPI_Type_count",
                                        "MPI_Type_create_hindexed",
                                        "MPI_Type_create_hvector",
                                        "MPI_Type_create_indexed_block",
                                        "MPI_Type_create_resized",
                                        "MPI_Type_create_struct",
                                        "MPI_Type_create_subarray",
                                        "MPI_Type_dup",
                                        "MPI_Type_extent",
                                        "MPI_Type_free",
                                        "MPI_Type_get_contents",
                                        "MPI_Type_get_envelope",
                                        "MPI_Type_get_extent",
                                        "MPI_Type_hindexed",
                                        "MPI_Type_hvector",
                                        "MPI_Type_indexed",
                                        "MPI_Type_lb",
                                        "MPI_Type_size",
                                        "MPI_Type_struct",
                                        "MPI_Type_ub",
                                        "MPI_Type_vector",
                                        "MPI_Unpack",
                                        "MPI_Win_get_group",
                                        "MPI_Wtick",
                                        "MPI_Wtime"};
// Accesses to files wait for disks, not for partners that a trace could name.
constexpr std::string_view kFileAccesses[] = {
    "MPI_File_delete",    "MPI_File_get_size", "MPI_File_preallocate",  "MPI_File_read",
    "MPI_File_read_all",  "MPI_File_read_at",  "MPI_File_read_at_all",  "MPI_File_read_shared",
    "MPI_File_seek",      "MPI_File_set_size", "MPI_File_sync",         "MPI_File_write",
    "MPI_File_write_all", "MPI_File_write_at", "MPI_File_write_at_all", "MPI_File_write_shared"};

std::vector<MpiFunction> list_functions() {
  std::vector<MpiFunction> all;
  for (const NamedCollective& named : kMpiCollectives) {
    all.push_back({named.blocking, MpiRole::collective, true, named.collective, named.kind});
    all.push_back({named.non_blocking, MpiRole::collective, false, named.collective, named.kind});
  }
  const auto add = [&](const auto& names, MpiRole role, bool is_blocking = true) {
    for (const std::string_view name : names) all.push_back({name, role, is_blocking});
  };
  add(kSends, MpiRole::send);
  add(kImmediateSends, MpiRole::send, false);
  add(std::array{std::string_view("MPI_Recv"), std::string_view("MPI_Mrecv")}, MpiRole::receive);
  add(std::array{std::string_view("MPI_Irecv"), std::string_view("MPI_Imrecv")}, MpiRole::receive, false);
  add(std::array{std::string_view("MPI_Sendrecv"), std::string_view("MPI_Sendrecv_replace")}, MpiRole::send_receive);
  add(std::array{std::string_view("MPI_Wait")}, MpiRole::wait_one);
  add(std::array{std::string_view("MPI_Waitany")}, MpiRole::wait_any);
  add(std::array{std::string_view("MPI_Waitsome")}, MpiRole::wait_some);
  add(std::array{std::string_view("MPI_Waitall")}, MpiRole::wait_all);
  add(std::array{std::string_view("MPI_Comm_idup")}, MpiRole::agreement, false);
  add(kAgreements, MpiRole::agreement);
  add(kTests, MpiRole::test);
  add(kProbes, MpiRole::probe);
  add(kOthers, MpiRole::other);
  add(kFileAccesses, MpiRole::other);
  add(kLocals, MpiRole::local);
  std::sort(all.begin(), all.end(), [](const MpiFunction& a, const MpiFunction& b) { return a.name < b.name; });
  return all;
}

}  // namespace

const MpiFunction* find_mpi_function(std::string_view name) {
  // Made at the first question and never changed: threads may ask at the same time.
  static const std::vector<MpiFunction> kAll = list_functions();
  const auto at =
      std::lower_bound(kAll.begin(), kAll.end(), name,
                       [](const MpiFunction& function, std::string_view wanted) { return function.name < wanted; });
  return at != kAll.end() && at->name == name ? &*at : nullptr;
}

}  // namespace orrery::match
