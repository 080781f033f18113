// A whole simulator on top of orrery's feeder: each rank has a processor and a network interface, and each does one
// thing at a time.
//
//     simulator PREFIX|FILE [GIGABYTES_PER_SECOND]
#include <orrery/feeder.h>
#include <orrery/workload.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace {

using namespace orrery::api;

struct Running {
  std::uint64_t end_ns;
  Node node;
  bool operator>(const Running& other) const {
    return std::pair(end_ns, node.id()) > std::pair(other.end_ns, other.node.id());
  }
};

bool is_communication(const Node& node) { return node.type() >= NodeType::comm_send; }

// Recorded time for what was recorded, bytes at the network's rate for communication that was not.
std::uint64_t duration_ns(const Node& node, double bytes_per_ns) {
  if (node.duration_ns() != 0 || !is_communication(node)) return node.duration_ns();
  return static_cast<std::uint64_t>(static_cast<double>(node.comm_size().value_or(0)) / bytes_per_ns);
}

// When the rank is done.
std::uint64_t simulate(Feeder& feeder, double bytes_per_ns) {
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  bool busy[2] = {false, false};  // the processor, the network interface
  std::uint64_t now_ns = 0;
  while (feeder.remaining() > 0) {
    std::vector<Node> no_room;
    while (const std::optional<Node> node = feeder.next_ready()) {
      bool& resource = busy[is_communication(*node)];
      if (resource) {
        no_room.push_back(*node);
        continue;
      }
      resource = true;
      running.push({now_ns + duration_ns(*node, bytes_per_ns), *node});
    }
    for (const Node& node : no_room) (void)feeder.push_back(node);
    const Running first = running.top();  // there is one: a workload that opens has no circles
    running.pop();
    now_ns = first.end_ns;
    busy[is_communication(first.node)] = false;
    (void)feeder.complete(first.node);
  }
  return now_ns;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: simulator PREFIX|FILE [GIGABYTES_PER_SECOND]\n"), 2;
  const double bytes_per_ns = argc > 2 ? std::atof(argv[2]) : 50;
  const Result<Workload> workload = Workload::open(argv[1]);
  if (!workload) return std::fprintf(stderr, "simulator: %s\n", workload.error().to_string().c_str()), 1;
  for (std::size_t rank = 0; rank < workload->rank_count(); ++rank) {
    Result<Feeder> feeder = Feeder::make(*workload, rank);
    if (!feeder) return std::fprintf(stderr, "simulator: %s\n", feeder.error().to_string().c_str()), 1;
    const std::uint64_t end_ns = simulate(*feeder, bytes_per_ns);
    std::printf("rank %zu: %zu nodes, %.3f ms\n", rank, workload->node_count(rank), static_cast<double>(end_ns) / 1e6);
  }
}
