#include "formats/simgrid_ti/writer.h"

#include <doctest/doctest.h>

#include "motif/patterns/catalog.h"
#include "motif/patterns/pattern_source.h"
#include "workload/resolve_roles.h"

using namespace orrery;

namespace {

Result<std::string> text_of(std::string_view name, const motif::Settings& settings, std::uint32_t ranks,
                            std::uint32_t rank) {
  auto source = motif::pattern_source(*motif::make_pattern(name, settings, ranks));
  REQUIRE(source.ok());
  auto whole = workload::collect(**source);
  REQUIRE(whole.ok());
  return simgrid_ti::rank_text(workload::resolve_roles(*whole), rank);
}

}  // namespace

TEST_CASE("messages that the next activity waits for block; the others are waited for where the program does") {
  CHECK(*text_of("pingpong", {}, 2, 0) == "0 init\n0 send 1 0 1024 6\n0 irecv 1 0 1024 6\n0 wait 1 0 0\n0 finalize\n");
  CHECK(*text_of("bipingpong", {{"messageSize", "8"}}, 2, 1) ==
        "1 init\n1 irecv 0 0 8 6\n1 send 0 0 8 6\n1 wait 0 1 0\n1 finalize\n");
}

TEST_CASE("collectives of all ranks have their words, with sizes as SimGrid counts them") {
  CHECK(*text_of("allreduce", {{"count", "3"}}, 4, 2) ==
        "2 init\n2 sleep 0.000000001000\n2 allreduce 24 0 6\n2 finalize\n");
  CHECK(*text_of("bcast", {{"root", "1"}, {"compute", "0"}}, 4, 0) == "0 init\n0 bcast 8 1 6\n0 finalize\n");
  CHECK(*text_of("alltoall", {{"bytes", "10"}, {"compute", "0"}}, 4, 0) ==
        "0 init\n0 alltoall 10 10 6 6\n0 finalize\n");
  CHECK(*text_of("scatter", {{"count", "2"}, {"compute", "0"}}, 4, 0) == "0 init\n0 scatter 16 16 0 6 6\n0 finalize\n");
}

TEST_CASE("collectives among a part of the ranks are refused: SimGrid would run them among all") {
  const auto text = text_of("fft3d", {}, 4, 0);
  REQUIRE_FALSE(text.ok());
  CHECK(text.error().message.find("is among a part of the ranks, and SimGrid replays every collective among all") !=
        std::string::npos);
}
