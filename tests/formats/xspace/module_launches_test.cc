#include "formats/xspace/module_launches.h"

#include <doctest/doctest.h>

#include "formats/xspace/reader.h"
#include "formats/xspace/space_writer.h"
#include "support/temp_dir.h"

namespace orrery::xspace {
namespace {

using namespace testing;
using trace::Activity;
using trace::EventIndex;
using trace::Field;

struct Read {
  Interner strings;
  Diagnostics diagnostics;
  trace::RankTrace rank;

  explicit Read(const std::vector<Plane>& planes) {
    const orrery::testing::TempDir dir;
    Result<trace::RankTrace> read = read_rank(dir.write("node0.xplane.pb", write_space(planes)), strings, diagnostics);
    REQUIRE(read);
    rank = std::move(*read);
  }
  [[nodiscard]] EventIndex find(std::string_view name, int occurrence = 0) const {
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      if (strings.text(rank.name[e]) == name && occurrence-- == 0) return e;
    }
    return ~EventIndex{0};
  }
  [[nodiscard]] std::optional<std::int64_t> correlation(EventIndex e) const {
    return rank.field(Field::correlation).find(e);
  }
};

std::vector<Stat> produced(std::int64_t id) { return {number_stat("_pt", 12), number_stat("_p", id)}; }
std::vector<Stat> consumed(std::int64_t id) { return {number_stat("_ct", 12), number_stat("_c", id)}; }

TEST_CASE("operations of a core are tied to the call that handed on the context of their module") {
  const Read read(
      {{"/device:TPU:0",
        {{"XLA Ops", 3, 0, {{"early", 10, 5}, {"first", 100, 20}, {"second", 130, 20}, {"third", 300, 9}}},
         {"XLA Modules", 2, 0, {{"jit_f", 90, 80, consumed(-7)}, {"jit_f", 290, 80, consumed(8)}}}}},
       {"/host:CPU",
        {{"worker", 1, 0, {{"DoEnqueueProgram", 40, 5, produced(-7)}, {"DoEnqueueProgram", 60, 5, produced(8)}}},
         {"main", 2, 0, {{"Execute", 30, 5, produced(9)}}}}},
       environment()});
  const EventIndex call = read.find("DoEnqueueProgram"), next = read.find("DoEnqueueProgram", 1);
  CHECK_FALSE(read.correlation(read.find("early")));
  REQUIRE(read.correlation(call));
  CHECK(*read.correlation(call) >= 0);
  CHECK(read.correlation(read.find("first")) == read.correlation(call));
  CHECK(read.correlation(read.find("second")) == read.correlation(call));
  CHECK(read.correlation(read.find("third")) == read.correlation(next));
  CHECK(read.correlation(call) != read.correlation(next));
  CHECK(read.rank.activity(call) == Activity::runtime_call);
  CHECK(read.rank.activity(read.find("Execute")) == Activity::cpu_operator);
  CHECK_FALSE(read.correlation(read.find("Execute")));
}

TEST_CASE("without contexts the number of the run and the device tie them") {
  const auto run = [](std::int64_t device) {
    return std::vector<Stat>{number_stat("run_id", 3), number_stat("device_ordinal", device)};
  };
  const auto module = std::vector<Stat>{number_stat("run_id", 3)};
  const Read read(
      {{"/device:TPU:0", {{"XLA Modules", 2, 0, {{"jit_f", 90, 80, module}}}, {"XLA Ops", 3, 0, {{"a", 100, 20}}}}},
       {"/device:TPU:1", {{"XLA Modules", 2, 0, {{"jit_f", 90, 80, module}}}, {"XLA Ops", 3, 0, {{"b", 100, 20}}}}},
       {"/host:CPU",
        {{"worker", 1, 0, {{"DoEnqueueProgram", 40, 5, run(0)}, {"DoEnqueueProgram", 60, 5, run(1)}}},
         {"done", 2, 0, {{"CompleteCallbacks", 180, 5, run(0)}}}}},
       environment()});
  CHECK(read.correlation(read.find("a")));
  CHECK(read.correlation(read.find("a")) == read.correlation(read.find("DoEnqueueProgram")));
  CHECK(read.correlation(read.find("b")) == read.correlation(read.find("DoEnqueueProgram", 1)));
  CHECK(read.correlation(read.find("a")) != read.correlation(read.find("b")));
  CHECK_FALSE(read.correlation(read.find("CompleteCallbacks")));
}

TEST_CASE("kernels of a GPU keep the correlation of their launch") {
  const Read read({{"/device:GPU:0",
                    {{"Stream #7(Compute)", 7, 0, {{"k", 100, 20, {number_stat("correlation_id", 5)}}}},
                     {"XLA Modules", 2, 0, {{"jit_f", 90, 80, consumed(1)}}},
                     {"XLA Ops", 3, 0, {{"fusion", 100, 20}}}}},
                   {"/host:CPU", {{"python", 1, 0, {{"Execute", 40, 5, produced(1)}}}}},
                   environment()});
  CHECK(read.correlation(read.find("k")) == 5);
  CHECK_FALSE(read.correlation(read.find("fusion")));
  CHECK_FALSE(read.correlation(read.find("Execute")));
}

}  // namespace
}  // namespace orrery::xspace
