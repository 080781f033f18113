#include "machine/yaml/machine_yaml.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/utf8.h"
#include "machine/topology/network.h"
#include "machine/yaml/machine_rules.h"

using namespace orrery::machine;

namespace {

const std::string kPair = R"(format: orrery.machine/1
name: "pair"
devices:
  count: 2
  name: "chip"
  compute_unit_count: 108
  matrix_peak_tflops:
    bf16: 312
  launch_latency_us: 4.5
  memory:
    - name: "HBM"
      capacity_gb: 80
      bandwidth_gb_per_s: 2039
network:
  - name: "link"
    topology: fully_connected
    size: 2
    bandwidth_gb_per_s: 300
    latency_ns: 700
)";

/// The error for kPair with `from` replaced by `to`.
std::string error_of(const std::string& from, const std::string& to) {
  std::string text = kPair;
  const auto position = text.find(from);
  REQUIRE(position != std::string::npos);
  text.replace(position, from.size(), to);
  const auto machine = parse_machine(text, "m.yaml");
  return machine.ok() ? "ok" : machine.error().to_string();
}

std::string random_name() {
  std::string name;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    const unsigned code_point = *rc::gen::oneOf(rc::gen::inRange(0x20u, 0x7fu), rc::gen::inRange(0x80u, 0xd800u),
                                                rc::gen::inRange(0xe000u, 0x110000u));
    orrery::append_utf8(name, code_point);
  }
  return name;
}

double random_rate() {
  return *rc::gen::oneOf(rc::gen::map(rc::gen::inRange(1, 1'000'000), [](int n) { return n / 1024.0; }),
                         rc::gen::map(rc::gen::positive<int>(), [](int n) { return 1.0 / n; }));
}

std::optional<double> maybe_rate() { return *rc::gen::arbitrary<bool>() ? std::optional(random_rate()) : std::nullopt; }

Machine random_machine() {
  Machine machine{.name = random_name(), .devices = {.name = random_name()}};
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const auto size = *rc::gen::inRange<std::int64_t>(2, 20);
    machine.devices.count *= size;
    machine.network.push_back(
        {random_name(), static_cast<Topology>(*rc::gen::inRange(0, 3)), size, random_rate(), maybe_rate()});
  }
  for (std::size_t i = 0; i < kDataTypeNames.size(); ++i) {
    machine.devices.matrix_peak_tflops.by_type[i] = maybe_rate();
    machine.devices.vector_peak_tflops.by_type[i] = maybe_rate();
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    machine.devices.memory.push_back({random_name(), random_rate(), maybe_rate(), maybe_rate()});
  machine.devices.launch_latency_us = maybe_rate();
  return machine;
}

}  // namespace

TEST_CASE("a description becomes a Machine") {
  const auto machine = parse_machine(kPair, "m.yaml");
  REQUIRE_MESSAGE(machine.ok(), machine.error().to_string());
  CHECK(machine->name == "pair");
  CHECK(machine->devices.count == 2);
  CHECK(machine->devices.compute_unit_count == 108);
  CHECK(machine->devices.matrix_peak_tflops[DataType::bf16] == 312);
  CHECK_FALSE(machine->devices.matrix_peak_tflops[DataType::fp8].has_value());
  CHECK(machine->devices.launch_latency_us == 4.5);
  CHECK(machine->devices.memory.at(0).bandwidth_gb_per_s == 2039);
  CHECK(machine->network.at(0).topology == Topology::fully_connected);
  CHECK(machine->network.at(0).latency_ns == 700);
  CHECK(to_yaml(*machine) == kPair);
}

TEST_CASE("unknown keys name the nearest known one, and a missing unit is recognised") {
  CHECK(error_of("bandwidth_gb_per_s: 300", "bandwidth: 300") ==
        "m.yaml: line 18: unknown key 'bandwidth' in network[0] (did you mean 'bandwidth_gb_per_s'? Units are part of "
        "the name)");
  CHECK(error_of("topology:", "topolgy:") ==
        "m.yaml: line 16: unknown key 'topolgy' in network[0] (did you mean 'topology'?)");
  CHECK(error_of("    bf16: 312", "    bf61: 312") ==
        "m.yaml: line 8: unknown key 'bf61' in devices.matrix_peak_tflops (did you mean 'bf16'?)");
  CHECK(error_of("name: \"pair\"", "name: \"pair\"\ncolour: red") ==
        "m.yaml: line 3: unknown key 'colour' in the machine (known keys: format, name, devices, network, routing, "
        "faults, "
        "communication)");
}

TEST_CASE("missing fields are named with their place") {
  CHECK(error_of("    size: 2\n", "") ==
        "m.yaml: line 15: network[0] has no 'size' (docs/formats/machine.md lists the fields)");
  CHECK(error_of("format: orrery.machine/1\n", "").starts_with("m.yaml: line 1: the machine has no 'format'"));
  CHECK(error_of("orrery.machine/1", "orrery.machine/2") ==
        "m.yaml: line 1: format must be orrery.machine/1, found 'orrery.machine/2'");
  CHECK(parse_machine("[]", "m.yaml").error().to_string() ==
        "m.yaml: line 1: the machine must be a mapping, found a list");
  CHECK(parse_machine("hello", "m.yaml").error().to_string() ==
        "m.yaml: line 1: the machine must be a mapping, found 'hello'");
  CHECK(parse_machine("", "m.yaml").error().to_string() == "m.yaml: is empty");
}

TEST_CASE("wrong types are named with what was found") {
  CHECK(error_of("300", "300 GB/s") ==
        "m.yaml: line 18: network[0].bandwidth_gb_per_s must be a number, found '300 GB/s' (write the number alone: "
        "the unit is part of "
        "the key)");
  CHECK(error_of("300", "\"300\"") ==
        "m.yaml: line 18: network[0].bandwidth_gb_per_s must be a number, found the text '300'");
  CHECK(error_of("300", ".inf") == "m.yaml: line 18: network[0].bandwidth_gb_per_s must be a number, found '.inf'");
  CHECK(error_of("300", "nan") == "m.yaml: line 18: network[0].bandwidth_gb_per_s must be a number, found 'nan'");
  CHECK(error_of("300", "1e999") == "m.yaml: line 18: network[0].bandwidth_gb_per_s must be a number, found '1e999'");
  CHECK(error_of("300", "") == "m.yaml: line 18: network[0].bandwidth_gb_per_s must be a number, found nothing");
  CHECK(error_of("count: 2", "count: 2.5") == "m.yaml: line 4: devices.count must be a whole number, found '2.5'");
  CHECK(error_of("count: 2", "count: 99999999999999999999") ==
        "m.yaml: line 4: devices.count must be a whole number, found '99999999999999999999'");
  CHECK(error_of("fully_connected", "hypercube") ==
        "m.yaml: line 16: network[0].topology must be one of ring, fully_connected, switch, mesh, torus, fat_tree, "
        "leaf_spine, dragonfly, "
        "rails, links, found 'hypercube'");
  CHECK(error_of("fully_connected", "fully_conected")
            .ends_with("found 'fully_conected' (did you mean 'fully_connected'?)"));
  CHECK(error_of("  name: \"chip\"", "  name: [chip]") == "m.yaml: line 5: devices.name must be text, found a list");
  CHECK(error_of("    bf16: 312", "    - 312") ==
        "m.yaml: line 8: devices.matrix_peak_tflops must be a mapping, found a list");
}

TEST_CASE("values out of range are named with their line") {
  CHECK(error_of("300", "0") ==
        "m.yaml: line 18: network[0].bandwidth_gb_per_s must be more than 0 and at most 1000000000, and is 0");
  CHECK(error_of("latency_ns: 700", "latency_ns: -1")
            .starts_with("m.yaml: line 19: network[0].latency_ns must be at least 0"));
  CHECK(error_of("count: 2", "count: 3") ==
        "m.yaml: line 14: network has places for 2 devices, but devices.count is 3 (the sizes of the dimensions "
        "multiply to the number of "
        "devices; a single device has no network)");
  CHECK(error_of("\"pair\"", "\"\"") == "m.yaml: line 2: name must not be empty");
}

TEST_CASE("each topology has its own fields, and what they make must fit together") {
  const auto error_with = [](const std::string& dimension) {
    return error_of(
        "  - name: \"link\"\n    topology: fully_connected\n    size: 2\n    bandwidth_gb_per_s: 300\n    latency_ns: "
        "700\n",
        "  - {name: n, bandwidth_gb_per_s: 1, " + dimension + "}\n");
  };
  CHECK(error_with("topology: torus, shape: [2]") == "ok");
  CHECK(error_with("topology: torus, shape: [2], size: 2") == "ok");
  CHECK(error_with("topology: torus, shape: [2], size: 4") ==
        "m.yaml: line 15: network[0].size is 4, but the fields above it make 2");
  CHECK(error_with("topology: torus, shape: [2], size: 0") ==
        "m.yaml: line 15: network[0].size is 0, but the fields above it make 2");
  CHECK(error_with("topology: torus, shape: []")
            .starts_with("m.yaml: line 15: network[0].shape must have 1 to 20 entries"));
  CHECK(error_with("topology: torus, shape: 2") ==
        "m.yaml: line 15: network[0].shape must be a list of whole numbers, found '2'");
  CHECK(error_with("topology: torus, shape: [2, x]") ==
        "m.yaml: line 15: network[0].shape[1] must be a whole number, found 'x'");
  CHECK(error_with("topology: torus, shape: [2, 0]").find("network[0].shape[1] must be at least 1") !=
        std::string::npos);
  CHECK(error_with("topology: mesh, shape: [1048576, 1048576]") ==
        "m.yaml: line 15: network[0].size must be at least 2 and at most 1048576, and is 1099511627776");
  CHECK(error_with("topology: torus, size: 2") ==
        "m.yaml: line 15: network[0] has no 'shape' (docs/formats/machine.md lists the fields)");
  CHECK(error_with("topology: ring, size: 2, shape: [2]").find("unknown key 'shape' in network[0]") !=
        std::string::npos);
  CHECK(error_with("topology: ring, size: 2, derate: 0") ==
        "m.yaml: line 15: network[0].derate must be more than 0 and at most 1, and is 0");
  CHECK(error_with("topology: ring, size: 2, derte: 0.5") ==
        "m.yaml: line 15: unknown key 'derte' in network[0] (did you mean 'derate'?)");
  CHECK(error_with("topology: fat_tree").find("network[0] has no 'levels'") != std::string::npos);
  CHECK(error_with("topology: fat_tree, levels: []") ==
        "m.yaml: line 15: network[0].size must be at least 2 and at most 1048576, and is 1");
  CHECK(error_with("topology: fat_tree, levels: [{children: 2, childs: 3}]")
            .find("unknown key 'childs' in network[0].levels[0]") != std::string::npos);
  CHECK(error_with("topology: leaf_spine, size: 2, leaf_size: 3, spine_count: 1") ==
        "m.yaml: line 15: network[0].leaf_size is 3, which does not divide the size 2");
  CHECK(error_with("topology: dragonfly, groups: 2, routers_per_chassis: 1, devices_per_router: 1")
            .find("network[0].groups is 2, but") != std::string::npos);
  CHECK(error_with("topology: rails, size: 2, spine_count: 1").find("unknown key 'spine_count'") != std::string::npos);
  CHECK(error_with("topology: rails, size: 2, cross_rail: spine").find("network[0] has no 'spine_count'") !=
        std::string::npos);
}

TEST_CASE("explicit links must name devices of the dimension and connect them") {
  const auto error_with = [](const std::string& links) {
    return error_of("    topology: fully_connected\n    size: 2\n",
                    "    topology: links\n    size: 2\n    links:\n" + links);
  };
  CHECK(error_with("      - {from: device0, to: device1}\n") == "ok");
  CHECK(error_with("      - {from: device0, to: hub}\n      - {from: hub, to: device1}\n") == "ok");
  CHECK(error_with("      - {from: device0, to: hub}\n      - {from: hub, to: hub}\n") ==
        "m.yaml: line 20: network[0].links[1] leads from hub to itself");
  CHECK(error_with("      - {from: device0, to: device2}\n") ==
        "m.yaml: line 19: network[0].links[0] names device2, but the dimension has only device0 to device1");
  CHECK(error_with("      - {from: device0, to: hub}\n") ==
        "m.yaml: line 18: network[0].links do not connect all devices: there is no way from device0 to device1");
  CHECK(error_with("      - {from: device0, to: device1, direction: forward}\n")
            .ends_with("there is no way from device1 to device0"));
}

TEST_CASE("routing, faults and communication") {
  const auto error_with = [](const std::string& more) { return error_of("network:", more + "\nnetwork:"); };
  CHECK(error_with("routing: adaptive") == "ok");
  CHECK(error_with("routing: adaptiv") ==
        "m.yaml: line 14: routing must be one of shortest, dimension_ordered, ecmp, adaptive, found 'adaptiv' (did you "
        "mean 'adaptive'?)");
  CHECK(error_with("faults: [{from: device0, to: device1}]").find("faults[0] has no 'derate'") != std::string::npos);
  CHECK(error_with("faults: [{from: device0, to: device1, derate: 2}]")
            .find("faults[0].derate must be at least 0 and at most 1") != std::string::npos);
  CHECK(error_with("communication: {}") == "ok");
  CHECK(error_with("communication: {loggops: {latency_ns: 1}, collective_algorithm: auto, stream_count: 2}") == "ok");
  CHECK(error_with("communication: {network_model: astra-sidecar, astra_sim: {binary: /opt/astra, timeout_s: 5}}") ==
        "ok");
  CHECK(error_with("communication: {astra_sim: {timeout_s: 5}}") != "ok");
  CHECK(error_with("communication: {launch_overhead: 1}")
            .ends_with("(did you mean 'launch_overhead_us'? Units are part of the name)"));
  CHECK(error_with("communication: {network_model: fluidic}").ends_with("found 'fluidic' (did you mean 'fluid'?)"));
}

TEST_CASE("files: round trip, absence, size") {
  const auto machine = parse_machine(kPair, "m.yaml");
  REQUIRE(machine.ok());
  const auto path = (std::filesystem::temp_directory_path() / "orrery_machine_yaml_test.yaml").string();
  REQUIRE(write_machine(*machine, path).ok());
  const auto again = read_machine(path);
  std::filesystem::remove(path);
  REQUIRE_MESSAGE(again.ok(), again.error().to_string());
  CHECK(*again == *machine);

  CHECK_FALSE(read_machine(path).ok());
  Machine bad = *machine;
  bad.devices.count = 5;
  CHECK_FALSE(write_machine(bad, path).ok());
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("the shipped machines load, and say what their files say") {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ORRERY_SOURCE_DIR "/data/machines")) {
    const auto machine = read_machine(entry.path().string());
    REQUIRE_MESSAGE(machine.ok(), machine.error().to_string());
    CHECK(parse_machine(to_yaml(*machine), "again").value() == *machine);
    const auto network = Network::build(*machine);
    CHECK_MESSAGE(network.ok(), network.error().to_string());
    ++seen;
  }
  CHECK(seen >= 6);
  const auto h200 = read_machine(ORRERY_SOURCE_DIR "/data/machines/hgx_h200.yaml");
  CHECK(h200->devices.count == 8);
  CHECK(h200->devices.memory.at(0).bandwidth_gb_per_s == 4800);
  CHECK(h200->devices.matrix_peak_tflops[DataType::bf16] == 989.5);
  CHECK(h200->network.at(0).topology == Topology::switched);
  const auto tpu = read_machine(ORRERY_SOURCE_DIR "/data/machines/tpu_v4_pod.yaml");
  CHECK(tpu->network.at(0).size == 4096);
}

TEST_CASE("the examples in the documentation are sound machines and networks") {
  const auto document = orrery::read_whole_file(ORRERY_SOURCE_DIR "/docs/formats/machine.md", 1 << 20);
  REQUIRE(document.ok());
  const std::string fence = "```yaml\n";
  const std::string size_comment = "# ";  // of an example that is only a network: how many devices it connects
  int seen = 0;
  for (auto begin = document->find(fence); begin != std::string::npos; begin = document->find(fence, begin)) {
    begin += fence.size();
    std::string text = document->substr(begin, document->find("```", begin) - begin);
    if (text.starts_with(size_comment)) {
      const std::string count = text.substr(size_comment.size(), text.find(" devices") - size_comment.size());
      text = "format: orrery.machine/1\nname: m\ndevices: {count: " + count + ", name: d}\nnetwork:\n" + text;
    }
    const auto machine = parse_machine(text, "machine.md");
    REQUIRE_MESSAGE(machine.ok(), (machine.error().to_string() + "\n" + text));
    const auto network = Network::build(*machine);
    CHECK_MESSAGE(network.ok(), (network.error().to_string() + "\n" + text));
    ++seen;
  }
  CHECK(seen == 9);
}

TEST_CASE("property: writing and reading back changes nothing") {
  CHECK(rc::check("any sound machine", [] {
    const Machine machine = random_machine();
    RC_PRE(!find_violation(machine));
    const auto again = parse_machine(to_yaml(machine), "again");
    if (!again.ok()) RC_FAIL(again.error().to_string());
    RC_ASSERT(*again == machine);
  }));
}

TEST_CASE("property: a damaged description is read or refused with a file and a reason, and never crashes") {
  CHECK(rc::check("cut, duplicated and changed bytes", [] {
    std::string text = kPair;
    for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const auto length = std::min(*rc::gen::inRange<std::size_t>(0, 20), text.size() - at);
      switch (*rc::gen::inRange(0, 3)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, text.substr(at, length)); break;
        default:
          text[at] = *rc::gen::element(':', '-', ' ', '\n', '[', '{', '"', '&', '*', '!', '|', '0', 'e', '\t', '#');
          break;
      }
      if (text.empty()) break;
    }
    const auto machine = parse_machine(text, "m.yaml");
    if (machine.ok()) RC_ASSERT(!find_violation(*machine));
    else RC_ASSERT(machine.error().file == "m.yaml" && !machine.error().message.empty());
  }));
}
