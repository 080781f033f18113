// Feeds arbitrary bytes to the reader of saved steps. Checksums would stop nearly every input at the door, so those of
// the input are made right first: what is fuzzed is what lies behind them. A step that is accepted can be solved,
// walked and printed from.
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "causal/causal_graph_file.h"
#include "graph/longest_path.h"

namespace {

constexpr std::size_t kHeaderBytes = 64, kEntryBytes = 32;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

template <typename T>
T get(const std::string& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Size and checksums as docs/formats/graph.md wants them; the rest stays as it is.
void repair(std::string& bytes) {
  if (bytes.size() < kHeaderBytes) return;
  put<std::uint64_t>(bytes, 32, bytes.size());
  const std::uint64_t sections =
      std::min<std::uint64_t>(get<std::uint32_t>(bytes, 28), (bytes.size() - kHeaderBytes) / kEntryBytes);
  put<std::uint32_t>(bytes, 28, static_cast<std::uint32_t>(sections));
  for (std::size_t i = 0; i < sections; ++i) {
    const std::size_t entry = kHeaderBytes + i * kEntryBytes;
    const std::uint64_t offset = get<std::uint64_t>(bytes, entry + 8), size = get<std::uint64_t>(bytes, entry + 16);
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      put<std::uint64_t>(bytes, entry + 24, XXH3_64bits(bytes.data() + offset, size));
  }
  const std::string covered = bytes.substr(0, 56) + bytes.substr(kHeaderBytes, sections * kEntryBytes);
  put<std::uint64_t>(bytes, 56, XXH3_64bits(covered.data(), covered.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  repair(bytes);
  const auto step = orrery::causal::load_causal_graph_from_bytes(bytes, "fuzz.step");
  if (!step) {
    require(step.error().file == "fuzz.step" && !step.error().message.empty(), "an error without its file");
    return 0;
  }
  const orrery::graph::Solution solution = orrery::graph::solve(step->graph, step->end);
  require(solution.length() >= 0, "a negative length");
  const orrery::graph::Path path = solution.path();
  require(!path.nodes.empty() && path.nodes.back() == step->end, "a path that does not lead to the end");
  for (const orrery::graph::Slot slot : path.slots) {
    const std::uint32_t tag = step->graph.edge_tag(slot);
    require(to_string(step->kind(slot)) != nullptr, "a kind without a name");
    if (tag == orrery::graph::kNoTag) continue;
    const orrery::causal::Owner& owner = step->owners[tag];
    require(step->strings.text(owner.name).size() <= bytes.size() &&
                step->strings.text(step->ranks[step->rank_of_owner(tag)].lanes[owner.lane].name).size() <= bytes.size(),
            "a text from nowhere");
  }
  require(step->span > 0, "an empty window");
  return 0;
}
