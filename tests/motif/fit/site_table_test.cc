#include "motif/fit/mpi_ranks.h"

#include <doctest/doctest.h>

namespace orrery::motif::fit {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST_CASE("sites with a stack are told apart by it") {
  SiteTable table;
  CHECK(table.place({{"MPI_Send", "a.cc:1"}, {"MPI_Recv", "a.cc:2"}}, {0, 1}) == Numbers{1, 2});
  CHECK(table.place({{"MPI_Recv", "a.cc:2"}, {"MPI_Bcast", "a.cc:9"}, {"MPI_Send", "a.cc:1"}}, {0, 1, 2}) ==
        Numbers{2, 3, 1});
  CHECK(table.sites().size() == 3);
  CHECK(table.sites()[2].operation == "MPI_Bcast");
}

TEST_CASE("twins are told apart by what surrounds them") {
  // Two reductions of one stack: one after the broadcast, one after the barrier. The second run comes to the barrier
  // first.
  SiteTable table;
  CHECK(table.place({{"Bcast", "b"}, {"Reduce", "r"}, {"Barrier", "x"}, {"Reduce", "r #2"}}, {0, 1, 2, 3, 0, 1}) ==
        Numbers{1, 2, 3, 4});
  CHECK(table.place({{"Barrier", "x"}, {"Reduce", "r"}, {"Bcast", "b"}, {"Reduce", "r #2"}}, {0, 1, 2, 3, 0, 1}) ==
        Numbers{3, 4, 1, 2});
}

TEST_CASE("sites without a stack are put side by side in the order of their functions") {
  SiteTable table;
  CHECK(table.place({{"Bcast"}, {"Dup"}, {"Dup"}, {"Reduce"}}, {0, 1, 2, 3}) == Numbers{1, 2, 3, 4});
  CHECK(table.place({{"Bcast"}, {"Dup"}, {"Reduce"}, {"Free"}}, {0, 1, 2, 3}) == Numbers{1, 2, 4, 5});
  CHECK(table.place({{"Bcast"}, {"Dup"}, {"Dup"}, {"Reduce"}, {"Free"}}, {0, 1, 2, 3, 4}) == Numbers{1, 2, 3, 4, 5});
}

}  // namespace
}  // namespace orrery::motif::fit
