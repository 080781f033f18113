#include "machine/warm/kernel_tables.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "base/io/file_content.h"
#include "machine/device/device_yaml.h"
#include "machine/warm/borrowed_table.h"

using namespace orrery::machine;

namespace {

const std::string kTableFolder = std::string(ORRERY_SOURCE_DIR) + "/data/devices";

KernelTable one_table() {
  KernelTable table{.device = "D", .kind = WarmKind::gemm};
  FormatTable& format = table.formats.emplace_back();
  format.constants = usual_constants(WarmKind::gemm);
  format.layers = {ResidualTable({{"m", {1, 8}, 0}, {"n", {1, 8}, 1}, {"k", {1, 8}, 2}}),
                   ResidualTable({{"weights", {1, 64}, 3}})};
  format.layers[0].values()[0] = -7;
  format.layers[1].values()[0] = 3;
  format.add_measured({.m = 2, .n = 64, .k = 64});
  format.intervals = {{0, 0.99, 1.02}};
  format.unseen_intervals = {{0, 0.9, 1.2}, {50, 0.95, 1.1}};
  return table;
}

std::string refusal(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  const auto read = parse_kernel_table(text.replace(at, from.size(), to), "gemm.yaml", "D", WarmKind::gemm);
  return read ? "" : read.error().to_string();
}

}  // namespace

TEST_CASE("a table reads back as it was written") {
  const std::string text = to_yaml(one_table());
  const auto again = parse_kernel_table(text, "gemm.yaml", "D", WarmKind::gemm);
  REQUIRE_MESSAGE(again.ok(), (again ? "" : again.error().to_string()));
  CHECK(to_yaml(*again) == text);
  CHECK(again->formats[0].layers[0].values()[0] == -7);
  CHECK(again->formats[0].groups == std::set<std::vector<double>>{{64, 64}});
}

TEST_CASE("layers are added up") {
  const std::vector<double> first(4, 0.0);  // the logarithms of 1
  CHECK(one_table().formats[0].residual_at(first) == doctest::Approx(-0.04));
}

TEST_CASE("what was measured itself has intervals of its own") {
  const auto h100 = read_device(kTableFolder + "/h100.yaml");
  REQUIRE(h100);
  const KernelTable table = one_table();
  const auto high_ratio = [&](const WarmKernel& kernel, Kinship kinship) {
    const WarmPrice price = warm_price(*h100, borrowed(table, *h100, *h100, kinship).formats[0], kernel);
    return price.high_s / price.seconds;
  };
  CHECK(high_ratio({.m = 2, .n = 64, .k = 64}, Kinship::itself) == doctest::Approx(1.02));
  CHECK(high_ratio({.m = 3, .n = 64, .k = 64}, Kinship::itself) == doctest::Approx(1.2));
  CHECK(high_ratio({.m = 2, .n = 64, .k = 65}, Kinship::itself) == doctest::Approx(1.2));
  CHECK(high_ratio({.m = 2, .n = 64, .k = 64}, Kinship::same) == doctest::Approx(1.02));
  CHECK(high_ratio({.m = 2, .n = 64, .k = 64}, Kinship::distant) > 1.5);
}

TEST_CASE("on a relative intervals are as wide as what changes, and what was measured there stays narrower") {
  const auto h100 = read_device(kTableFolder + "/h100.yaml");
  REQUIRE(h100);
  Device faster = *h100;
  faster.memory.bandwidth_gb_per_s = 1.5 * *faster.memory.bandwidth_gb_per_s;
  const auto width = [&](const Device& device, const WarmKernel& kernel, Kinship kinship) {
    const WarmPrice price = warm_price(device, borrowed(one_table(), *h100, device, kinship).formats[0], kernel);
    return std::log(price.high_s / price.seconds);
  };
  const WarmKernel measured{.m = 2, .n = 64, .k = 64}, other{.m = 3, .n = 64, .k = 64};
  const WarmKernel streams{.m = 1, .n = 65536, .k = 65536};
  CHECK(width(*h100, measured, Kinship::close) > std::log(1.02));
  CHECK(width(*h100, other, Kinship::close) > width(*h100, measured, Kinship::close));
  CHECK(width(*h100, measured, Kinship::refreshed) > width(*h100, measured, Kinship::close));
  CHECK(width(faster, measured, Kinship::close) == doctest::Approx(width(*h100, measured, Kinship::close)));
  CHECK(width(faster, streams, Kinship::close) > 1.2 * width(*h100, streams, Kinship::close));
}

TEST_CASE("a kernel far from the bandwidth gains less from a faster memory") {
  const auto h100 = read_device(kTableFolder + "/h100.yaml");
  REQUIRE(h100);
  Device faster = *h100;
  faster.memory.bandwidth_gb_per_s = 1.5 * *faster.memory.bandwidth_gb_per_s;
  const auto gain = [&](double memory_share) {
    KernelTable table = one_table();
    std::get<WarmGemm>(table.formats[0].constants).memory_share = memory_share;
    const WarmKernel streams{.m = 1, .n = 65536, .k = 65536};
    return warm_price(*h100, table.formats[0], streams).seconds /
           warm_price(faster, borrowed(table, *h100, faster, Kinship::close).formats[0], streams).seconds;
  };
  CHECK(gain(0.95) == doctest::Approx(1.5).epsilon(0.02));
  CHECK(gain(0.5) < 1.2);
  CHECK(gain(0.2) < gain(0.5));
}

TEST_CASE("of a distant relative a part of the table is taken, and constants halfway to the usual ones") {
  KernelTable table = one_table();
  std::get<WarmGemm>(table.formats[0].constants).floor_us = 10;
  const auto h100 = read_device(kTableFolder + "/h100.yaml");
  REQUIRE(h100);
  const KernelTable distant = borrowed(table, *h100, *h100, Kinship::distant);
  const double residual = table.formats[0].layers[0].values()[0], taken = distant.formats[0].layers[0].values()[0];
  CHECK(std::abs(taken) < std::abs(residual));
  const auto floor_of = [](const KernelTable& of) { return std::get<WarmGemm>(of.formats[0].constants).floor_us; };
  CHECK(floor_of(distant) == doctest::Approx(std::sqrt(floor_of(table) * WarmGemm{}.floor_us)));
  CHECK(to_yaml(borrowed(table, *h100, *h100, Kinship::itself)) == to_yaml(table));
}

TEST_CASE("a damaged table is refused with its line") {
  const std::string text = to_yaml(one_table());
  CHECK(refusal(text, "\"-7 0", "\"-7").find("hundredths has 7 numbers, and the axes make 8") != std::string::npos);
  CHECK(refusal(text, "\"-7 0", "\"-7 x").find("gemm.yaml: line ") != std::string::npos);
  CHECK(refusal(text, "\"1 8\"", "\"8 1\"").find("ascending sizes") != std::string::npos);
  CHECK(refusal(text, "\"64 64\"", "\"64\"").find("numbers with blanks between them, 2 per group") !=
        std::string::npos);
  CHECK(refusal(text, "\"weights\"", "\"weight\"").find("must be one of m, n, k, weights") != std::string::npos);
  CHECK(refusal(text, "device: \"D\"", "device: \"E\"").find("is 'E', and the tables are those of 'D'") !=
        std::string::npos);
  CHECK(refusal(text, "kind: gemm", "kind: moe").find("must be gemm") != std::string::npos);
  CHECK(refusal(text, "low_ratio: 0.9\n", "low_ratio: 1.9\n").find("ends before it begins") != std::string::npos);
}

TEST_CASE("intervals go by the predicted time") {
  const auto h100 = read_device(kTableFolder + "/h100.yaml");
  REQUIRE(h100);
  const KernelTable table = one_table();
  const WarmKernel tiny{.m = 1, .n = 64, .k = 64}, large{.m = 4096, .n = 4096, .k = 4096};
  const WarmPrice short_time = warm_price(*h100, table.formats[0], tiny);
  const WarmPrice long_time = warm_price(*h100, table.formats[0], large);
  CHECK(short_time.high_s == doctest::Approx(1.2 * short_time.seconds));
  CHECK(long_time.high_s == doctest::Approx(1.1 * long_time.seconds));
  CHECK(short_time.bound == Bound::launch);
  CHECK(long_time.bound == Bound::compute);
}

TEST_CASE("every shipped table can be read, and a device with its tables stays small") {
  std::size_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTableFolder)) {
    if (entry.path().extension() != ".yaml") continue;
    const auto device = read_device(entry.path().string());
    REQUIRE(device);
    std::uintmax_t bytes = std::filesystem::file_size(entry.path());
    for (std::size_t kind = 0; kind < kWarmKindNames.size() && !device->tables_folder.empty(); ++kind) {
      const std::string path = device->tables_folder + "/" + table_file(static_cast<WarmKind>(kind));
      const auto text = orrery::read_whole_file(path, 1 << 20);
      REQUIRE(text);
      const auto read = parse_kernel_table(*text, path, device->name, static_cast<WarmKind>(kind));
      CHECK_MESSAGE(read.ok(), (read ? "" : read.error().to_string()));
      bytes += text->size();
      ++tables;
    }
    CHECK(bytes <= 200'000);
  }
  CHECK(tables == 36);
}
