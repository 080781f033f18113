// orrery convert, from end to end on small files.
#include <doctest/doctest.h>

#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <string>

#include "cli/captured_run.h"
#include "formats/chakra/schema.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

using testing::TempDir;

const std::string kText =
    "DATA\n2\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 1024 1\nb -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 2048 1\n";

std::string record(const std::string& message) { return std::string(1, static_cast<char>(message.size())) + message; }

/// A Chakra file with a node per entry: its id and the id it depends on (0: none).
std::string chakra_file(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& nodes, bool control = false) {
  std::string bytes = record(
      "\x0a\x05"
      "0.0.4");
  for (const auto& [id, on] : nodes) {
    std::string message;
    protozero::pbf_writer node(message);
    node.add_uint64(chakra::node_field::id, id);
    node.add_uint64(chakra::node_field::type, 4);
    if (on != 0) node.add_uint64(control ? chakra::node_field::ctrl_deps : chakra::node_field::data_deps, on);
    node.add_uint64(99, 7);  // unknown to all
    bytes += record(message);
  }
  return bytes;
}

CapturedRun convert(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "convert");
  return run_captured(arguments);
}

}  // namespace

TEST_CASE("a text workload becomes a file per rank, and these anything else") {
  const TempDir folder;
  folder.write("w.txt", kText);
  const CapturedRun made = convert({folder.path("w.txt"), "--ranks", "2", "--passes", "2", "-o", folder.path("w")});
  CHECK(made.exit_code == 0);
  CHECK(made.out == "wrote " + folder.path("w.0.et") + ": 14 nodes\nwrote " + folder.path("w.1.et") + ": 14 nodes\n");
  CHECK(testing::read_file(folder.path("w.0.et")) == testing::read_file(folder.path("w.1.et")));
  for (const char* ending : {"jsonl", "dot", "graphml", "json"}) {
    CAPTURE(ending);
    CHECK(convert({folder.path("w"), "-o", folder.path(std::string("x.") + ending)}).exit_code == 0);
    CHECK_FALSE(testing::read_file(folder.path(std::string("x.1.") + ending)).empty());
  }
  CHECK(convert({folder.path("w"), "-o", folder.path("x.goal")}).exit_code == 0);
  CHECK(testing::read_file(folder.path("x.goal")).starts_with("num_ranks 2\n"));
  CHECK(convert({folder.path("x.goal"), "-o", folder.path("y")}).exit_code == 0);
  CHECK(convert({folder.path("x.0.json"), "-o", folder.path("z.et.gz")}).exit_code == 0);
  CHECK(convert({folder.path("z.et.gz"), "-o", folder.path("z.et")}).exit_code == 0);
  CHECK(testing::read_file(folder.path("z.et")) == testing::read_file(folder.path("w.0.et")));
  const CapturedRun timeline = convert({folder.path("w"), "--to", "timeline", "-o", folder.path("t.json")});
  CHECK(timeline.exit_code == 3);
  CHECK(timeline.err.find("no starts were recorded") != std::string::npos);
}

TEST_CASE("from Chakra to Chakra nothing gets lost, and dangling control dependencies are counted") {
  const TempDir folder;
  const std::string bytes = chakra_file({{1, 0}, {2, 9}}, true);
  folder.write("a.et", bytes);
  const CapturedRun run = convert({folder.path("a.et"), "-o", folder.path("b.et.gz")});
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("C301") != std::string::npos);
  CHECK(convert({folder.path("b.et.gz"), "-o", folder.path("c.et")}).exit_code == 0);
  CHECK(testing::read_file(folder.path("c.et")) == bytes);
}

TEST_CASE("what cannot be used ends with a sentence and exit code 3, and leaves no file") {
  const TempDir folder;
  const auto fails = [&](const std::string& bytes, const std::string& because) {
    folder.write("bad.et", bytes);
    const CapturedRun run = convert({folder.path("bad.et"), "-o", folder.path("out.et")});
    CAPTURE(run.err);
    CHECK(run.exit_code == 3);
    CHECK(run.err.find(because) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path("out.et")));
  };
  fails(chakra_file({{4, 0}, {4, 0}}), "two nodes have the id 4");
  fails(chakra_file({{4, 5}, {5, 4}}), "the dependencies form a cycle: 4 -> 5 -> 4");
  fails(chakra_file({{4, 7}}), "node 4 depends on node 7, which does not exist");
  const std::string good = chakra_file({{4, 0}});
  fails(good.substr(0, good.size() - 2), "the file ends inside a record");
  fails(good + std::string(1, '\0'), "it is empty");
  fails("", "the file is empty");
  fails("\x01\xff\xff", "");
  folder.write("notes", std::string("once upon a time\xff"));
  CHECK(convert({folder.path("notes"), "-o", folder.path("out.et")}).exit_code == 3);
  CHECK(convert({folder.path("absent"), "-o", folder.path("out.et")}).exit_code == 3);
}

TEST_CASE("XSpaces become one timeline of all nodes, or a program each") {
  const TempDir dir;
  const std::string folder = std::string(ORRERY_SOURCE_DIR) + "/data/jax_cpu4";
  const CapturedRun run = convert({folder, "-o", dir.path("all.json")});
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  const std::string timeline = testing::read_file(dir.path("all.json"));
  CHECK(timeline.find("node 0 /host:CPU") != std::string::npos);
  CHECK(timeline.find("node 3 /host:CPU") != std::string::npos);
  CHECK(convert({folder, "-o", dir.path("job.et")}).exit_code == 0);
  CHECK_FALSE(testing::read_file(dir.path("job.3.et")).empty());
}

TEST_CASE("formats that do not go together are a usage error") {
  const TempDir folder;
  folder.write("w.txt", kText);
  folder.write("log", "issue,a=0,a=1,a=2,a=COMP_NODE\ncallback,a=0,a=5,a=2,a=COMP_NODE\n");
  CHECK(convert({folder.path("w.txt")}).exit_code == 2);
  CHECK(convert({"-o", folder.path("x.et")}).exit_code == 2);
  CHECK(convert({folder.path("log"), "-o", folder.path("x.dot")}).exit_code == 2);
  CHECK(convert({folder.path("w.txt"), "--to", "sound", "-o", "x"}).exit_code == 2);
  CHECK(convert({folder.path("w.txt"), "--compat", "chakra", "-o", folder.path("x.dot")}).exit_code == 3);
  CHECK(convert({folder.path("log"), "-o", folder.path("t.json")}).exit_code == 0);
}

TEST_CASE("the flags of Chakra's tools are understood") {
  const TempDir folder;
  folder.write("w.txt", kText);
  folder.write("log", "issue,a=0,a=1000,a=2,a=COMP_NODE\ncallback,a=0,a=5000,a=2,a=COMP_NODE\n");
  const CapturedRun text =
      convert({"--log-filename", "debug.log", "--compat", "chakra", "Text", "--input", folder.path("w.txt"), "--output",
               folder.path("t"), "--num-npus", "2", "--num-passes", "1"});
  CHECK(text.exit_code == 0);
  CHECK(testing::read_file(folder.path("t.1.et")).find("1.0.2-chakra.1.0.0") != std::string::npos);
  CHECK(convert({"--compat", "chakra", "--input_filename", folder.path("t.0.et"), "--output_filename",
                 folder.path("t.json")})
            .exit_code == 0);
  CHECK(testing::read_file(folder.path("t.json")).starts_with("{\n  \"attr\": [\n    {\n      \"name\": \"schema\""));
  CHECK(convert({"--compat", "chakra", "--input_filename", folder.path("t.0.et"), "--output_filename",
                 folder.path("t.dot")})
            .exit_code == 0);
  CHECK(testing::read_file(folder.path("t.dot")).find("\t0 [label=COMP_NODE_a_FWD id=0 shape=record]\n") !=
        std::string::npos);
  CHECK(convert({"--compat", "chakra", "--input_filename", folder.path("log"), "--output_filename",
                 folder.path("l.json"), "--num_npus", "1", "--npu_frequency", "1000", "--log_filename", "x"})
            .exit_code == 0);
  CHECK(testing::read_file(folder.path("l.json")).find("\"ts\": 0.001, \"dur\": 0.004") != std::string::npos);
}

TEST_CASE("a profiler trace is linked, with its host trace or without; a host trace alone has order but no times") {
  const TempDir folder;
  const std::string data = std::string(ORRERY_SOURCE_DIR) + "/data/ddp4.rank0.";
  const CapturedRun linked = convert({data + "kineto.json.gz", data + "et.json.gz", "-o", folder.path("a.0.et")});
  CHECK(linked.exit_code == 0);
  CHECK(convert({data + "kineto.json.gz", "-o", folder.path("b.0.et")}).exit_code == 0);
  CHECK(convert({folder.path("a"), "--to", "timeline", "-o", folder.path("a.json")}).exit_code == 0);
  const CapturedRun host = convert({data + "et.json.gz", "-o", folder.path("c.0.et")});
  CHECK(host.exit_code == 0);
  CHECK(host.err.find("C308") != std::string::npos);
  CHECK(testing::read_file(folder.path("c.0.et")).find("op_schema") != std::string::npos);
  CHECK(testing::read_file(folder.path("a.0.et")).find("op_schema") != std::string::npos);
}

}  // namespace orrery::cli
