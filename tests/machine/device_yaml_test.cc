#include "machine/device/device_yaml.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace orrery::machine;

namespace {

const std::string kFolder = std::string(ORRERY_SOURCE_DIR) + "/data/devices";

std::string shipped_text(const std::string& name) {
  std::ifstream file(kFolder + "/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& yaml) {
  const auto device = parse_device(yaml, "d.yaml");
  return device ? "" : device.error().to_string();
}

}  // namespace

TEST_CASE("every shipped device can be read, and has a name of its own") {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.is_directory()) continue;  // of tables
    const auto device = read_device(entry.path().string());
    REQUIRE_MESSAGE(device.ok(), (device ? "" : device.error().to_string()));
    names.push_back(device->name);
  }
  CHECK(names.size() >= 14);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("a datasheet alone is a device, and tables lie beside its file") {
  std::string text = shipped_text("l40s");
  const auto device = parse_device(text, "d.yaml");
  REQUIRE_MESSAGE(device.ok(), (device ? "" : device.error().to_string()));
  CHECK_FALSE(device->has_constants());
  CHECK(device->tables == "l40s/");
  CHECK(device->tables_folder.empty());
  CHECK(read_device(kFolder + "/l40s.yaml")->tables_folder == kFolder + "/l40s/");
  CHECK(error_of(replaced(text, "l40s/", "../l40s/")).find("tables must be a folder beside the file") !=
        std::string::npos);
}

TEST_CASE("figures arrive in the units of the model") {
  const auto h200 = read_device(kFolder + "/h200.yaml");
  REQUIRE(h200);
  CHECK(h200->peak_flops(DataType::bf16) == 989e12);
  CHECK(h200->memory_bytes_per_s() == 4.8e12);
  CHECK(h200->memory_bytes() == 150.1e9);  // what programs see, not the 141 of the data sheet
  CHECK(h200->cache_bytes() == 50e6);
  REQUIRE(h200->standalone);
  CHECK(h200->standalone->softmax.algorithms.size() == 3);
  CHECK_FALSE(read_device(kFolder + "/h100.yaml")->standalone);
}

TEST_CASE("every figure of a shipped device names a source that the file explains") {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.is_directory()) continue;
    std::ifstream file(entry.path());
    std::vector<std::string> sources;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#   [")) sources.push_back(line.substr(4, line.find(']') - 3));
      const std::string key = line.substr(0, line.find(':'));
      const bool figure = !line.empty() && line[0] != '#' && line[0] != ' ';
      if (!figure || key == "format" || key == "name" || key == "aliases" || key == "generation") continue;
      const auto named = [&](const std::string& source) {
        return line.find("# ") != std::string::npos && line.find(source) != std::string::npos;
      };
      CHECK_MESSAGE(std::any_of(sources.begin(), sources.end(), named), entry.path().filename().string()
                                                                            << ": " << line);
    }
  }
}

TEST_CASE("a format without matrix units is computed outside of them") {
  const auto h100 = read_device(kFolder + "/h100.yaml");
  REQUIRE(h100);
  CHECK(h100->peak_flops(DataType::fp32) == 67e12);
  CHECK(h100->peak_flops(DataType::tf32) == 494.7e12);
  CHECK(h100->peak_flops(DataType::fp4) == 0);
}

TEST_CASE("a device is written as it was read, and comments stand behind the lines they are for") {
  const auto h200 = read_device(kFolder + "/h200.yaml");
  REQUIRE(h200);
  const std::string text = to_yaml(*h200, [](const std::string& path) {
    return path == "gemm.wave_share" ? std::string("[calibrated]") : std::string();
  });
  CHECK(text.find("wave_share: 0.65  # [calibrated]\n") != std::string::npos);
  const auto again = parse_device(text, "again.yaml");
  REQUIRE_MESSAGE(again.ok(), (again ? "" : again.error().to_string()));
  CHECK(to_yaml(*again, [](const std::string&) { return std::string(); }) ==
        to_yaml(*h200, [](const std::string&) { return std::string(); }));
  CHECK(again->matrix_peak_tflops == h200->matrix_peak_tflops);
  CHECK(again->standalone->softmax.algorithms.size() == 3);
}

TEST_CASE("what is wrong is said with its line, and what was meant") {
  const std::string text = shipped_text("h100");
  CHECK(error_of(replaced(text, "wave_share", "wave_shar"))
            .find("unknown key 'wave_shar' in gemm (did you mean 'wave_share'?)") != std::string::npos);
  CHECK(error_of(replaced(text, "tile_efficiency: 1.23", "tile_efficiency: 0"))
            .find("gemm.tile_efficiency must be more than 0") != std::string::npos);
  CHECK(error_of(replaced(text, "compute_unit_count: 132", "compute_unit_count: 0"))
            .find("compute_unit_count must be at least 1") != std::string::npos);
  CHECK(error_of(replaced(text, "bf16: 989, ", "")).find("matrix_peak_tflops has no rate for bf16") !=
        std::string::npos);
  CHECK(error_of(replaced(text, "orrery.device/1", "orrery.machine/1")).find("format must be orrery.device/1") !=
        std::string::npos);
  CHECK(error_of("format: orrery.device/1\n").find("docs/formats/device.md") != std::string::npos);
}
