#include "orrery/workload.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "et_file.h"
#include "support/temp_dir.h"

namespace orrery::api::testing {
namespace {

std::string complaint(const std::string& content) {
  const orrery::testing::TempDir folder;
  const Result<Workload> workload = Workload::open(folder.write("job.0.et", content));
  return workload ? "" : workload.error().message;
}

const std::string kTraining = std::string(ORRERY_SOURCE_DIR) + "/data/workloads/training";

}  // namespace

TEST_CASE("workload: a prefix has all ranks, a file one") {
  const Result<Workload> job = Workload::open(kTraining);
  REQUIRE(job);
  CHECK(job->rank_count() == 16);
  CHECK(job->node_count(3) == 41);
  const Result<Workload> one = Workload::open(kTraining + ".3.et");
  REQUIRE(one);
  CHECK(one->rank_count() == 1);
  CHECK(one->node(0, 1).name() == "forward_0_activations");
  CHECK(one->node(0, 1).type() == NodeType::comm_coll);
  CHECK(one->node(0, 1).comm_type() == CommType::all_reduce);
  CHECK(one->node(0, 1).comm_group() == "1");
  CHECK(one->find(0, 1) == one->node(0, 1));
  CHECK_FALSE(one->find(0, 41));
}

TEST_CASE("workload: the feeder's JSON is read as well") {
  const orrery::testing::TempDir folder;
  const Result<Workload> workload = Workload::open(folder.write(
      "job.0.json",
      R"({"workload_graph": [{"Id": 4, "Name": "a", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 7}]})"));
  REQUIRE(workload);
  CHECK(workload->node(0, 0).id() == 4);
  CHECK(workload->node(0, 0).duration_ns() == 7000);
}

TEST_CASE("workload: what a node says of itself") {
  const orrery::testing::TempDir folder;
  folder.write("job.0.et", et_file({{.id = 3}}));
  folder.write(
      "job.1.et",
      et_file({{.id = 10, .duration_micros = 12, .name = "gemm", .integers = {{"num_ops", 99}, {"tensor_size", 64}}},
               {.id = 12,
                .data = {10},
                .control = {14, 10},
                .type = 5,
                .integers = {{"comm_dst", 0}, {"comm_tag", -1}, {"comm_size", 8}}},
               {.id = 13, .type = 6, .integers = {{"comm_src", 0}, {"comm_tag", 5}, {"comm_size", 8}}},
               {.id = 14,
                .type = 7,
                .integers =
                    {{"comm_type", 5}, {"comm_size", 4096}, {"comm_priority", 2}, {"root_rank", 1}, {"is_cpu_op", 1}},
                .texts = {{"pg_name", "7"}}}}));
  const Result<Workload> workload = Workload::open(folder.path("job"));
  REQUIRE(workload);
  const Node gemm = *workload->find(1, 10), sent = *workload->find(1, 12), received = *workload->find(1, 13),
             broadcast = *workload->find(1, 14);
  CHECK(gemm.rank() == 1);
  CHECK(gemm.name() == "gemm");
  CHECK(gemm.type() == NodeType::comp);
  CHECK(gemm.duration_ns() == 12'000);
  CHECK(gemm.num_ops() == 99);
  CHECK(gemm.tensor_size() == 64);
  CHECK_FALSE(gemm.is_cpu_op());
  CHECK_FALSE(gemm.comm_size());
  CHECK_FALSE(gemm.comm_type());
  CHECK_FALSE(gemm.comm_src());
  CHECK_FALSE(gemm.comm_priority());
  CHECK(gemm.comm_group() == "");

  CHECK(sent.type() == NodeType::comm_send);
  CHECK(sent.comm_src() == 1);
  CHECK(sent.comm_dst() == 0);
  CHECK(sent.comm_tag() == -1);
  CHECK(sent.comm_size() == 8);
  CHECK_FALSE(sent.tensor_size());
  CHECK_FALSE(sent.comm_root());
  CHECK(sent.data_dependencies() == std::vector<std::uint64_t>{10});
  CHECK(sent.control_dependencies() == std::vector<std::uint64_t>{14});
  CHECK(received.comm_src() == 0);
  CHECK(received.comm_dst() == 1);

  CHECK(broadcast.comm_type() == CommType::broadcast);
  CHECK(broadcast.comm_group() == "7");
  CHECK(broadcast.comm_priority() == 2);
  CHECK(broadcast.comm_root() == 1);
  CHECK(broadcast.is_cpu_op());
  CHECK_FALSE(broadcast.comm_tag());

  const Result<Workload> file = Workload::open(folder.path("job.1.et"));
  REQUIRE(file);
  CHECK_FALSE(file->find(0, 12)->comm_src());
  CHECK(file->find(0, 12)->comm_dst() == 0);
}

TEST_CASE("workload: what cannot be fed is refused with a sentence") {
  CHECK(complaint(et_file({{.id = 1, .data = {2}}})) == "node 1 depends on node 2, which does not exist");
  CHECK(complaint(et_file({{.id = 1, .data = {2}}, {.id = 2, .control = {1}}})) ==
        "the dependencies form a cycle: 1 -> 2 -> 1");
  CHECK(complaint(et_file({{.id = 1, .data = {1}}})).find("cycle") != std::string::npos);
  CHECK(complaint(et_file({{.id = 1}, {.id = 1}})) == "two nodes have the id 1");
  CHECK(complaint(et_header() + "\x7f").find("byte ") == 0);
  CHECK(complaint("") != "");

  const Result<Workload> nothing = Workload::open("/nonexistent/job");
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().to_string() ==
        "/nonexistent/job: there is neither this file nor a first rank of that name (give a file, or the PREFIX of "
        "PREFIX.0.et, "
        "PREFIX.1.et, ...)");
}

TEST_CASE("workload: what Chakra's converter leaves behind is taken leniently, and counted") {
  const orrery::testing::TempDir folder;
  const std::string path =
      folder.write("job.et", et_file({{.id = 1, .control = {9}}, {.id = 2, .data = {1}, .control = {8}}}));
  CHECK_FALSE(Workload::open(path));
  const Result<Workload> workload = Workload::open(path, {.lenient = true});
  REQUIRE(workload);
  CHECK(workload->find(0, 2)->data_dependencies() == std::vector<std::uint64_t>{1});
  CHECK(workload->find(0, 2)->control_dependencies().empty());
  REQUIRE(workload->remarks().size() == 1);
  CHECK(workload->remarks()[0].find("C301: control dependency on a node that does not exist (2)") == 0);
  CHECK_FALSE(Workload::open(folder.write("data.et", et_file({{.id = 1, .data = {9}}})), {.lenient = true}));
}

TEST_CASE("workload: every id is found, and no other") {
  rc::check([] {
    std::set<std::uint64_t> ids;
    const int bits = *rc::gen::inRange(1, 64);
    for (std::size_t n = *rc::gen::inRange<std::size_t>(1, 200); n > 0; --n)
      ids.insert((*rc::gen::arbitrary<std::uint64_t>() >> (64 - bits)) + (*rc::gen::inRange(0, 4) == 0 ? 1u << 20 : 0));
    std::vector<EtNode> nodes;
    for (const std::uint64_t id : ids) nodes.push_back({.id = id});
    const orrery::testing::TempDir folder;
    const Result<Workload> workload = Workload::open(folder.write("job.et", et_file(nodes)));
    RC_ASSERT(workload.ok());
    for (const std::uint64_t id : ids) {
      for (const std::uint64_t near : {id - 1, id, id + 1}) {
        const std::optional<Node> found = workload->find(0, near);
        RC_ASSERT(found.has_value() == ids.contains(near));
        if (found) RC_ASSERT(found->id() == near);
      }
    }
  });
}

}  // namespace orrery::api::testing
