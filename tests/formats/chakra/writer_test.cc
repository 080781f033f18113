#include "formats/chakra/writer.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"
#include "support/temp_dir.h"
#include "workload/program_builder.h"

using namespace orrery;
using workload::Activity;
using workload::ActivityKind;
using workload::Collective;
using workload::Dependency;
namespace activity = workload::activity;

namespace {

workload::Workload one_rank(workload::ProgramBuilder builder, Interner strings) {
  workload::Workload workload;
  auto program = std::move(builder).build();
  REQUIRE(program.ok());
  workload.strings = std::move(strings);
  workload.programs.push_back(std::move(*program));
  workload.program_of_rank.push_back(0);
  return workload;
}

std::string bytes_of(Activity node, const chakra::WriteOptions& options = {.version = ""}) {
  workload::ProgramBuilder builder;
  Interner strings;
  node.name = strings.intern("x");
  builder.add(node);
  const auto bytes = chakra::to_protobuf(one_rank(std::move(builder), std::move(strings)), 0, options);
  return bytes ? *bytes : bytes.error().message;
}

std::string text(std::initializer_list<const char*> parts) {
  std::string all;
  for (const char* part : parts) all += part;
  return all;
}

/// Equal in all that a Chakra file can say.
void check_same(const workload::Workload& a, const workload::Program& b, const Interner& b_strings) {
  const workload::Program& x = a.program(0);
  RC_ASSERT(x.size() == b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    RC_ASSERT(x.ids[i] == b.ids[i]);
    RC_ASSERT(a.strings.text(x.names[i]) == b_strings.text(b.names[i]));
    RC_ASSERT(x.kinds[i] == b.kinds[i]);
    RC_ASSERT(x.flags[i] == b.flags[i]);
    RC_ASSERT(x.duration_ps(i) == b.duration_ps(i));
    RC_ASSERT(x.bytes[i] == b.bytes[i]);
    RC_ASSERT(x.operations[i] == b.operations[i]);
    RC_ASSERT(x.peers[i] == b.peers[i]);
    RC_ASSERT(x.tags[i] == b.tags[i]);
    RC_ASSERT(x.collectives[i] == b.collectives[i]);
    RC_ASSERT(a.strings.text(x.group_names[i]) == b_strings.text(b.group_names[i]));
    RC_ASSERT(x.priorities[i] == b.priorities[i]);
    RC_ASSERT(x.excluded_dims[i] == b.excluded_dims[i]);
    const auto needs = [](const workload::Program& p, std::size_t node) {
      std::vector<std::pair<std::uint64_t, std::uint8_t>> list;
      for (const graph::Slot slot : p.dependencies.incoming(static_cast<graph::NodeId>(node)))
        list.emplace_back(p.ids[p.dependencies.source(slot)], p.dependencies.type(slot));
      std::sort(list.begin(), list.end());
      return list;
    };
    RC_ASSERT(needs(x, i) == needs(b, i));
  }
}

Activity any_activity(std::uint64_t id, Interner& strings) {
  Activity node{.id = id,
                .name = strings.intern(*rc::gen::element<std::string>("", "gemm", "grads")),
                .kind = static_cast<ActivityKind>(*rc::gen::inRange(2, 8)),
                .duration_ps = *rc::gen::inRange(0, 1000) * kPsPerUs};
  if (*rc::gen::arbitrary<bool>()) node.flags |= activity::kOnHost;
  if (node.kind == ActivityKind::collective) {
    node.flags |= activity::kHasBytes;
    node.bytes = *rc::gen::inRange(0, 1 << 30);
    node.collective = static_cast<Collective>(*rc::gen::inRange<int>(0, workload::kCollectives));
    node.group_name = strings.intern(*rc::gen::element<std::string>("", "1", "tensor"));
    node.priority = *rc::gen::inRange(-3, 3);
    node.excluded_dims = *rc::gen::inRange<std::uint32_t>(0, 16);
    if (*rc::gen::arbitrary<bool>()) node.flags |= activity::kHasPeer, node.peer = *rc::gen::inRange(0, 99);
  } else if (node.kind == ActivityKind::send || node.kind == ActivityKind::recv) {
    node.flags |= activity::kHasBytes | activity::kHasPeer | activity::kHasTag;
    node.bytes = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
    node.peer = *rc::gen::inRange(0, 99);
    node.tag = *rc::gen::inRange<std::int64_t>(-5, std::int64_t{1} << 40);
  } else {
    if (*rc::gen::arbitrary<bool>()) node.flags |= activity::kHasBytes, node.bytes = *rc::gen::inRange(0, 1 << 30);
    if (*rc::gen::arbitrary<bool>())
      node.flags |= activity::kHasOperations, node.operations = *rc::gen::inRange(0, 1 << 30);
  }
  return node;
}

}  // namespace

TEST_CASE("what is written is read back") {
  CHECK(rc::check([] {
    workload::ProgramBuilder builder;
    Interner strings;
    std::vector<std::uint64_t> ids;
    const int count = *rc::gen::inRange(0, 12);
    for (std::uint64_t id = 0; ids.size() < static_cast<std::size_t>(count);
         id += *rc::gen::inRange<std::uint64_t>(1, 1000)) {
      builder.add(any_activity(id, strings));
      for (const std::uint64_t on : ids) {
        if (*rc::gen::inRange(0, 4) == 0)
          builder.depend(on, *rc::gen::arbitrary<bool>() ? Dependency::data : Dependency::control);
      }
      ids.push_back(id);
    }
    const workload::Workload workload = one_rank(std::move(builder), std::move(strings));
    const auto bytes = chakra::to_protobuf(workload, 0);
    RC_ASSERT(bytes.ok());
    Interner read_strings;
    const auto program = chakra::parse_protobuf(*bytes, "x.et", read_strings);
    RC_ASSERT(program.ok());
    check_same(workload, *program, read_strings);
  }));
}

TEST_CASE("nodes are written field by field as the schema says") {
  const std::string is_cpu_op_0("R\x0e\x0a\x09is_cpu_op\xd8\x01\0", 16),
      is_cpu_op_1("R\x0e\x0a\x09is_cpu_op\xd8\x01\x01", 16);
  const auto framed = [](const std::string& node) {
    return std::string(1, '\0') + static_cast<char>(node.size()) + node;
  };
  CHECK(bytes_of({.id = 7, .kind = ActivityKind::compute, .flags = activity::kOnHost, .duration_ps = 5 * kPsPerUs}) ==
        framed("\x08\x07\x12\x01x\x18\x04\x38\x05" + is_cpu_op_1));
  CHECK(bytes_of({.kind = ActivityKind::collective, .bytes = 3, .collective = Collective::barrier}) ==
        framed("\x12\x01x\x18\x07" + is_cpu_op_0 +
               text({"R\x0d\x0a\x09", "comm_typeH\x09", "R\x0d\x0a\x09", "comm_sizeH\x03"})));
  CHECK(bytes_of({.id = 1, .kind = ActivityKind::metadata}) == framed("\x08\x01\x12\x01x\x18\x01"));
  CHECK(bytes_of({.id = 1, .kind = ActivityKind::metadata}, {.version = "1.0.0"}).substr(0, 8) ==
        "\x07\x0a\x05"
        "1.0.0");
  // The thirty attributes of Chakra's generator take 877 bytes.
  const std::string sample =
      bytes_of({.id = 1, .kind = ActivityKind::metadata}, {.version = "", .sample_attributes = true});
  CHECK(sample.size() == 1 + 2 + 7 + 877);
  CHECK(sample.find(text({"R\x14\x0a\x06", "sint32\x12\x06", "sint32x\xf1\xc0\x01"})) != std::string::npos);
  CHECK(sample.find(text({"R\x0f\x0a\x05", "bytes\xfa\x01\x05", "12345"})) != std::string::npos);
}

TEST_CASE("durations are whole microseconds, and nothing that takes time takes none") {
  const auto micros = [](TimePs duration) {
    const std::string bytes = bytes_of({.id = 7, .kind = ActivityKind::compute, .duration_ps = duration});
    return bytes[9] == '\x38' ? static_cast<int>(bytes[10]) : 0;
  };
  CHECK(micros(0) == 0);
  CHECK(micros(1) == 1);
  CHECK(micros(1'499'999) == 1);
  CHECK(micros(1'500'000) == 2);
}

TEST_CASE("a join is a computation of no length to everybody else, and a join to us") {
  workload::ProgramBuilder builder;
  builder.add({.id = 1, .kind = ActivityKind::compute, .duration_ps = 5 * kPsPerUs});
  builder.add({.id = 2, .kind = ActivityKind::none, .duration_ps = 7 * kPsPerUs});
  builder.depend(1, Dependency::data);
  const auto bytes = chakra::to_protobuf(one_rank(std::move(builder), Interner()), 0);
  REQUIRE(bytes.ok());
  Interner strings;
  Diagnostics diagnostics;
  const auto ours = chakra::parse_protobuf(*bytes, "x.et", strings, {.diagnostics = &diagnostics});
  REQUIRE(ours.ok());
  CHECK(ours->kinds[1] == ActivityKind::none);
  CHECK(strings.text(ours->names[1]) == "[join]");
  for (const chakra::ReadOptions& as_others :
       {chakra::ReadOptions{}, chakra::ReadOptions{.diagnostics = &diagnostics, .micros_only = true}}) {
    const auto theirs = chakra::parse_protobuf(*bytes, "x.et", strings, as_others);
    REQUIRE(theirs.ok());
    CHECK(theirs->kinds[1] == ActivityKind::compute);
    CHECK(theirs->duration_ps(1) == 0);
  }
}

TEST_CASE("what Chakra has no word for is refused") {
  workload::ProgramBuilder builder;
  builder.add({.id = 1, .kind = ActivityKind::compute});
  builder.add({.id = 2, .kind = ActivityKind::compute});
  builder.depend(1, Dependency::start);
  const auto bytes = chakra::to_protobuf(one_rank(std::move(builder), Interner()), 0);
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().message == "rank 0, node 2 (compute) waits for a start only, which Chakra cannot say");
}

TEST_CASE("a workload is a file per rank; a send names its own rank") {
  workload::ProgramBuilder builder;
  builder.add({.kind = ActivityKind::send,
               .flags = activity::kHasBytes | activity::kHasPeer | activity::kHasTag,
               .bytes = 8,
               .peer = 1,
               .tag = 2});
  workload::Workload workload = one_rank(std::move(builder), Interner());
  workload.program_of_rank.push_back(0);
  workload.groups = {{workload.strings.intern("1"), {0, 1}}, {workload.strings.intern("2"), {1}}};
  const testing::TempDir folder;
  const std::string prefix = folder.path() + "/job";
  REQUIRE(chakra::write_workload(workload, prefix).ok());
  CHECK(chakra::find_rank_files(prefix).size() == 2);
  CHECK(chakra::read_workload(prefix, 2)->program(1).peers[0] == 1);
  CHECK(chakra::groups_json(workload) == R"({"1":[0,1],"2":[1]})");
  CHECK(*chakra::to_protobuf(workload, 0) != *chakra::to_protobuf(workload, 1));
}

TEST_CASE("recorded starts are written on the recording's clock, lanes under the name of where they are") {
  workload::ProgramBuilder builder;
  builder.add({.id = 1, .kind = ActivityKind::compute, .flags = activity::kOnHost, .start_ps = 0, .lane = 4});
  builder.add({.id = 2, .kind = ActivityKind::compute, .start_ps = 7 * kPsPerUs + 999'999, .lane = 20});
  builder.add({.id = 3, .kind = ActivityKind::compute});
  workload::Workload workload = one_rank(std::move(builder), Interner());
  workload.epoch_us = 1'731'600'000'000'000;
  const auto bytes = chakra::to_protobuf(workload, 0);
  REQUIRE(bytes.ok());
  Interner strings;
  std::int64_t epoch_us = 0;
  const auto again = chakra::parse_protobuf(*bytes, "x.et", strings, {}, &epoch_us);
  REQUIRE(again.ok());
  CHECK(epoch_us == workload.epoch_us);
  CHECK(again->starts_ps[0] == 0);
  CHECK(again->starts_ps[1] == 7 * kPsPerUs);
  CHECK(again->starts_ps[2] == workload::kNotRecorded);
  CHECK(again->lanes[0] == 4);
  CHECK(again->lanes[1] == 20);
  CHECK(bytes->find("stream") != std::string::npos);
}

TEST_CASE("details are asked for and written: tensors and attributes that a program does not hold") {
  chakra::WriteOptions options{.version = ""};
  const std::string schema = "aten::add(Tensor a, Tensor b)";
  options.details = [&](std::size_t rank, std::size_t node, chakra::NodeDetails& details) {
    CHECK(rank + node == 0);
    details.has_tensors = true;
    details.inputs = {"[1]", "[[2]]", "['Int']"};
    details.integers.emplace_back("rf_id", 6);
    details.texts.emplace_back("op_schema", schema);
  };
  const std::string bytes = bytes_of({.id = 1, .kind = ActivityKind::compute}, options);
  CHECK(bytes.find(text({"B\x15\x0a\x03", "[1]\x12\x05", "[[2]]\x1a\x07", "['Int']"})) != std::string::npos);
  CHECK(bytes.find(text({"R\x09\x0a\x05", "rf_idH\x06"})) != std::string::npos);
  CHECK(bytes.find(schema) != std::string::npos);
}

TEST_CASE("a compressed file says the same") {
  workload::ProgramBuilder builder;
  builder.add({.id = 1, .kind = ActivityKind::compute, .duration_ps = kPsPerUs});
  const workload::Workload workload = one_rank(std::move(builder), Interner());
  const testing::TempDir folder;
  REQUIRE(chakra::write_rank(workload, 0, folder.path("job.0.et.gz")).ok());
  const auto again = chakra::read_workload(folder.path("job"), 1);
  REQUIRE(again.ok());
  CHECK(again->program(0).duration_ps(0) == kPsPerUs);
}

TEST_CASE("a duration finer than the format's unit comes back, unless somebody changed the one that others see") {
  workload::ProgramBuilder builder;
  builder.add({.id = 1, .kind = ActivityKind::compute, .duration_ps = 2'400'123});
  builder.add({.id = 2, .kind = ActivityKind::compute, .duration_ps = 3 * kPsPerUs});
  const auto bytes = chakra::to_protobuf(one_rank(std::move(builder), {}), 0);
  REQUIRE(bytes.ok());
  const auto durations = [](const std::string& file, const chakra::ReadOptions& options) {
    Interner strings;
    const auto program = chakra::parse_protobuf(file, "x.et", strings, options);
    REQUIRE_MESSAGE(program.ok(), program.error().to_string());
    return std::vector<TimePs>{program->duration_ps(0), program->duration_ps(1)};
  };
  Diagnostics diagnostics;
  CHECK(durations(*bytes, {.diagnostics = &diagnostics}) == std::vector<TimePs>{2'400'123, 3 * kPsPerUs});
  CHECK(durations(*bytes, {.diagnostics = &diagnostics, .micros_only = true}) ==
        std::vector<TimePs>{2 * kPsPerUs, 3 * kPsPerUs});
  CHECK(durations(*bytes, {}) == std::vector<TimePs>{2 * kPsPerUs, 3 * kPsPerUs});  // as ASTRA-sim
  std::string changed = *bytes;
  const std::size_t at = changed.find("\x38\x02");  // duration_micros: 2
  REQUIRE(at != std::string::npos);
  changed[at + 1] = 7;
  CHECK(durations(changed, {.diagnostics = &diagnostics}) == std::vector<TimePs>{7 * kPsPerUs, 3 * kPsPerUs});
}

TEST_CASE("parts of unequal size come back; a list with a negative one is refused") {
  const auto with_parts = [](std::vector<std::int64_t> parts) {
    workload::ProgramBuilder builder;
    builder.add({.id = 1,
                 .kind = ActivityKind::collective,
                 .flags = activity::kHasBytes,
                 .bytes = 30,
                 .collective = Collective::all_to_all});
    builder.set_parts(std::move(parts));
    builder.add({.id = 2,
                 .kind = ActivityKind::collective,
                 .flags = activity::kHasBytes,
                 .bytes = 30,
                 .collective = Collective::all_to_all});
    return *chakra::to_protobuf(one_rank(std::move(builder), {}), 0);
  };
  Interner strings;
  const auto program = chakra::parse_protobuf(with_parts({5, 0, 25}), "x.et", strings);
  REQUIRE_MESSAGE(program.ok(), program.error().to_string());
  const auto parts = program->parts_of(0);
  CHECK(std::vector<std::int64_t>(parts.begin(), parts.end()) == std::vector<std::int64_t>{5, 0, 25});
  CHECK(program->parts_of(1).empty());
  const auto refused = chakra::parse_protobuf(with_parts({5, -1}), "x.et", strings);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "node 1: comm_parts is no list of sizes");
}
