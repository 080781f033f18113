#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>

#include "formats/chakra/reader.h"
#include "formats/chakra/schema.h"
#include "formats/chakra/writer.h"
#include "scrub/fuse.h"
#include "scrub/scrub.h"
#include "scrub/small_scrub.h"
#include "workload/program_builder.h"

namespace orrery::scrub {
namespace {

namespace field = chakra::attribute_field;
namespace node_field = chakra::node_field;
using protozero::pbf_writer;
using testing::fixed_key;
using testing::refusal;
using testing::scrub_text;

void add_message(std::string& file, const std::string& message) {
  protozero::add_varint_to_buffer(&file, message.size());
  file += message;
}

std::string metadata() {
  std::string message, attribute, secret;
  pbf_writer(attribute).add_string(field::name, "input_file");
  pbf_writer(attribute).add_string(field::string_val, "/home/me/secret.txt");
  pbf_writer writer(message);
  writer.add_string(1, "0.0.4");
  writer.add_message(2, attribute);
  std::string file;
  add_message(file, message);
  return file;
}

struct TestNode {
  std::uint64_t id = 0;
  chakra::NodeType type = chakra::NodeType::comp;
  std::uint64_t duration_us = 0;
  std::vector<std::uint64_t> needs = {};
  std::uint64_t start_us = 0;
  std::vector<std::pair<std::string, std::int64_t>> attributes = {};
};

std::string to_message(const TestNode& node) {
  std::string message;
  pbf_writer writer(message);
  writer.add_uint64(node_field::id, node.id);
  writer.add_string(node_field::name, "secret layer " + std::to_string(node.id));
  writer.add_enum(node_field::type, static_cast<std::int32_t>(node.type));
  writer.add_packed_uint64(node_field::data_deps, node.needs.begin(), node.needs.end());
  if (node.start_us != 0) writer.add_uint64(node_field::start_time_micros, node.start_us);
  writer.add_uint64(node_field::duration_micros, node.duration_us);
  std::string inputs;
  pbf_writer(inputs).add_string(1, "[[512, 1024]]");
  writer.add_message(8, inputs);
  for (const auto& [name, value] : node.attributes) {
    std::string attribute;
    pbf_writer(attribute).add_string(field::name, name);
    pbf_writer(attribute).add_int64(field::int64_val, value);
    writer.add_message(node_field::attr, attribute);
  }
  writer.add_string(77, "secret field");
  return message;
}

std::string to_file(const std::vector<TestNode>& nodes) {
  std::string file = metadata();
  for (const TestNode& node : nodes) add_message(file, to_message(node));
  return file;
}

workload::Program parse(const std::string& bytes, Interner& strings) {
  auto program = chakra::parse_protobuf(bytes, "test.et", strings);
  REQUIRE_MESSAGE(program.ok(), (program.ok() ? "" : program.error().to_string()));
  return std::move(*program);
}

TEST_CASE("a node keeps its place in the graph, its time and its sizes, and nothing else") {
  const orrery::testing::TempDir folder;
  const std::string path = folder.write(
      "secret.0.et", to_file({{0, chakra::NodeType::comp, 5, {}, 1'000'000'007},
                              {3,
                               chakra::NodeType::comm_coll,
                               7,
                               {0},
                               1'000'000'012,
                               {{"comm_type", 0}, {"comm_size", 1000}, {"is_cpu_op", 0}, {"secret", 1}}}}));
  const auto scrubbed = testing::scrub_files({path}, folder.path("out"));
  const std::string& bytes = scrubbed.outputs.front();
  CHECK(std::filesystem::path(scrubbed.paths.front()).filename() == "job.0.et");
  for (const char* gone : {"secret", "512", "home"}) CHECK(bytes.find(gone) == std::string::npos);
  Interner strings;
  const workload::Program program = parse(bytes, strings);
  REQUIRE(program.size() == 2);
  CHECK(program.ids[1] == 3);
  CHECK(program.duration_ps(0) == 5 * kPsPerUs);
  CHECK(program.duration_ps(1) == 7 * kPsPerUs);
  CHECK(program.bytes[1] == 1000);
  CHECK(program.starts_ps[1] - program.starts_ps[0] == 5 * kPsPerUs);
  CHECK(strings.text(program.names[0]) == "name.other." + to_hex(keyed_hash(fixed_key(), "secret layer 0")));
  CHECK(scrubbed.diagnostics.count(kUnknownMember) == 3);  // field 77 twice, and the attribute "secret"
}

TEST_CASE("an invalid file is refused, whatever byte is missing") {
  const std::string file = to_file({{0}, {1, chakra::NodeType::comp, 3, {0}}});
  CHECK(refusal(file).empty());
  std::size_t refused = 0;
  for (std::size_t size = 0; size < file.size(); ++size) refused += refusal(file.substr(0, size)).empty() ? 0u : 1u;
  CHECK(refused >= file.size() - 2);  // but for the ends of whole records
}

TEST_CASE("sizes and durations are coarsened on request, alike for equal files") {
  const std::string file =
      to_file({{0, chakra::NodeType::comm_coll, 100, {}, 0, {{"comm_type", 0}, {"comm_size", 1000}}}});
  const Settings coarse{.key = fixed_key(), .size_bits = 1, .jitter_ps = 10 * kPsPerUs};
  Interner strings;
  const workload::Program program = parse(scrub_text(file, coarse), strings);
  CHECK(program.bytes[0] == 1024);
  CHECK(std::abs(program.duration_ps(0) - 100 * kPsPerUs) <= 10 * kPsPerUs);
  CHECK(scrub_text(file, coarse) == scrub_text(file, coarse));
}

// When everything ends if each node starts as soon as what it needs has ended.
std::uint64_t span_of(const workload::Program& program) {
  std::vector<TimePs> end(program.size(), 0);
  TimePs span = 0;
  // Ids ascend along dependencies in these tests.
  const auto& graph = program.dependencies;
  for (graph::NodeId n = 0; n < program.size(); ++n) {
    TimePs start = 0;
    for (const auto slot : graph.incoming(n)) start = std::max(start, end[graph.source(slot)]);
    end[n] = start + program.duration_ps(n);
    span = std::max(span, end[n]);
  }
  return static_cast<std::uint64_t>(span / kPsPerUs);
}

TEST_CASE("a chain becomes one node that takes as long") {
  std::vector<TestNode> nodes;
  constexpr std::uint64_t kLength = 20'000;
  for (std::uint64_t i = 0; i < kLength; ++i)
    nodes.push_back({i,
                     chakra::NodeType::comp,
                     2,
                     i == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{i - 1},
                     0,
                     {{"num_ops", 3}}});
  Interner strings;
  const workload::Program program = parse(scrub_text(to_file(nodes), {.key = fixed_key(), .fuse = true}), strings);
  REQUIRE(program.size() == 1);
  CHECK(program.ids[0] == kLength - 1);
  CHECK(program.duration_ps(0) == 2 * kLength * kPsPerUs);
  CHECK(program.operations[0] == 3 * kLength);
}

TEST_CASE("nodes are not fused across streams, forks, joins and communication") {
  using Needs = std::vector<std::uint64_t>;
  const auto fused = [](const std::vector<TestNode>& nodes) {
    Interner strings;
    return parse(scrub_text(to_file(nodes), {.key = fixed_key(), .fuse = true}), strings).size();
  };
  CHECK(fused({{0}, {1, chakra::NodeType::comp, 1, Needs{0}}}) == 1);
  CHECK(fused({{0, chakra::NodeType::comp, 1, {}, 0, {{"stream", 7}}},
               {1, chakra::NodeType::comp, 1, Needs{0}, 0, {{"stream", 8}}}}) == 2);
  CHECK(fused({{0}, {1, chakra::NodeType::comp, 1, Needs{0}}, {2, chakra::NodeType::comp, 1, Needs{0}}}) == 3);
  CHECK(fused({{0}, {1}, {2, chakra::NodeType::comp, 1, Needs{0, 1}}}) == 3);
  CHECK(fused({{0},
               {1, chakra::NodeType::comm_coll, 1, Needs{0}, 0, {{"comm_type", 0}, {"comm_size", 8}}},
               {2, chakra::NodeType::comp, 1, Needs{1}}}) == 3);
}

TEST_CASE("fusing does not change when everything ends") {
  rc::check([] {
    const auto size = *rc::gen::inRange<std::uint64_t>(1, 30);
    std::vector<TestNode> nodes;
    for (std::uint64_t id = 0; id < size; ++id) {
      TestNode node{id, *rc::gen::inRange(0, 5) == 0 ? chakra::NodeType::mem_load : chakra::NodeType::comp,
                    *rc::gen::inRange<std::uint64_t>(0, 9)};
      const int count = id == 0 ? 0 : *rc::gen::inRange(0, 3);
      // Mostly the node before: random graphs have no chains otherwise.
      for (int i = 0; i < count; ++i)
        node.needs.push_back(*rc::gen::inRange(0, 3) == 0 ? *rc::gen::inRange<std::uint64_t>(0, id) : id - 1);
      std::sort(node.needs.begin(), node.needs.end());
      node.needs.erase(std::unique(node.needs.begin(), node.needs.end()), node.needs.end());
      nodes.push_back(node);
    }
    Interner strings;
    const workload::Program before = parse(scrub_text(to_file(nodes)), strings);
    const workload::Program after = parse(scrub_text(to_file(nodes), {.key = fixed_key(), .fuse = true}), strings);
    RC_ASSERT(after.size() <= before.size());
    RC_ASSERT(span_of(after) == span_of(before));
  });
}

}  // namespace
TEST_CASE("durations below a microsecond and unequal parts stay") {
  workload::Workload job;
  workload::ProgramBuilder builder;
  builder.add({.id = 1, .kind = workload::ActivityKind::compute, .duration_ps = 2'400'123});
  builder.add({.id = 2,
               .kind = workload::ActivityKind::collective,
               .flags = workload::activity::kHasBytes,
               .bytes = 30,
               .collective = workload::Collective::all_to_all});
  builder.set_parts({5, 0, 25});
  auto program = std::move(builder).build();
  REQUIRE(program.ok());
  job.programs.push_back(std::move(*program));
  job.program_of_rank.push_back(0);
  const auto file = chakra::to_protobuf(job, 0);
  REQUIRE(file.ok());
  Interner strings;
  Diagnostics diagnostics;
  const auto read = chakra::parse_protobuf(scrub_text(*file), "job.0.et", strings, {.diagnostics = &diagnostics});
  REQUIRE_MESSAGE(read.ok(), read.error().to_string());
  CHECK(read->duration_ps(0) == 2'400'123);
  const auto parts = read->parts_of(1);
  CHECK(std::vector<std::int64_t>(parts.begin(), parts.end()) == std::vector<std::int64_t>{5, 0, 25});
}

}  // namespace orrery::scrub
