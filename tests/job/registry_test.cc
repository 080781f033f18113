// One file of each kind, under names that tell nothing or the wrong thing.
#include "job/read/registry.h"

#include <doctest/doctest.h>

#include "base/io/output_file.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

std::string name_of(const std::string& path) {
  const Result<const formats::Format*> format = detect(path);
  return format ? std::string((*format)->name) : format.error().message;
}

// A record of Chakra: a length, then GlobalMetadata {version: "0.0.4"}, then Node {id: 1}.
const std::string kChakra = std::string("\x07\x0A\x05") + "0.0.4" + std::string("\x02\x08\x01", 3);
// XSpace {planes {id: 1}}
const std::string kXSpace = std::string("\x0A\x02\x08\x01", 4);

}  // namespace

TEST_CASE("content tells what a file is, whatever it is called and however it is packed") {
  const testing::TempDir folder;
  const auto kind = [&](const std::string& content, const std::string& name = "x") {
    return name_of(folder.write(name, content));
  };
  CHECK(kind(R"({"schemaVersion": 1, "traceEvents": []})") == "kineto");
  CHECK(kind(R"([{"ph": "X"}])") == "kineto");
  CHECK(kind(R"({"entries": [], "pg_config": {}, "version": "2.10"})") == "flight_recorder");
  CHECK(kind(R"({"distributedInfo": {"pg_config": [], "version": 2}, "traceEvents": []})") == "kineto");
  CHECK(kind(R"({"schema": "1.1.1", "nodes": []})") == "host");
  CHECK(kind(R"({"workload_graph": []})") == "feeder");
  CHECK(kind(R"({"1": [0, 1], "2": [2]})") == "groups");
  CHECK(kind("// a comment\nnum_ranks 2\n", "x.json") == "goal");
  CHECK(kind("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n2\n") == "text");
  CHECK(kind("issue,sys->id=0, tick=100, node->id=3, node->name=COMP_NODE_x\n") == "log");
  CHECK(kind("TRACE 0 -> 1 9207.8 MPI_Comm_split \n") == "ampip");
  CHECK(kind("hello\nTRACE 0 -> 1 9207.8 MPI_Comm_split \n") == "ampip");
  CHECK(kind("callsite,op,dur_us,sendSize_B,dest_group,dest_global,region\n") == "ampip");
  CHECK(kind("@ mpiP\n@ Version : 3.5.0\n") == "mpip");
  CHECK(kind("# htor's pmpitracer\nMPI_Init:-:1:2:1237666053000000\n") == "liballprof");
  CHECK(kind("0 init\n0 finalize\n") == "ti");
  CHECK(kind("run_files/0_rank-0.txt\nrun_files/0_rank-1.txt\n") == "ti");
  CHECK(kind(kXSpace) == "xspace");
  CHECK(kind(kChakra) == "chakra");
  CHECK(kind("", "x.0.et") == "the file is empty");
  CHECK(kind("plain words\n") == "this is of no known format");
  REQUIRE(write_whole_file(folder.path("packed.gz"), kChakra).ok());
  CHECK(name_of(folder.path("packed.gz")) == "chakra");
  REQUIRE(write_whole_file(folder.path("packed.zst"), R"({"schema": "1.1.1", "nodes": []})").ok());
  CHECK(name_of(folder.path("packed.zst")) == "host");
}

TEST_CASE("a name that says what the file is settles what its beginning leaves open") {
  const testing::TempDir folder;
  // Metadata of 123 bytes: the length in front is a brace.
  const std::string brace = "{" + std::string("\x0A\x79") + std::string(121, 'v') + std::string("\x02\x08\x01", 3);
  CHECK(name_of(folder.write("step.0.et", brace)) == "chakra");
  CHECK(name_of(folder.write("node0.xplane.pb", "?")) == "xspace");
}

TEST_CASE("every format has a name of its own and is asked in order") {
  int last = -1;
  for (const formats::Format* format : all_formats()) {
    CHECK(format->priority > last);
    last = format->priority;
    CHECK(format_called(format->name) == format);
  }
  CHECK(format_called("nothing") == nullptr);
}

}  // namespace orrery::job
