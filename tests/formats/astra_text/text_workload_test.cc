#include "formats/astra_text/text_workload.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace orrery;
using namespace orrery::astra_text;
using workload::ActivityKind;

namespace {

const std::string kTwoLayers =
    "\n2\n"
    "a -1 10 ALLGATHER 100 20 REDUCESCATTER 200 30 ALLREDUCE 300 1\n"
    "b -1 11 ALLGATHER 110 21 REDUCESCATTER 210 31 ALLREDUCE 310 1\n";

/// "name<-name,name" per node, in order: the whole graph in words. Without the words that all names begin with.
std::vector<std::string> graph_of(const workload::Workload& workload, std::size_t rank = 0) {
  const workload::Program& program = workload.program(rank);
  const auto name = [&](std::size_t i) {
    std::string text(workload.strings.text(program.names[i]));
    for (const char* word : {"COMP_NODE_", "COMM_COLL_NODE_"}) {
      if (text.starts_with(word)) text = text.substr(std::string(word).size());
    }
    return text;
  };
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < program.size(); ++i) {
    std::string line = name(i) + "<-";
    for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i)))
      line += name(program.dependencies.source(slot)) + ",";
    if (line.back() == ',') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

workload::Workload workload_of(const std::string& text, Options options = {}) {
  const auto parsed = parse(text, "w.txt");
  REQUIRE(parsed.ok());
  auto workload = to_workload(*parsed, options);
  REQUIRE(workload.ok());
  return std::move(*workload);
}

std::string error_of(const std::string& text, Options options = {}, bool like_chakra = false) {
  const auto parsed = parse(text, "w.txt");
  if (!parsed) return parsed.error().to_string();
  const auto workload = like_chakra ? to_chakra_workload(*parsed, options) : to_workload(*parsed, options);
  return workload ? "" : workload.error().to_string();
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("data parallel: gradients travel beside the backward pass, and the next forward pass waits for them") {
  CHECK(graph_of(workload_of("DATA" + kTwoLayers, {.ranks = 2, .passes = 2})) ==
        Lines{"a_FWD<-", "b_FWD<-a_FWD", "b_BWD_WG<-b_FWD", "b_BWD_WG_ALLREDUCE<-b_BWD_WG", "b_BWD_IG<-b_BWD_WG",
              "a_BWD_WG<-b_BWD_IG", "a_BWD_WG_ALLREDUCE<-a_BWD_WG", "a_FWD<-a_BWD_WG,a_BWD_WG_ALLREDUCE",
              "b_FWD<-a_FWD,b_BWD_WG_ALLREDUCE", "b_BWD_WG<-b_FWD", "b_BWD_WG_ALLREDUCE<-b_BWD_WG",
              "b_BWD_IG<-b_BWD_WG", "a_BWD_WG<-b_BWD_IG", "a_BWD_WG_ALLREDUCE<-a_BWD_WG"});
}

TEST_CASE("model parallel: everything waits for activations; their gradients travel beside the weights' computation") {
  const workload::Workload workload = workload_of("MODEL" + kTwoLayers, {.ranks = 3, .passes = 1});
  CHECK(graph_of(workload) == Lines{"a_FWD<-", "a_FWD_ALLGATHER<-a_FWD", "b_FWD<-a_FWD,a_FWD_ALLGATHER",
                                    "b_FWD_ALLGATHER<-b_FWD", "b_BWD_IG<-b_FWD,b_FWD_ALLGATHER",
                                    "b_BWD_IG_REDUCESCATTER<-b_BWD_IG", "b_BWD_WG<-b_BWD_IG",
                                    "a_BWD_IG<-b_BWD_WG,b_BWD_IG_REDUCESCATTER", "a_BWD_WG<-a_BWD_IG"});
  CHECK(workload.programs.size() == 1);
  CHECK(workload.rank_count() == 3);
}

TEST_CASE("hybrids say which dimensions of the network take part") {
  const auto excluded = [](const char* mode, const char* name) {
    const workload::Workload workload = workload_of(mode + kTwoLayers);
    const workload::Program& program = workload.program(0);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (workload.strings.text(program.names[i]) == name) return program.excluded_dims[i];
    }
    return ~0u;
  };
  CHECK(excluded("HYBRID_DATA_MODEL", "COMM_COLL_NODE_b_FWD_ALLGATHER") == 0x3fe);
  CHECK(excluded("HYBRID_DATA_MODEL", "COMM_COLL_NODE_b_BWD_WG_ALLREDUCE") == 1);
  CHECK(excluded("HYBRID_MODEL_DATA", "COMM_COLL_NODE_b_FWD_ALLGATHER") == 1);
  CHECK(excluded("HYBRID_MODEL_DATA", "COMM_COLL_NODE_b_BWD_WG_ALLREDUCE") == 0x3fe);
}

TEST_CASE("inference has no way back") {
  CHECK(graph_of(workload_of("DISTRIBUTED_INFERENCE" + kTwoLayers)) ==
        Lines{"a_FWD<-", "a_FWD_ALLGATHER<-a_FWD", "b_FWD<-a_FWD,a_FWD_ALLGATHER", "b_FWD_ALLGATHER<-b_FWD"});
}

TEST_CASE("DLRM: embeddings travel while the bottom computes; only the plain one waits for their gradients") {
  const std::string layers =
      " 1\n3\n"
      "e -1 1 ALLTOALL 8 1 ALLTOALL 9 1 NONE 0 1\n"
      "bottom -1 2 NONE 0 2 NONE 0 2 ALLREDUCE 7 1\n"
      "top -1 3 NONE 0 3 NONE 0 3 ALLREDUCE 7 1\n";
  CHECK(graph_of(workload_of("HYBRID_DLRM" + layers, {.ranks = 1, .passes = 1})) ==
        Lines{"e_FWD<-", "e_FWD_ALLTOALL<-e_FWD", "bottom_FWD<-e_FWD", "top_FWD<-bottom_FWD,e_FWD_ALLTOALL",
              "top_BWD_WG<-top_FWD", "top_BWD_WG_ALLREDUCE<-top_BWD_WG", "top_BWD_IG<-top_BWD_WG",
              "e_BWD_IG_ALLTOALL<-top_BWD_IG", "bottom_BWD_WG<-top_BWD_IG", "bottom_BWD_WG_ALLREDUCE<-bottom_BWD_WG",
              "bottom_BWD_IG<-bottom_BWD_WG", "e_BWD_WG<-bottom_BWD_IG"});
  const auto next_pass = [&](const char* mode) {
    const Lines lines = graph_of(workload_of(mode + layers, {.ranks = 1, .passes = 2}));
    return lines[12];
  };
  CHECK(next_pass("HYBRID_DLRM") == "e_FWD<-e_BWD_WG,e_BWD_IG_ALLTOALL");
  CHECK(next_pass("HYBRID_DLRM_ENHANCED") == "e_FWD<-e_BWD_WG");
}

TEST_CASE("transformers: groups of neighbours share a layer, and across these are its weights") {
  const workload::Workload workload =
      workload_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 2" + kTwoLayers, {.ranks = 4, .passes = 1});
  REQUIRE(workload.groups.size() == 4);
  CHECK(workload.groups[1].ranks == std::vector<std::uint32_t>{2, 3});
  CHECK(workload.groups[2].ranks == std::vector<std::uint32_t>{0, 2});
  const workload::Program& program = workload.program(3);
  CHECK(workload.strings.text(program.group_names[1]) == "2");
  const auto last = program.size() - 1;
  CHECK(workload.strings.text(program.names[last]) == "COMM_COLL_NODE_a_BWD_WG_ALLREDUCE");
  CHECK(workload.strings.text(program.group_names[last]) == "4");
  CHECK(error_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 3" + kTwoLayers, {.ranks = 4})
            .find("4 ranks cannot be divided into groups of 3") != std::string::npos);
}

TEST_CASE("checkpoints: what was not kept is computed again before the way back") {
  const workload::Workload workload = workload_of(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoints: 1 0 checkpoint_initiates: 1 1" +
      kTwoLayers);
  CHECK(graph_of(workload) == Lines{"a_FWD<-", "b_FWD<-a_FWD", "a_FWD_AGAIN<-b_FWD", "b_BWD_IG<-a_FWD_AGAIN",
                                    "b_BWD_WG<-b_BWD_IG", "a_BWD_IG<-b_BWD_WG", "a_BWD_WG<-a_BWD_IG"});
}

TEST_CASE("customised: each layer has its own mode") {
  const workload::Workload workload = workload_of(
      "HYBRID_CUSTOMIZED\n2\na -1 1 ALLGATHER 5 1 NONE 0 1 ALLREDUCE 6 1 DATA\nb -1 1 ALLGATHER 5 1 NONE 0 1 ALLREDUCE "
      "6 1 MODEL\n");
  CHECK(graph_of(workload) == Lines{"a_FWD<-", "b_FWD<-a_FWD", "b_FWD_ALLGATHER<-b_FWD",
                                    "b_BWD_IG<-b_FWD,b_FWD_ALLGATHER", "b_BWD_WG<-b_BWD_IG", "a_BWD_IG<-b_BWD_WG",
                                    "a_BWD_WG<-a_BWD_IG", "a_BWD_WG_ALLREDUCE<-a_BWD_WG"});
}

TEST_CASE("as Chakra's converter has it: numbers run on, NONE is an all-reduce, all take part") {
  const auto text = parse(
      "HYBRID_DATA_MODEL\r\n2\r\na -1 10 NONE 0 20 NONE 0 30 NONE 0 1\r\nb -1 0 NONE 0 21 NONE 0 31 NONE 0 1", "w.txt");
  REQUIRE(text.ok());
  CHECK(text->text.find('\r') == std::string::npos);
  const auto workload = to_chakra_workload(*text, {.ranks = 2, .passes = 1});
  REQUIRE(workload.ok());
  CHECK(graph_of(*workload) == Lines{"a_FWD<-", "a_NONE<-a_FWD", "b_FWD<-a_NONE", "b_NONE<-b_FWD", "b_BWD_IG<-b_NONE",
                                     "b_IG_COMM__NONE<-b_BWD_IG", "b_BWD_WG<-b_BWD_IG", "b_NONE<-b_BWD_WG",
                                     "a_BWD_IG<-b_BWD_WG,b_IG_COMM__NONE", "a_BWD_WG<-a_BWD_IG", "a_NONE<-a_BWD_WG"});
  CHECK(workload->program(1).ids[0] == 11);
  CHECK(workload->program(0).collectives[1] == workload::Collective::all_reduce);
  CHECK(error_of("MODEL\n1" + kTwoLayers.substr(2), {}, true).find("stops at this") != std::string::npos);
  CHECK(error_of("DISTRIBUTED_INFERENCE" + kTwoLayers, {}, true).find("Unsupported parallelism type") !=
        std::string::npos);
}

TEST_CASE("what cannot be used is named with its line") {
  CHECK(error_of("").find("line 0: there is no mode") != std::string::npos);
  CHECK(error_of("SIDEWAYS\n1\n").find("line 1: SIDEWAYS is no mode") != std::string::npos);
  CHECK(error_of("DATA\nmany\n").find("line 2: the second line is the number of layers") != std::string::npos);
  CHECK(error_of("DATA\n1\na -1 5\n").find("line 3: a layer has 12 columns, this line 3") != std::string::npos);
  CHECK(error_of("DATA\n1\na -1 x NONE 0 5 NONE 0 5 NONE 0 5\n").find("\"x\" is not a whole number") !=
        std::string::npos);
  CHECK(error_of("DATA\n1\na -1 -5 NONE 0 5 NONE 0 5 NONE 0 5\n").find("out of range") != std::string::npos);
  CHECK(error_of("DATA\n1\na -1 5 NONE 0 5 NONE 0 5 SOME 7 5\n").find("unknown type SOME") != std::string::npos);
  CHECK(error_of("DATA\n2\na -1 5 NONE 0 5 NONE 0 5 NONE 0 5\n").find("states 2 layers, but there are 1") !=
        std::string::npos);
  CHECK(error_of("HYBRID_DLRM\n1\n").find("last bottom layer") != std::string::npos);
  CHECK(error_of("DATA\n1\na -1 5 NONE 0 5 NONE 0 5 NONE 99999999999999999999 5\n").find("is not a whole number") !=
        std::string::npos);
  CHECK(looks_like_text_workload("DATA\t\n1"));
  CHECK_FALSE(looks_like_text_workload("DATAX\n1"));
}
