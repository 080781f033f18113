#include "tracer/communicators.h"

#include <algorithm>
#include <cstdio>
#include <utility>

// A communicator is looked at when it is first met: members as world ranks, topology, neighbours. Its name is its
// parent's with a count, or, where only members took part in making it, a hash of them with a count. Nothing of this
// asks other ranks.

namespace orrery::tracer {
namespace {

RankList world_ranks(MPI_Group group, MPI_Group world) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> places(static_cast<std::size_t>(size)), ranks(places.size());
  for (int i = 0; i < size; ++i) places[static_cast<std::size_t>(i)] = i;
  if (size > 0) PMPI_Group_translate_ranks(group, size, places.data(), world, ranks.data());
  for (int& rank : ranks) {
    // A process that was spawned or connected to has no rank in this world.
    if (rank == MPI_UNDEFINED) rank = kForeignRank;
  }
  return RankList(std::move(ranks));
}

void take_neighbours(const std::vector<int>& ranks, const Communicator& communicator, std::vector<std::int64_t>& into) {
  for (const int rank : ranks) into.push_back(communicator.world_rank(rank));
}

void look_at_grid(MPI_Comm handle, Communicator& communicator) {
  int count = 0;
  PMPI_Cartdim_get(handle, &count);
  const auto n = static_cast<std::size_t>(count);
  communicator.dimensions.resize(n);
  communicator.periodic.resize(n);
  std::vector<int> own(n);
  if (count > 0) PMPI_Cart_get(handle, count, communicator.dimensions.data(), communicator.periodic.data(), own.data());
  communicator.flags |= kIsGrid | kHasNeighbours;
  // The order of neighbours in neighbourhood collectives: per dimension the one before, then the one after.
  std::vector<int> neighbours;
  for (int d = 0; d < count; ++d) {
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
    PMPI_Cart_shift(handle, d, 1, &before, &after);
    neighbours.push_back(before);
    neighbours.push_back(after);
  }
  take_neighbours(neighbours, communicator, communicator.sources);
  // A grid's exchange goes both ways.
  communicator.destinations = communicator.sources;
}

void look_at_graph(MPI_Comm handle, Communicator& communicator) {
  int count = 0;
  PMPI_Graph_neighbors_count(handle, communicator.rank, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  if (count > 0) PMPI_Graph_neighbors(handle, communicator.rank, count, neighbours.data());
  communicator.flags |= kHasNeighbours;
  take_neighbours(neighbours, communicator, communicator.sources);
  communicator.destinations = communicator.sources;
}

void look_at_distributed_graph(MPI_Comm handle, Communicator& communicator) {
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(handle, &in, &out, &weighted);
  std::vector<int> sources(static_cast<std::size_t>(in)), destinations(static_cast<std::size_t>(out));
  // Weights are asked for as well: not every implementation takes MPI_UNWEIGHTED for a graph that has some.
  std::vector<int> in_weights(sources.size()), out_weights(destinations.size());
  if (weighted != 0)
    PMPI_Dist_graph_neighbors(handle, in, sources.data(), in_weights.data(), out, destinations.data(),
                              out_weights.data());
  else PMPI_Dist_graph_neighbors(handle, in, sources.data(), MPI_UNWEIGHTED, out, destinations.data(), MPI_UNWEIGHTED);
  communicator.flags |= kHasNeighbours;
  take_neighbours(sources, communicator, communicator.sources);
  take_neighbours(destinations, communicator, communicator.destinations);
}

void encode_neighbours(const std::vector<std::int64_t>& ranks, ByteBuffer& into) {
  into.number(ranks.size());
  for (const std::int64_t rank : ranks) into.signed_number(rank);
}

}  // namespace

std::int64_t Communicator::world_rank(int rank_in_comm) const {
  if (rank_in_comm == MPI_PROC_NULL) return kNoRank;
  if (rank_in_comm == MPI_ANY_SOURCE) return kAnyRank;
  if (rank_in_comm == MPI_ROOT) return kIsRoot;
  return peers()[rank_in_comm];
}

void Communicators::begin() {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_);
  add(MPI_COMM_WORLD, look_at(MPI_COMM_WORLD), "world", 0);
  CommunicatorPtr self = look_at(MPI_COMM_SELF);
  std::string name = "self:" + std::to_string(self->members[0]);
  add(MPI_COMM_SELF, std::move(self), std::move(name), 0);
}

const CommunicatorPtr& Communicators::find(MPI_Comm handle) {
  static const CommunicatorPtr none;
  if (handle == MPI_COMM_NULL) return none;
  if (const CommunicatorPtr* known = by_handle_.find(key_of(handle))) return *known;
  // Made by something that the tracer does not see, such as another library.
  made_by_members(MPI_COMM_NULL, handle, 0, "found");
  CommunicatorPtr& found = *by_handle_.find(key_of(handle));
  found->flags |= kIsFound;
  return found;
}

std::string Communicators::next_name(MPI_Comm parent) {
  const CommunicatorPtr& from = find(parent);
  return from->name + "/" + std::to_string(++from->made);
}

void Communicators::made_of(MPI_Comm parent, MPI_Comm handle) {
  const std::uint32_t number = find(parent)->number;
  made_later(next_name(parent), number, handle);
}

void Communicators::made_later(const std::string& name, std::uint32_t parent, MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return;
  CommunicatorPtr added = look_at(handle);
  // Always with the first member: only it tells apart the parts of a split. Of two groups that see each other the lower
  // one.
  std::int64_t first = added->members[0];
  if (added->remote.size() > 0) first = std::min(first, added->remote[0]);
  std::string full = name + ":" + std::to_string(first);
  add(handle, std::move(added), std::move(full), parent);
}

void Communicators::made_by_members(MPI_Comm parent, MPI_Comm handle, int tag, const char* how) {
  if (handle == MPI_COMM_NULL) return;
  CommunicatorPtr added = look_at(handle);
  // The two sides of an intercommunicator see its groups the other way round, and name it the same.
  std::uint64_t members = added->members.hash();
  if ((added->flags & kIsIntercommunicator) != 0) {
    const std::uint64_t remote = added->remote.hash();
    // 31: any odd factor, so that the order of the two hashes shows.
    members = std::min(members, remote) * 31 + std::max(members, remote);
  }
  char name[80];
  std::snprintf(name, sizeof name, "%s-%d-%016llx", how, tag, static_cast<unsigned long long>(members));
  // The same members may make several, in the same order on each of them.
  const std::uint32_t time = times_[name]++;
  std::string full = std::string(name) + "/" + std::to_string(time);
  const std::uint32_t of = parent == MPI_COMM_NULL ? 0 : find(parent)->number;
  add(handle, std::move(added), std::move(full), of);
}

void Communicators::call(MPI_Comm handle, const std::string& name) {
  if (by_handle_.find(key_of(handle)) == nullptr) add(handle, look_at(handle), name, 0);
}

void Communicators::forget(MPI_Comm handle) { by_handle_.erase(key_of(handle)); }

CommunicatorPtr Communicators::look_at(MPI_Comm handle) {
  auto seen = std::make_shared<Communicator>();
  PMPI_Comm_rank(handle, &seen->rank);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(handle, &group);
  seen->members = world_ranks(group, world_);
  // Groups are copies that MPI counts; without this they would pile up.
  PMPI_Group_free(&group);
  int is_inter = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  if (is_inter != 0) {
    PMPI_Comm_remote_group(handle, &group);
    seen->remote = world_ranks(group, world_);
    PMPI_Group_free(&group);
    seen->flags |= kIsIntercommunicator;
    // Between two groups there is no topology.
    return seen;
  }
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(handle, &topology);
  if (topology == MPI_CART) look_at_grid(handle, *seen);
  if (topology == MPI_GRAPH) look_at_graph(handle, *seen);
  if (topology == MPI_DIST_GRAPH) look_at_distributed_graph(handle, *seen);
  return seen;
}

const CommunicatorPtr& Communicators::add(MPI_Comm handle, CommunicatorPtr added, std::string name,
                                          std::uint32_t parent) {
  added->number = ++count_;
  added->name = std::move(name);
  added->parent = parent;
  unwritten.push_back(added);
  return by_handle_.put(key_of(handle), std::move(added));
}

void encode(const Communicator& communicator, ByteBuffer& into) {
  into.number(communicator.number);
  into.byte(communicator.flags);
  into.text(communicator.name);
  into.number(communicator.parent);
  into.number(static_cast<std::uint64_t>(communicator.rank));
  communicator.members.encode(into);
  if ((communicator.flags & kIsIntercommunicator) != 0) communicator.remote.encode(into);
  if ((communicator.flags & kIsGrid) != 0) {
    into.number(communicator.dimensions.size());
    for (std::size_t d = 0; d < communicator.dimensions.size(); ++d) {
      into.number(static_cast<std::uint64_t>(communicator.dimensions[d]));
      into.byte(communicator.periodic[d] != 0 ? 1 : 0);
    }
  }
  if ((communicator.flags & kHasNeighbours) != 0) {
    encode_neighbours(communicator.sources, into);
    encode_neighbours(communicator.destinations, into);
  }
}

}  // namespace orrery::tracer
