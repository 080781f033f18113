#include "tracer/clock_probes.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tracer/recorder.h"
#include "tracer/trace_file.h"

// Ranks that share memory agree on one offset to Unix time, that of the first of them, and count as a node. Rank 0 then
// exchanges messages with one rank of every other node; all four times of an exchange are written, and what they say is
// worked out when the traces are aligned.

namespace orrery::tracer {
namespace {

constexpr int kTag = 0;  // the communicator is the tracer's own

/// Both clocks as nearly at one moment as can be had: of several tries the one in which least time passed.
std::int64_t unix_offset_ns() {
  std::int64_t offset = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = now_ns();
    timespec unix_time{};
    clock_gettime(CLOCK_REALTIME, &unix_time);
    const std::uint64_t passed = now_ns() - before;
    if (passed >= least) continue;
    least = passed;
    // The middle of the two readings is the best guess for when the other clock was read.
    offset = std::int64_t{unix_time.tv_sec} * 1'000'000'000 + unix_time.tv_nsec -
             static_cast<std::int64_t>(before + passed / 2);
  }
  return offset;
}

void agree_on_node(Place& place) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(place.comm, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &node);
  long long first[2] = {place.rank, place.unix_offset_ns};
  PMPI_Bcast(first, 2, MPI_LONG_LONG, 0, node);
  PMPI_Comm_free(&node);
  // Ranks that share memory have one clock, unless containers were given different ones: then each counts as a node.
  constexpr std::int64_t kSameClockNs = 1'000'000;
  if (std::llabs(first[1] - place.unix_offset_ns) > kSameClockNs) return;
  place.node = static_cast<int>(first[0]);
  place.unix_offset_ns = first[1];
}

struct Probe {
  std::int64_t times[4];
};

std::int64_t unix_now(const Place& place) { return static_cast<std::int64_t>(now_ns()) + place.unix_offset_ns; }

void answer(const Place& place, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    long long times[2] = {};
    PMPI_Recv(times, 0, MPI_LONG_LONG, 0, kTag, place.comm, MPI_STATUS_IGNORE);
    // Twice, since the four times are those of NTP: sent, received, answered, and back.
    times[0] = unix_now(place);
    times[1] = unix_now(place);
    PMPI_Send(times, 2, MPI_LONG_LONG, 0, kTag, place.comm);
  }
}

Probe ask(const Place& place, int node) {
  long long times[2] = {};
  const std::int64_t sent = unix_now(place);
  PMPI_Send(times, 0, MPI_LONG_LONG, node, kTag, place.comm);
  PMPI_Recv(times, 2, MPI_LONG_LONG, node, kTag, place.comm, MPI_STATUS_IGNORE);
  return {{sent, times[0], times[1], unix_now(place)}};
}

}  // namespace

Place find_place(const Settings& settings) {
  Place place;
  PMPI_Comm_dup(MPI_COMM_WORLD, &place.comm);
  PMPI_Comm_rank(place.comm, &place.rank);
  PMPI_Comm_size(place.comm, &place.size);
  place.node = place.rank;
  place.unix_offset_ns = unix_offset_ns();
  if (!settings.every_rank_a_node) agree_on_node(place);
  std::vector<int> nodes(place.rank == 0 ? static_cast<std::size_t>(place.size) : 0);
  PMPI_Gather(&place.node, 1, MPI_INT, nodes.data(), 1, MPI_INT, 0, place.comm);
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank) {
    const int node = nodes[static_cast<std::size_t>(rank)];
    if (node == rank && node != nodes[0]) place.nodes.push_back(node);
  }
  return place;
}

void take_probes(const Place& place, const Settings& settings, bool is_first) {
  if (settings.probe_rounds == 0) return;
  PMPI_Barrier(place.comm);  // who comes late would make the first exchanges long
  if (place.rank != 0) {
    // Ranks on the node of rank 0 are not asked: theirs is its clock.
    if (place.node == place.rank) answer(place, settings.probe_rounds);
    return;
  }
  if (place.nodes.empty()) return;
  const std::string path = settings.prefix + ".probes.jsonl";
  const int descriptor =
      is_first ? make_new_file(path) : ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  std::FILE* file = descriptor < 0 ? nullptr : ::fdopen(descriptor, is_first ? "w" : "a");
  if (file == nullptr)
    std::fprintf(stderr, "orrery_mpi: %s cannot be written (%s): there are no measurements of clocks\n", path.c_str(),
                 std::strerror(errno));
  for (const int node : place.nodes) {
    for (int i = 0; i < settings.probe_rounds; ++i) {
      const Probe probe = ask(place, node);
      if (file == nullptr) continue;
      std::fprintf(file, "{\"src\": 0, \"dst\": %d, \"t1\": %lld, \"t2\": %lld, \"t3\": %lld, \"t4\": %lld}\n", node,
                   static_cast<long long>(probe.times[0]), static_cast<long long>(probe.times[1]),
                   static_cast<long long>(probe.times[2]), static_cast<long long>(probe.times[3]));
    }
  }
  if (file != nullptr) std::fclose(file);
}

}  // namespace orrery::tracer
