// Feeds arbitrary bytes to the Chakra reader: as protobuf, or as the feeder's JSON if they begin with a brace. What is accepted can be written
// and read again, and simulated on two ranks to an end, be that a schedule or an error.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/chakra/reader.h"
#include "formats/chakra/writer.h"
#include "simulate/astra/simulation.h"

namespace {

constexpr std::size_t kSimulatedNodes = 64;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Small sizes only: a message of many gigabytes over a slow link is a long time, but a split of it into chunks is many events.
bool is_small(const orrery::graph::Program& program) {
  for (const std::int64_t bytes : program.bytes) {
    if (bytes > 1 << 20) return false;
  }
  return program.size() > 0 && program.size() <= kSimulatedNodes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  graph::Workload workload;
  auto program = bytes.starts_with('{') ? chakra::parse_feeder_json(bytes, "input", workload.strings)
                                        : chakra::parse_protobuf(bytes, "input", workload.strings);
  if (!program) return 0;
  const std::size_t nodes = program->size();
  workload.programs.push_back(std::move(*program));
  workload.program_of_rank.assign(2, 0);
  if (const auto written = chakra::to_protobuf(workload, 0)) {
    Interner strings;
    const auto again = chakra::parse_protobuf(*written, "written", strings);
    require(again.ok() && again->size() == nodes, "what was written cannot be read again");
  }
  if (!is_small(workload.programs[0])) return 0;
  machine::AstraSystem system;
  system.dimensions.push_back({machine::AstraTopology::ring, 2, 50, 500});
  for (auto& list : system.implementations) list.assign(1, {});
  static_cast<void>(simulate::astra::simulate(workload, system));
  return 0;
}
