#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/goal/reader.h"

using namespace orrery;
using workload::ActivityKind;
using workload::Dependency;
using workload::Program;

namespace {

/// "2>4 0*1": node 4 waits for the end of 2, node 1 for the start of 0; in the order of the file.
std::string edges(const Program& program) {
  std::string text;
  const graph::Graph& graph = program.dependencies;
  for (graph::EdgeId edge = 0; edge < graph.edge_count(); ++edge) {
    const graph::Slot slot = graph.slot_of_edge(edge);
    const char sign = static_cast<Dependency>(graph.type(slot)) == Dependency::start ? '*' : '>';
    text += (text.empty() ? "" : " ") + std::to_string(graph.source(slot)) + sign + std::to_string(graph.target(slot));
  }
  return text;
}

std::string text_error_of(std::string_view text) {
  const auto workload = goal::parse_workload(text, "x.goal");
  if (workload) return "";
  CHECK(workload.error().file == "x.goal");
  CHECK(workload.error().offset <= text.size());
  return workload.error().message;
}

/// The error of a statement in a block that opens on line 2 and defines `a`.
std::string error_in_rank(const std::string& statement) {
  return text_error_of("num_ranks 2\nrank 0 { a: calc 1\n" + statement + "\n}\nrank 1 {}");
}

}  // namespace

TEST_CASE("a schedule becomes one program per rank") {
  const auto workload = goal::read_workload(ORRERY_SOURCE_DIR "/tests/formats/goal/data/halo.goal");
  REQUIRE_MESSAGE(workload.ok(), workload.error().to_string());
  REQUIRE(workload->rank_count() == 3);

  const Program& first = workload->program(0);
  REQUIRE(first.size() == 4);
  CHECK(workload->describe(0, 0) == "rank 0, node 0 (recv right_in)");
  CHECK(first.kinds[1] == ActivityKind::send);
  CHECK(first.bytes[1] == 4096);
  CHECK(first.peers[1] == 1);
  CHECK(first.tags[1] == 2);
  CHECK(first.has(1, workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag));
  CHECK(first.duration_ps(2) == 20'000 * kPsPerNs);
  CHECK(first.cpus[2] == 1);
  CHECK(first.cpus[3] == 0);
  CHECK(edges(first) == "0*1 0>3 2>3");

  const Program& middle = workload->program(1);
  CHECK(middle.peers[0] == -1);  // any source
  CHECK(middle.tags[1] == -1);   // any tag
  CHECK(middle.nics[1] == 1);
  CHECK(middle.bytes[3] == 4096);
  CHECK(middle.nics[3] == 1);
  CHECK(edges(middle) == "0*2 1*3 0>5 1>5 4>5");

  const Program& last = workload->program(2);
  CHECK(last.names[1] == 0);  // an operation without a label
  CHECK(edges(last) == "0>2");
}

TEST_CASE("ranks come in any order, labels hold within a rank, dependencies stay in the order of the file") {
  const auto workload = goal::parse_workload(
      "num_ranks 2 rank 1 { l1: calc 7\n } rank 0 {\nl1: calc 5\nl2: calc 1\nl3: calc 2\nl3 requires l1\nl2 requires "
      "l1\n}",
      "x.goal");
  REQUIRE_MESSAGE(workload.ok(), workload.error().to_string());
  CHECK(workload->program(1).duration_ps(0) == 7 * kPsPerNs);
  CHECK(edges(workload->program(0)) == "0>2 0>1");
}

TEST_CASE("the same dependency twice, and both kinds at once, are kept") {
  const auto workload = goal::parse_workload(
      "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nb irequires a\nb requires a\nb requires a\n}", "x.goal");
  REQUIRE(workload.ok());
  CHECK(edges(workload->program(0)) == "0*1 0>1 0>1");
}

TEST_CASE("what cannot be read is an error with its line") {
  CHECK(text_error_of("") == "line 1: expected 'num_ranks', but the file ends");
  CHECK(text_error_of("hello") == "line 1: expected 'num_ranks', found 'hello'");
  CHECK(text_error_of("num_ranks -3") == "line 1: expected the number of ranks, found '-3'");
  CHECK(text_error_of("num_ranks 0\n") == "line 2: a schedule of no ranks");
  CHECK(text_error_of("num_ranks 4000000000") == "line 1: the number of ranks is 4000000000, more than 2147483647");
  CHECK(text_error_of("num_ranks 2000000000\n") == "line 2: 2,000,000,000 ranks cannot be in a file of 21 bytes");
  CHECK(text_error_of("num_ranks 1\nrank 0 {\ncalc 5\n") ==
        "line 4: expected an operation, a dependency or '}', but the file ends");
  CHECK(text_error_of("num_ranks 1\nrank 0 {\ncalc 5 /* \n\n}") ==
        "line 5: expected an operation, a dependency or '}', but the file ends; a comment is never closed");
  CHECK(text_error_of("num_ranks 2\nrank 0 { }\n\n") == "line 4: the file ends without rank 1 of 2");
  CHECK(text_error_of("num_ranks 1\nrank 0 { }\nrank 0 { }") == "line 3: rank 0 again");
  CHECK(text_error_of("num_ranks 1\nrank 1 { }\n") == "line 2: the rank is 1, more than 0");
  CHECK(text_error_of("num_ranks 1\nnum_ranks 1\nrank 0 { }") == "line 2: expected 'rank', found 'num_ranks'");
}

TEST_CASE("a statement that cannot be read is an error with its line") {
  CHECK(error_in_rank("b: send 8b to 1") == "");
  CHECK(error_in_rank("b: sned 8b to 1") == "line 3: expected 'send', 'recv' or 'calc', found 'sned'");
  CHECK(error_in_rank("b: send 8 to 1") == "line 3: expected 'b', found 'to'");
  CHECK(error_in_rank("b: send -8b to 1") == "line 3: expected a size such as '1024b', found '-8b'");
  CHECK(error_in_rank("b: send 99999999999999999999b to 1") ==
        "line 3: expected a size such as '1024b', found '99999999999999999999b'");
  CHECK(error_in_rank("b: send 8b from 1") == "line 3: expected 'to', found 'from'");
  CHECK(error_in_rank("b: send 8b to 2") == "line 3: the rank is 2, more than 1");
  CHECK(error_in_rank("b: send 8b to -1") == "line 3: expected the rank, found '-1'");
  CHECK(error_in_rank("b: recv 8b from -2") == "line 3: expected the rank, found '-2'");
  CHECK(error_in_rank("b: recv 8b from 1 tag 4294967295") == "line 3: the tag is 4294967295, more than 4294967294");
  CHECK(error_in_rank("b: recv 8b from 1 cpu 256") == "line 3: the cpu number is 256, more than 255");
  CHECK(error_in_rank("b: calc 5 nic 1") == "line 3: expected the end of the line, found 'nic'");
  CHECK(error_in_rank("b: calc 9223372036854775807") ==
        "line 3: the time in ns is 9223372036854775807, more than 2305843009213693");
  CHECK(error_in_rank("b: calc 5 calc 6") == "line 3: expected the end of the line, found 'calc'");
  CHECK(error_in_rank("a: calc 5") == "line 3: another operation of this rank is called 'a'");
  CHECK(error_in_rank("a requires b") == "line 3: no operation of this rank before this line is called 'b'");
  CHECK(error_in_rank("b requires a") == "line 3: no operation of this rank before this line is called 'b'");
  CHECK(error_in_rank("a requires a") == "line 3: an operation waits for itself");
  CHECK(error_in_rank("a needs a") == "line 3: expected ':', 'requires' or 'irequires', found 'needs'");
  CHECK(error_in_rank("a requires 7") == "line 3: expected a label, found '7'");
  CHECK(error_in_rank("%") == "line 3: expected an operation, a dependency or '}', found '%'");
  CHECK(error_in_rank("b: calc 1\na requires b\nb irequires a").find("line 6: rank 0 from line 2 on: ") == 0);
}
