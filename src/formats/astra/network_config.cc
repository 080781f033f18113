#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "formats/astra/config.h"
#include "machine/yaml/yaml_tree.h"

// Four lists of one length, an entry per dimension. Unknown keys are errors, told with the nearest known one.

namespace orrery::astra {
namespace {

using machine::AstraDimension;
using machine::YamlNode;

constexpr std::array<std::string_view, 4> kKeys = {"topology", "npus_count", "bandwidth", "latency"};

class NetworkReader {
 public:
  NetworkReader(const std::string& path, const YamlNode& root) : path_(path), root_(root) {}

  Result<std::vector<AstraDimension>> read() {
    for (const YamlNode& member : root_.children) {
      if (std::find(kKeys.begin(), kKeys.end(), member.key) != kKeys.end()) continue;
      const std::string_view meant = nearest_word(member.key, kKeys);
      return machine::yaml_error(path_, member.key_line, fmt::format("unknown key '{}'", member.key),
                                 meant.empty() ? "" : fmt::format("did you mean '{}'?", meant));
    }
    const YamlNode* const topologies = root_.find("topology");
    if (topologies == nullptr || topologies->children.empty())
      return Error{"there is no list of topologies", path_, Error::kNoOffset, "topology: [ Ring ]"};
    dimensions_.resize(topologies->children.size());
    for (const auto& read_list : {&NetworkReader::read_topology, &NetworkReader::read_npus,
                                  &NetworkReader::read_bandwidth, &NetworkReader::read_latency}) {
      if (const Status status = (this->*read_list)(); !status) return status.error();
    }
    std::uint64_t npus = 1;
    for (const AstraDimension& dimension : dimensions_) {
      npus *= dimension.npus;
      // After each factor, so that the product cannot overflow.
      if (npus > kMaxDevices) return Error{fmt::format("more than {} NPUs", kMaxDevices), path_};
    }
    return dimensions_;
  }

 private:
  template <typename Take>
  Status read_list(std::string_view key, Take take) {
    const YamlNode* const list = root_.find(key);
    if (list == nullptr)
      return Error{fmt::format("there is no '{}'", key), path_, Error::kNoOffset,
                   "it is a list with one entry per dimension"};
    if (list->children.size() != dimensions_.size()) {
      return machine::yaml_error(
          path_, list->line,
          fmt::format("{} has {} entries, topology {}", key, list->children.size(), dimensions_.size()));
    }
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      const std::string problem = take(list->children[i].text, dimensions_[i]);
      if (!problem.empty())
        return machine::yaml_error(path_, list->children[i].line, fmt::format("{}[{}] {}", key, i, problem));
    }
    return {};
  }

  template <typename Accept>
  Status read_numbers(std::string_view key, const char* range, Accept accept) {
    return read_list(key, [&](const std::string& text, AstraDimension& dimension) {
      const auto value = parse_finite(text);
      if (!value) return fmt::format("is not a number: {}", text);
      return accept(*value, dimension) ? std::string() : fmt::format("is {}, but must be {}", text, range);
    });
  }

  Status read_topology() {
    return read_list("topology", [&](const std::string& text, AstraDimension& dimension) {
      const auto& names = machine::kAstraTopologyNames;
      const auto* const found = std::find(names.begin(), names.end(), text);
      if (found == names.end()) return fmt::format("is '{}', but must be one of Ring, FullyConnected, Switch", text);
      dimension.topology = static_cast<machine::AstraTopology>(found - names.begin());
      return std::string();
    });
  }
  Status read_npus() {
    return read_numbers("npus_count", "a whole number above 1", [](double value, AstraDimension& dimension) {
      dimension.npus = static_cast<std::uint32_t>(value);
      return value > 1 && value <= static_cast<double>(kMaxDevices) && value == std::floor(value);
    });
  }
  Status read_bandwidth() {
    return read_numbers("bandwidth", "above 0", [](double value, AstraDimension& dimension) {
      return dimension.bandwidth_gib_per_s = value, value > 0;
    });
  }
  Status read_latency() {
    return read_numbers("latency", "0 or more", [](double value, AstraDimension& dimension) {
      return dimension.latency_ns = value, value >= 0;
    });
  }

  const std::string& path_;
  const YamlNode& root_;
  std::vector<AstraDimension> dimensions_;
};

}  // namespace

Result<std::vector<AstraDimension>> read_network(const std::string& path) {
  const Result<std::string> text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  const Result<YamlNode> root = machine::parse_yaml(*text, path);
  if (!root) return root.error();
  return NetworkReader(path, *root).read();
}

}  // namespace orrery::astra
