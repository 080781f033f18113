// What operators and annotations of communication say in lists among their arguments.
#include "formats/kineto/communication_arguments.h"

#include <doctest/doctest.h>

#include <string>

#include "support/kineto_lines.h"

using namespace orrery;
using namespace orrery::kineto;
using trace::Field;

namespace {

std::string event(const std::string& args) { return R"({"ph": "X", "args": {)" + args + "}}"; }

}  // namespace

TEST_CASE("peer and tag of a message, roots of collectives, by the place of the argument") {
  CommunicationReader reader;
  const auto send = reader.read("c10d::send", event(R"("Concrete Inputs": ["", "", "2", "9"])"));
  CHECK(send.peer == 2);
  CHECK(send.tag == 9);
  const auto broadcast =
      reader.read("c10d::broadcast_", event(R"("Concrete Inputs": ["", "", "1", "0", "False", "-1"])"));
  CHECK(broadcast.peer == 1);
  CHECK_FALSE(broadcast.tag.has_value());
  CHECK(reader.read("c10d::reduce_", event(R"("Concrete Inputs": ["", "", "", "3", "0", "False", "-1"])")).peer == 3);
  CHECK_FALSE(
      reader.read("c10d::allreduce_", event(R"("Concrete Inputs": ["", "", "", "", "False", "-1"])")).peer.has_value());
  const auto any = reader.read("c10d::recv_any_source_", event(R"("Concrete Inputs": ["", "", "4"])"));
  CHECK_FALSE(any.peer.has_value());
  CHECK(any.tag == 4);
}

TEST_CASE("sizes: of a list of tensors, of the tensor that goes in, of each tensor of the work") {
  CommunicationReader reader;
  const auto call = reader.read("c10d::allreduce_",
                                event(R"("Input type": ["TensorList", ""], "Input Dims": [[[160, 160], [3]], []])"));
  CHECK(call.elements == 25603);
  const auto exchange =
      reader.read("c10d::alltoall_base_", event(R"("Input type": ["float", "double"], "Input Dims": [[5], [7]])"));
  CHECK(exchange.elements == 7);
  CHECK(exchange.dtype == "double");
  const auto work =
      reader.read("gloo:all_reduce", event(R"("Input type": ["float", "float"], "Input Dims": [[192, 64], []])"));
  CHECK(work.elements == 12289);  // no dimension: one element
  CHECK(work.dtype == "float");
  CHECK(reader.read("gloo:all_reduce", event(R"("Input type": ["float", "int"], "Input Dims": [[1], [1]])"))
            .dtype.empty());
  CHECK_FALSE(reader.read("gloo:barrier", event(R"("Ev Idx": 1)")).elements.has_value());
}

TEST_CASE("what is unusable is left out") {
  CommunicationReader reader;
  for (const char* const args :
       {R"("Concrete Inputs": "2")", R"("Concrete Inputs": ["", "", "two", ""])", R"("Concrete Inputs": [""])",
        R"("Input type": ["TensorList"], "Input Dims": [[[-1]]])",
        R"("Input type": ["TensorList"], "Input Dims": [[[9223372036854775807, 3]]])"}) {
    const auto found = reader.read("c10d::send", event(args));
    CHECK_FALSE(found.peer.has_value());
    CHECK_FALSE(found.elements.has_value());
  }
  CHECK_FALSE(reader.read("c10d::send", "not JSON").peer.has_value());
}

TEST_CASE("the reader keeps them as columns; annotations that are repeated on the device are no communication") {
  const orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto job = kineto::read_job(
      {dir.write(
          "trace.json",
          R"({"distributedInfo": {"rank": 0, "world_size": 2, "pg_config": [{"pg_name": "7", "ranks": [0, 1]}, {"pg_name": "x"}]},
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "c10d::recv_", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"Concrete Inputs": ["", "", "1", "3"]}},
  {"ph": "X", "cat": "user_annotation", "name": "gloo:recv", "pid": 1, "tid": 1, "ts": 2, "dur": 5, "args": {"Input type": ["float"], "Input Dims": [[8]]}},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "gloo:recv", "pid": 0, "tid": 7, "ts": 2, "dur": 5, "args": {"Input type": ["float"], "Input Dims": [[8]]}}
  ]})")},
      diagnostics);
  REQUIRE(job.ok());
  const trace::RankTrace& rank = job->ranks[0];
  CHECK(rank.field(Field::group_rank).find(0) == 1);
  CHECK(rank.field(Field::tag).find(0) == 3);
  CHECK_FALSE(rank.field(Field::collective_text).find(0).has_value());
  CHECK(rank.field(Field::in_elements).find(1) == 8);
  REQUIRE(rank.field(Field::collective_text).find(1).has_value());
  CHECK(job->strings.text(static_cast<StringId>(*rank.field(Field::collective_text).find(1))) == "recv");
  CHECK_FALSE(rank.field(Field::collective_text).find(2).has_value());
  REQUIRE(rank.source.groups.size() == 1);  // the other does not say who its members are
  CHECK(rank.source.groups[0].name == "7");
  CHECK(rank.source.groups[0].ranks == std::vector<std::int64_t>{0, 1});
}
