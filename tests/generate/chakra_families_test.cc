#include "generate/chakra_families.h"

#include <doctest/doctest.h>

#include <string>

using namespace orrery;

TEST_CASE("the families come in the generator's order, with ids that run on") {
  const auto families = generate::chakra_families({.ranks = 4});
  REQUIRE(families.ok());
  std::string text;
  for (const generate::NamedWorkload& family : *families) {
    CHECK(family.workload.rank_count() == 4);
    const workload::Program& last = family.workload.program(3);
    text += family.name + " " + std::to_string(family.workload.program(0).ids[0]) + "-" +
            std::to_string(last.ids[last.size() - 1]) + " " + std::string(family.workload.strings.text(last.names[0])) +
            "\n";
  }
  CHECK(text ==
        "one_metadata_node_all_types 0-3 METADATA_NODE\n"
        "one_remote_mem_load_node 4-7 MEM_LOAD_NODE\n"
        "one_remote_mem_store_node 8-11 MEM_STORE_NODE\n"
        "one_comp_node 12-15 COMP_NODE\n"
        "two_comp_nodes_independent 16-23 COMP_NODE\n"
        "two_comp_nodes_dependent 24-31 COMP_NODE\n"
        "ALL_REDUCE 32-35 ALL_REDUCE\n"
        "ALL_TO_ALL 36-39 ALL_TO_ALL\n"
        "ALL_GATHER 40-43 ALL_GATHER\n"
        "REDUCE_SCATTER 44-47 REDUCE_SCATTER\n"
        "BROADCAST 48-51 BROADCAST\n"
        "BARRIER 52-55 BARRIER\n"
        "one_comm_send_node 56-59 COMM_SEND_NODE\n"
        "one_comm_recv_node 60-63 COMM_RECV_NODE\n");
  CHECK((*families)[4].workload.program(0).dependencies.edge_count() == 0);
  CHECK((*families)[5].workload.program(0).dependencies.edge_count() == 1);
  CHECK((*families)[6].workload.program(0).bytes[0] == 65536);
  CHECK((*families)[11].workload.program(0).bytes[0] == 0);
}

TEST_CASE("sizes and runtimes are the options'; impossible ones are refused") {
  const auto families =
      generate::chakra_families({.ranks = 1, .runtime_us = 7, .tensor_bytes = 8, .collective_bytes = 9});
  REQUIRE(families.ok());
  CHECK((*families)[1].workload.program(0).bytes[0] == 8);
  CHECK((*families)[3].workload.program(0).duration_ps(0) == 7 * kPsPerUs);
  CHECK((*families)[7].workload.program(0).bytes[0] == 9);
  CHECK_FALSE(generate::chakra_families({.ranks = 0}).ok());
  CHECK_FALSE(generate::chakra_families({.runtime_us = INT64_MAX}).ok());
}
