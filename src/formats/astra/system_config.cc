#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "formats/astra/config.h"
#include "formats/astra/json_file.h"
#include "machine/yaml/yaml_tree.h"
#include "report/counted.h"

// Key by key, in the order in which one needs the other: the bus first, since it decides which keys have an effect,
// then choices, numbers, algorithms per dimension and algorithms from files. Keys that ASTRA-sim reads and does not use
// are remarked on, keys that nobody knows as well, with the nearest known one.

namespace orrery::astra {
namespace {

using machine::AstraAlgorithm;
using machine::AstraImplementation;
using machine::AstraSystem;

constexpr DiagnosticKind kUnknownKey{"S101", Severity::warning, "unknown key in the system configuration",
                                     "ASTRA-sim passes over it too"};
constexpr DiagnosticKind kNoEffect{"S102", Severity::note, "key of the system configuration without effect",
                                   "ASTRA-sim no longer reads it, or only logs with it"};

constexpr double kMostBusNs = 1e9;              // of each byte, and the time of a packet still fits 64 bits
constexpr std::int64_t kMaxSplits = 1'000'000;  // each is simulated on its own

constexpr std::array<std::string_view, 12> kUsed = {"scheduling-policy",
                                                    "collective-optimization",
                                                    "active-chunks-per-dimension",
                                                    "preferred-dataset-splits",
                                                    "all-reduce-implementation",
                                                    "all-gather-implementation",
                                                    "reduce-scatter-implementation",
                                                    "all-to-all-implementation",
                                                    "endpoint-delay",
                                                    "local-mem-bw",
                                                    "peak-perf",
                                                    "roofline-enabled"};
constexpr std::array<std::string_view, 10> kWithoutEffect = {"replay-only",
                                                             "trace-enabled",
                                                             "track-local-mem",
                                                             "local-mem-trace-filename",
                                                             "boost-mode",
                                                             "inter-dimension-scheduling",
                                                             "intra-dimension-scheduling",
                                                             "name",
                                                             "comment",
                                                             "reduce-scatter-optimization"};
constexpr std::array<std::string_view, 6> kOfSharedBus = {"model-shared-bus",     "L", "o", "g", "G",
                                                          "local-reduction-delay"};
// In the order of machine::AstraCollective.
constexpr std::array<std::string_view, machine::kAstraCollectives> kCustomKeys = {
    "all-reduce-implementation-custom", "all-gather-implementation-custom", "reduce-scatter-implementation-custom",
    "all-to-all-implementation-custom"};
constexpr std::string_view kCustomOfNodesKey = "per-node-custom-implementation";
// In the order of machine::AstraCollective.
constexpr std::array<std::string_view, machine::kAstraCollectives> kImplementationKeys = {
    "all-reduce-implementation", "all-gather-implementation", "reduce-scatter-implementation",
    "all-to-all-implementation"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "ring", "oneRing", "direct", "direct4", "oneDirect4", "halvingDoubling", "oneHalvingDoubling", "doubleBinaryTree"
std::optional<AstraImplementation> parse_implementation(std::string_view name) {
  if (name == "ring") return AstraImplementation{};
  if (name == "oneRing") return AstraImplementation{AstraAlgorithm::ring, true};
  if (name == "halvingDoubling") return AstraImplementation{AstraAlgorithm::halving_doubling};
  if (name == "oneHalvingDoubling") return AstraImplementation{AstraAlgorithm::halving_doubling, true};
  if (name == "doubleBinaryTree") return AstraImplementation{AstraAlgorithm::double_binary_tree};
  AstraImplementation direct{AstraAlgorithm::direct};
  if (name.starts_with("oneDirect")) {
    direct.flat = true;
    name.remove_prefix(9);
  } else if (name.starts_with("direct")) {
    name.remove_prefix(6);
  } else {
    return std::nullopt;
  }
  if (name.empty()) return direct;
  // The number behind it says how many messages are in flight at once.
  if (!parse_number(name, direct.window) || direct.window < 1) return std::nullopt;
  return direct;
}

class SystemReader {
 public:
  SystemReader(const JsonFile& file, AstraSystem& system, Diagnostics& diagnostics)
      : file_(file), system_(system), diagnostics_(diagnostics) {}

  Status read() {
    for (const auto& part :
         {&SystemReader::read_shared_bus, &SystemReader::check_keys, &SystemReader::read_choices,
          &SystemReader::read_numbers, &SystemReader::read_implementations, &SystemReader::read_custom}) {
      if (Status status = (this->*part)(); !status) return status;
    }
    return {};
  }

 private:
  Status check_keys() {
    for (const auto field : file_.object()) {
      const std::string_view key = field.key;
      if (contains(kUsed, key) || contains(kCustomKeys, key) || key == kCustomOfNodesKey) continue;
      if (contains(kOfSharedBus, key)) {
        // Figures of a bus that is not modelled.
        if (!system_.shared_bus && key != "model-shared-bus")
          diagnostics_.add(kNoEffect, [&] { return std::string(key); });
        continue;
      }
      if (contains(kWithoutEffect, key)) {
        if (key != "replay-only") diagnostics_.add(kNoEffect, [&] { return std::string(key); });
        continue;
      }
      diagnostics_.add(kUnknownKey, [&] {
        const std::string_view meant = nearest_word(key, kUsed);
        return meant.empty() ? std::string(key) : fmt::format("{} (did you mean {}?)", key, meant);
      });
    }
    return {};
  }

  Status read_shared_bus() {
    const auto is_modelled = file_.flag("model-shared-bus");
    if (!is_modelled) return is_modelled.error();
    if (!is_modelled->value_or(false)) return {};
    machine::AstraSharedBus bus;
    double latency = 0, overhead = 0, gap = 0, gap_per_byte = 0;
    for (Status status :
         {read_bus_figure("L", latency), read_bus_figure("o", overhead), read_bus_figure("g", gap),
          read_bus_figure("G", gap_per_byte),
          read_integer("local-reduction-delay", 0, std::numeric_limits<std::int32_t>::max(), bus.reduction_delay_ns)}) {
      if (!status) return status;
    }
    // ASTRA-sim keeps all four as floats, and counts the first three in whole nanoseconds.
    const auto whole = [](double figure) { return static_cast<std::int64_t>(static_cast<float>(figure)); };
    bus.latency_ns = whole(latency);
    bus.overhead_ns = whole(overhead);
    bus.gap_ns = whole(gap);
    bus.gap_per_byte_ns = static_cast<double>(static_cast<float>(gap_per_byte));
    system_.shared_bus = bus;
    return {};
  }

  Status read_choices() {
    const auto policy = file_.text("scheduling-policy");
    if (!policy) return policy.error();
    const std::string policy_name = policy->value_or("LIFO");
    if (policy_name == "LIFO") system_.policy = machine::AstraPolicy::lifo;
    else if (policy_name == "FIFO") system_.policy = machine::AstraPolicy::fifo;
    else if (policy_name == "EXPLICIT") system_.policy = machine::AstraPolicy::explicit_priority;
    else return file_.error(fmt::format("scheduling-policy is '{}', but must be LIFO, FIFO or EXPLICIT", policy_name));
    const auto optimization = file_.text("collective-optimization");
    if (!optimization) return optimization.error();
    const std::string name = optimization->value_or("localBWAware");
    if (name != "localBWAware" && name != "baseline")
      return file_.error(fmt::format("collective-optimization is '{}', but must be localBWAware or baseline", name));
    system_.local_bandwidth_aware = name == "localBWAware";
    return {};
  }

  // The value of `key` if it is there and not out of range.
  Status read_integer(std::string_view key, std::int64_t low, std::int64_t high, std::int64_t& value) {
    const auto given = file_.integer(key);
    if (!given) return given.error();
    if (!*given) return {};
    if (**given < low || **given > high)
      return file_.error(fmt::format("{} is {}, but must be from {} to {}", key, **given, low, high));
    value = **given;
    return {};
  }
  Status read_rate(std::string_view key, double& value) {
    const auto given = file_.number(key);
    if (!given) return given.error();
    if (!*given) return {};
    if (**given < 0) return file_.error(fmt::format("{} is negative", key));
    value = **given;
    return {};
  }

  Status read_bus_figure(std::string_view key, double& value) {
    if (Status status = read_rate(key, value); !status) return status;
    if (value > kMostBusNs) return file_.error(fmt::format("{} is {}, but must be at most {}", key, value, kMostBusNs));
    return {};
  }

  Status read_numbers() {
    for (Status status :
         {read_integer("preferred-dataset-splits", 1, kMaxSplits, system_.splits),
          read_integer("active-chunks-per-dimension", 1, kMaxSplits, system_.active_chunks),
          read_integer("endpoint-delay", 0, std::int64_t{1} << 40, system_.endpoint_delay_ns),
          read_rate("local-mem-bw", system_.local_memory_gb_per_s), read_rate("peak-perf", system_.peak_tflops)}) {
      if (!status) return status;
    }
    const auto roofline = file_.flag("roofline-enabled");
    if (!roofline) return roofline.error();
    system_.roofline = roofline->value_or(false);
    const auto replay = file_.flag("replay-only");
    if (!replay) return replay.error();
    system_.replay_only = replay->value_or(false);
    if (system_.roofline && (system_.local_memory_gb_per_s <= 0 || system_.peak_tflops <= 0)) {
      return file_.error("roofline-enabled needs local-mem-bw and peak-perf above 0");
    }
    return {};
  }

  Status read_implementations() {
    const std::size_t dimensions = system_.dimensions.size();
    for (std::size_t i = 0; i < kImplementationKeys.size(); ++i) {
      const std::string_view key = kImplementationKeys[i];
      std::vector<AstraImplementation>& list = system_.implementations[i];
      list.clear();
      simdjson::dom::array names;
      const auto code = file_.object()[key].get(names);
      if (code == simdjson::NO_SUCH_FIELD) {
        list.assign(dimensions, {});
        continue;
      }
      if (code != simdjson::SUCCESS) return file_.error(fmt::format("{} is not a list of names", key));
      for (const simdjson::dom::element entry : names) {
        std::string_view name;
        if (entry.get(name) != simdjson::SUCCESS) return file_.error(fmt::format("{} is not a list of names", key));
        const std::optional<AstraImplementation> implementation = parse_implementation(name);
        if (!implementation) {
          return file_.error(fmt::format("{} has the unknown algorithm '{}'", key, name),
                             "known are ring, oneRing, direct[N], oneDirect[N], halvingDoubling, oneHalvingDoubling, "
                             "doubleBinaryTree");
        }
        list.push_back(*implementation);
      }
      // A flat algorithm spans all dimensions and needs one entry only.
      if (list.size() != dimensions && !(!list.empty() && list[0].flat)) {
        return file_.error(fmt::format("{} has {} entries, the network {} dimensions", key, list.size(), dimensions));
      }
      if (list.size() > dimensions) list.resize(dimensions);
    }
    return {};
  }

  // "all-reduce-implementation-custom": ["folder/ring"], for folder/ring.0.et, folder/ring.1.et, ...
  Status read_custom() {
    for (std::size_t i = 0; i < kCustomKeys.size(); ++i) {
      simdjson::dom::array names;
      const auto code = file_.object()[kCustomKeys[i]].get(names);
      if (code == simdjson::NO_SUCH_FIELD) continue;
      std::string_view prefix;
      if (code != simdjson::SUCCESS || names.size() != 1 || names.at(0).get(prefix) != simdjson::SUCCESS ||
          prefix.empty())
        return file_.error(fmt::format("{} is not a list of one name", kCustomKeys[i]),
                           "what its execution traces begin with");
      system_.custom[i] = prefix;
    }
    const auto by_node = file_.text(kCustomOfNodesKey);
    if (!by_node) return by_node.error();
    return *by_node ? read_custom_of_nodes(**by_node) : Status();
  }

  // 17: folder/ring
  Status read_custom_of_nodes(const std::string& path) {
    const Result<std::string> text = read_whole_file(path, kMaxYamlBytes);
    if (!text) return text.error();
    const Result<machine::YamlNode> root = machine::parse_yaml(*text, path);
    if (!root) return root.error();
    for (const machine::YamlNode& member : root->children) {
      const auto node = parse_number<std::uint64_t>(member.key);
      if (!node || member.text.empty())
        return machine::yaml_error(path, member.key_line,
                                   "this is not the id of a node and what its execution traces begin with",
                                   "17: folder/ring");
      system_.custom_of_node[*node] = member.text;
    }
    return {};
  }

  const JsonFile& file_;
  AstraSystem& system_;
  Diagnostics& diagnostics_;
};

}  // namespace

Status read_system(const std::string& path, AstraSystem& system, Diagnostics& diagnostics) {
  const Result<JsonFile> file = JsonFile::open(path);
  if (!file) return file.error();
  return SystemReader(*file, system, diagnostics).read();
}

Status read_remote_memory(const std::string& path, AstraSystem& system) {
  const Result<JsonFile> file = JsonFile::open(path);
  if (!file) return file.error();
  const auto type = file->text("memory-type");
  if (!type) return type.error();
  const std::string name = type->value_or("NO_MEMORY_EXPANSION");
  if (name == "NO_MEMORY_EXPANSION") return {};
  machine::AstraRemoteMemory memory;
  using Sharing = machine::AstraRemoteMemory::Sharing;
  if (name == "PER_NPU_MEMORY_EXPANSION") memory.sharing = Sharing::per_npu;
  else if (name == "PER_NODE_MEMORY_EXPANSION") memory.sharing = Sharing::per_node;
  else if (name == "MEMORY_POOL") memory.sharing = Sharing::pool;
  else {
    return file->error(
        fmt::format("memory-type is '{}'", name),
        "known are NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION, MEMORY_POOL");
  }
  const auto latency = file->integer("remote-mem-latency");
  if (!latency) return latency.error();
  memory.latency_ns = latency->value_or(0);
  const auto bandwidth = file->number("remote-mem-bw");
  if (!bandwidth) return bandwidth.error();
  memory.bytes_per_ns = bandwidth->value_or(0);
  const auto npus = file->integer("num-npus-per-node");
  if (!npus) return npus.error();
  const std::int64_t per_node = npus->value_or(1);
  if (memory.latency_ns < 0 || memory.bytes_per_ns <= 0)
    return file->error("remote-mem-bw must be above 0 and remote-mem-latency not negative");
  if (per_node < 1 || per_node > kMaxDevices)
    return file->error(fmt::format("num-npus-per-node must be from 1 to {}", kMaxDevices));
  memory.npus_per_node = static_cast<std::uint32_t>(per_node);
  system.remote_memory = memory;
  return {};
}

Result<std::vector<GroupInFile>> read_group_file(const std::string& path) {
  const Result<JsonFile> file = JsonFile::open(path);
  if (!file) return file.error();
  std::vector<GroupInFile> groups;
  std::unordered_set<std::string> names;
  for (const auto field : file->object()) {
    GroupInFile& group = groups.emplace_back(GroupInFile{std::string(field.key), {}});
    simdjson::dom::array ranks;
    if (group.name == "0") return file->error("group 0 is the world and cannot be redefined", "number groups from 1");
    if (field.value.get(ranks) != simdjson::SUCCESS)
      return file->error(fmt::format("group {} is not a list of ranks", group.name));
    std::unordered_set<std::uint64_t> seen;
    for (const simdjson::dom::element entry : ranks) {
      std::uint64_t rank = 0;
      if (entry.get(rank) != simdjson::SUCCESS || rank > std::numeric_limits<std::uint32_t>::max())
        return file->error(fmt::format("group {} has an entry that is not a rank", group.name));
      if (!seen.insert(rank).second) return file->error(fmt::format("group {} has rank {} twice", group.name, rank));
      group.ranks.push_back(static_cast<std::uint32_t>(rank));
    }
    if (group.ranks.empty()) return file->error(fmt::format("group {} has no ranks", group.name));
    if (!names.insert(group.name).second) return file->error(fmt::format("group {} is defined twice", group.name));
  }
  return groups;
}

Status read_groups(const std::string& path, workload::Workload& workload) {
  Result<std::vector<GroupInFile>> groups = read_group_file(path);
  if (!groups) return groups.error();
  for (GroupInFile& group : *groups) {
    for (const std::uint32_t rank : group.ranks) {
      if (rank < workload.rank_count()) continue;
      return Error{fmt::format("group {} has rank {}, but there are only {}", group.name, rank,
                               report::counted(workload.rank_count(), "rank")),
                   path};
    }
    const StringId name = workload.strings.intern(group.name);
    if (workload.find_group(name) != nullptr) return Error{fmt::format("group {} is defined twice", group.name), path};
    workload.groups.push_back({name, std::move(group.ranks)});
  }
  return {};
}

}  // namespace orrery::astra
