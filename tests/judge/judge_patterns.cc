#include "judge/judge_patterns.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace orrery::judge {
namespace {

using simulate::testing::Message;
using Messages = std::vector<Message>;

const Platform kStar{"star64", 64, "topology: switch, size: 64", ""};
const Platform kTorus{"torus4x4x4", 64, "topology: torus, shape: [4, 4, 4]",
                      R"(topology="TORUS" topo_parameters="4,4,4")"};
const Platform kFatTree{
    "fattree64", 64,
    "topology: fat_tree, levels: [{children: 8, parents: 1, cables: 1}, {children: 8, parents: 4, cables: 2}]",
    R"(topology="FAT_TREE" topo_parameters="2;8,8;1,4;1,2")"};
const Platform kDragonfly{"dragonfly72", 72,
                          "topology: dragonfly, groups: 3, chassis_per_group: 3, routers_per_chassis: 4, "
                          "devices_per_router: 2, compat: simgrid",
                          R"(topology="DRAGONFLY" topo_parameters="3,1;3,1;4,1;2")"};

Messages shared_link(std::uint32_t count) { return Messages(count, {0, 1, 1e9}); }

Messages incast(std::uint32_t devices) {
  Messages messages;
  for (std::uint32_t source = 1; source < devices; ++source) messages.push_back({source, 0, 1e8});
  return messages;
}

Messages shift(std::uint32_t devices, std::uint32_t by) {
  Messages messages;
  for (std::uint32_t source = 0; source < devices; ++source) messages.push_back({source, (source + by) % devices, 1e8});
  return messages;
}

Messages all_to_all(std::uint32_t devices) {
  Messages messages;
  for (std::uint32_t source = 0; source < devices; ++source) {
    for (std::uint32_t target = 0; target < devices; ++target) {
      if (source != target) messages.push_back({source, target, 1e6});
    }
  }
  return messages;
}

/// `rounds` random permutations, 50 to 150 MB each.
Messages permutations(std::uint32_t devices, std::uint32_t rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Messages messages;
  std::vector<std::uint32_t> targets(devices);
  std::iota(targets.begin(), targets.end(), 0u);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t i = devices; i > 1; --i)
      std::swap(targets[i - 1], targets[random() % i]);  // the same with every library
    for (std::uint32_t source = 0; source < devices; ++source) {
      const auto bytes = static_cast<double>(50'000'000 + random() % 100'000'001);
      if (targets[source] != source) messages.push_back({source, targets[source], bytes});
    }
  }
  return messages;
}

}  // namespace

std::vector<Case> make_cases(std::uint64_t seed, std::uint32_t scale) {
  std::vector<Case> cases;
  const auto add = [&](const Platform& platform, std::string pattern, double latency_us, Agreement agreement,
                       Messages messages) {
    cases.push_back({platform, std::move(pattern), latency_us, agreement, std::move(messages)});
  };
  for (const double latency_us : {0.0, 1.0}) {  // all paths of a star are alike
    add(kStar, "shared link", latency_us, Agreement::exact, shared_link(10));
    add(kStar, "incast", latency_us, Agreement::exact, incast(64));
    add(kStar, "all-to-all", latency_us, Agreement::exact, all_to_all(16));
    add(kStar, "permutations", latency_us, Agreement::exact, permutations(64, latency_us == 0 ? 4 * scale : 4, seed));
  }
  add(kFatTree, "shift 8", 1, Agreement::exact, shift(64, 8));  // every path goes over the top
  add(kFatTree, "shift 21", 1, Agreement::exact, shift(64, 21));
  for (const Platform& platform : {kTorus, kFatTree, kDragonfly}) {
    for (const double latency_us : {0.0, 1.0}) {
      const Agreement agreement = latency_us == 0 ? Agreement::exact : Agreement::differing;
      add(platform, "shift 1", latency_us, agreement, shift(platform.devices, 1));
      if (agreement == Agreement::exact) add(platform, "shift 21", latency_us, agreement, shift(platform.devices, 21));
      add(platform, "incast", latency_us, agreement, incast(platform.devices));
      add(platform, "all-to-all", latency_us, agreement, all_to_all(24));
      add(platform, "permutations", latency_us, agreement, permutations(platform.devices, 4 * scale, seed));
    }
  }
  return cases;
}

}  // namespace orrery::judge
