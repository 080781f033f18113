#include "machine/device/collective_lines.h"

#include <doctest/doctest.h>

#include <cmath>

#include "machine/device/collective_yaml.h"

using namespace orrery::machine;

namespace {

constexpr double kLink = 100e9;

/// One line of 10 us + 2 (n - 1) us + bytes at half the link's rate, with nothing local.
CollectiveLaw plain_law(NodeCollective op, std::string version = "2.27.3") {
  return {.op = op, .library = "nccl", .version = std::move(version), .lines = {{"LL", 10, 2, 0.5, 1e6}}};
}

CollectiveCall call_of(NodeCollective op, std::int64_t ranks, double bytes, double element_bytes = 2) {
  return {.op = op, .ranks = ranks, .bytes = bytes, .element_bytes = element_bytes};
}

}  // namespace

TEST_CASE("a line has latencies per rank, and bytes by what crosses the link of a rank") {
  const CollectiveLaw reduce = plain_law(NodeCollective::all_reduce), gather = plain_law(NodeCollective::all_gather);
  // 1 MB at 50 GB/s are 20 us, of which an all-reduce of 4 sends 2 * 3/4 and an all-gather 3/4.
  CHECK(line_us(reduce, 4, 1e6, kLink) == doctest::Approx(10 + 6 + 30));
  CHECK(line_us(gather, 4, 1e6, kLink) == doctest::Approx(10 + 6 + 15));
  CHECK(line_us(gather, 4, 1e6, 2 * kLink) == doctest::Approx(10 + 6 + 7.5));
}

TEST_CASE("the smallest line counts, and says which it is; where two meet both do") {
  CollectiveLaw law = plain_law(NodeCollective::all_gather);
  law.lines.push_back({"Simple", 40, 0, 5, 1e6});
  const CollectiveCall small = call_of(NodeCollective::all_gather, 2, 1024);
  const CollectiveCall large = call_of(NodeCollective::all_gather, 2, 1 << 30);
  CHECK(price(law, small, kLink).protocol == "LL");
  CHECK(price(law, large, kLink).protocol == "Simple");
  // 12 + B/100 and 40 + B/1000 in nanoseconds per byte meet at 40/9 * 0.7 MB.
  const double meet = 28e-6 / (0.5 / (0.5 * kLink) - 0.5 / (5 * kLink));
  const double each = 12 + meet * 0.5 / (0.5 * kLink) * 1e6;
  CHECK(line_us(law, 2, meet, kLink) == doctest::Approx(each * std::pow(2, -1.0 / 16)));
}

TEST_CASE("corrections are those of the nearest ranks in logarithms, by the width of elements") {
  CollectiveLaw law = plain_law(NodeCollective::all_reduce);
  law.corrections = {
      {2, 1, {1024, 4096}, {700, 700}}, {2, 2, {1024, 4096}, {0, 200}}, {8, 2, {1024, 4096}, {400, 600}}};
  const auto ratio = [&](std::int64_t ranks, double bytes, double width) {
    const CollectiveCall call = call_of(NodeCollective::all_reduce, ranks, bytes, width);
    return std::log(price(law, call, kLink).us / line_us(law, static_cast<double>(ranks), bytes, kLink));
  };
  CHECK(ratio(2, 1024, 2) == doctest::Approx(0).epsilon(1e-6));
  CHECK(ratio(4, 1024, 2) == doctest::Approx(0.2));   // between 2 and 8 ranks
  CHECK(ratio(16, 4096, 4) == doctest::Approx(0.6));  // outside: the nearest
  CHECK(ratio(2, 1024, 1) == doctest::Approx(0.7));
}

TEST_CASE("between sizes that were measured time grows with the bytes, and bulges by a part of the lines' bend") {
  CollectiveLaw law = plain_law(NodeCollective::all_gather);
  law.corrections = {{2, 0, {1024, 4096}, {300, 900}}};
  const auto us = [&](double bytes) { return price(law, call_of(NodeCollective::all_gather, 2, bytes), kLink).us; };
  // One line has no bend: 2048 is a third of the way.
  CHECK(us(2048) == doctest::Approx(us(1024) + (us(4096) - us(1024)) / 3));
  law.lines.push_back({"Simple", 40, 0, 5, 1e6});
  law.corrections = {{2, 0, {1 << 20, 1 << 24}, {0, 0}}};
  const double between = 1 << 22, share = 0.2;
  const auto lines = [&](double bytes) { return line_us(law, 2, bytes, kLink); };
  const double chord = std::lerp(lines(1 << 20), lines(1 << 24), share);
  CHECK(us(between) > chord);
  CHECK(us(between) == doctest::Approx(std::lerp(chord, lines(between), 1.0 / 3)));
}

TEST_CASE("a longer message never takes less, however corrections fall") {
  CollectiveLaw law = plain_law(NodeCollective::all_to_all);
  law.corrections = {{2, 0, {1024, 4096, 16384}, {900, 0, 300}}};
  double before = 0;
  for (int i = 0; i < 4000; ++i) {
    const double us = price(law, call_of(NodeCollective::all_to_all, 2, std::exp2(i / 100.0)), kLink).us;
    REQUIRE(us >= before);
    before = us;
  }
}

TEST_CASE("the law of a version is the nearest one, of two the newer, the latest where none is named") {
  CollectiveLines lines;
  for (const char* version : {"2.23", "2.27.3", "2.27.5", "2.29.2"})
    lines.laws.push_back(plain_law(NodeCollective::all_reduce, version));
  const auto nearest = [&](std::string_view library, std::string_view version) {
    return nearest_law(lines, NodeCollective::all_reduce, library, version)->version;
  };
  CHECK(nearest("nccl", "2.27.5") == "2.27.5");
  CHECK(nearest("nccl", "2.27.4") == "2.27.5");
  CHECK(nearest("nccl", "2.24.1") == "2.23");
  CHECK(nearest("nccl", "3.0") == "2.29.2");
  CHECK(nearest("", "") == "2.29.2");
  CHECK(nearest("rccl", "") == "2.29.2");
  CHECK(nearest_law(lines, NodeCollective::all_gather, "nccl", "") == nullptr);
}

TEST_CASE("across nodes a port carries one part in the devices of a node") {
  CollectiveLines lines;
  for (const NodeCollective op : {NodeCollective::all_reduce, NodeCollective::reduce_scatter,
                                  NodeCollective::all_gather, NodeCollective::all_to_all})
    lines.laws.push_back(plain_law(op));
  const RailLink rail{.bytes_per_s = 50e9, .latency_us = 5};
  const auto sum = rail_price(lines, call_of(NodeCollective::all_reduce, 32, 8e8), 4, kLink, rail);
  REQUIRE(sum);
  // Of 800 MB each of 8 rails adds up 100 MB over 4 nodes: 2 * 3/4 of it at 50 GB/s, and six messages.
  CHECK(sum->us - sum->inside_us == doctest::Approx(6 * 5 + 1.5 * 1e8 / 50e9 * 1e6));
  CHECK(sum->protocol == "LL");
  // Tokens for other nodes leave each device by its own port.
  const auto exchange = rail_price(lines, call_of(NodeCollective::all_to_all, 32, 8e8), 4, kLink, rail);
  CHECK(exchange->us - exchange->inside_us == doctest::Approx(3 * 5 + 0.75 * 8e8 / 50e9 * 1e6));
  const auto lone = rail_price({}, call_of(NodeCollective::all_reduce, 4, 1e6), 4, kLink, rail);
  REQUIRE(lone);
  CHECK(lone->protocol == "rails");
  CHECK_FALSE(rail_price({}, call_of(NodeCollective::all_reduce, 8, 1e6), 4, kLink, rail));
}

TEST_CASE("an interval is that of the band of sizes, and wider for what was not measured itself") {
  CollectiveLines lines;
  CHECK_FALSE(interval(lines, 1024, 10, 1));
  lines.accuracy = {{1 << 20, 30, 0.9, 1.1, 4}, {1 << 30, 30, 0.5, 2, 20}};
  CHECK(interval(lines, 1 << 20, 10, 1)->high_us == doctest::Approx(11));
  CHECK(interval(lines, 1e15, 10, 1)->low_us == doctest::Approx(5));
  CHECK(interval(lines, 1e15, 10, 2)->low_us == doctest::Approx(2.5));
}

TEST_CASE("collectives are written as they are read, and a file that contradicts itself is refused") {
  CollectiveLines lines{.source = "a test", .laws = {plain_law(NodeCollective::all_reduce)}};
  lines.laws[0].corrections = {{8, 2, {1024, 4096}, {-5, 7}}};
  lines.accuracy = {{4096, 24, 0.9, 1.2, 5.5}};
  const std::string text = to_yaml(lines);
  const auto read = parse_collectives(text, "c.yaml");
  REQUIRE_MESSAGE(read.ok(), (read ? "" : read.error().to_string()));
  CHECK(*read == lines);
  lines.laws[0].corrections[0].per_mille.pop_back();
  const auto uneven = parse_collectives(to_yaml(lines), "c.yaml");
  REQUIRE_FALSE(uneven);
  CHECK(uneven.error().to_string().find("corrections[0].per_mille has 1 entries, and bytes has 2") !=
        std::string::npos);
  lines.laws[0].corrections[0] = {8, 2, {4096, 4096}, {1, 1}};
  CHECK_FALSE(parse_collectives(to_yaml(lines), "c.yaml"));
  CHECK_FALSE(parse_collectives("format: orrery.collectives/1\nsource: \"x\"\nlaws: []\n", "c.yaml"));
}
