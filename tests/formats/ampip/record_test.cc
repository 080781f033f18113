#include "formats/ampip/record.h"

#include <doctest/doctest.h>

namespace orrery::ampip {

TEST_CASE("the kinds of records of the text spelling") {
  Record record;
  REQUIRE(parse_text_record("TRACE 10 -> 11 977.6 MPI_Alltoallv coll 0xfffff7850c18 0 to 0>1<1 1>2<2 2>3<3 3>4<5 ",
                            record) == nullptr);
  CHECK(record.from == 10);
  CHECK(record.callsite == 11);
  CHECK(record.delta_ps == 977'600'000);
  CHECK(record.function == "MPI_Alltoallv");
  CHECK(record.partner == Partner::communicator);
  CHECK(record.handle == 0xfffff7850c18);
  CHECK(record.bytes == 0);
  CHECK(record.members == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(record.send_counts == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(record.receive_counts == std::vector<std::int64_t>{1, 2, 3, 5});
  REQUIRE(parse_text_record("TRACE 14 -> 15 158.9 MPI_Isend p2p 64 to 1:3", record) == nullptr);
  CHECK(record.members.empty());
  CHECK(record.partner == Partner::rank);
  CHECK(record.bytes == 64);
  CHECK(record.place == 1);
  CHECK(record.rank == 3);
  REQUIRE(parse_text_record("TRACE 15 -> 16 8949.1 MPI_Wait", record) == nullptr);
  CHECK(record.partner == Partner::none);
  CHECK(record.bytes == -1);
  // The first record of a Cori trace counts from 1970, in microseconds.
  REQUIRE(parse_text_record("TRACE 0 -> 1 1672857250203354.0 MPI_Allreduce coll 0x84000000 8 to 0", record) == nullptr);
  CHECK_FALSE(record.delta_is_usable);
}

TEST_CASE("what is no record, and where it goes wrong") {
  Record record;
  const auto wrong_at = [&](std::string_view line) {
    const char* const wrong = parse_text_record(line, record);
    return wrong == nullptr ? std::string_view::npos : static_cast<std::size_t>(wrong - line.data());
  };
  CHECK(wrong_at("TRACE 1 -> 2 MPI_Send") == 13);
  CHECK(wrong_at("TRACE 1 -> 2 3.5 Send") == 17);
  CHECK(wrong_at("TRACE 1 -> 2 3.5 MPI_Bcast coll 0x1 8 to ") != std::string_view::npos);  // nobody
  CHECK(wrong_at("TRACE 1 -> 2 3.5 MPI_Bcast coll 0x1 8 to 0>1 1") !=
        std::string_view::npos);                                                               // a count for one of two
  CHECK(wrong_at("TRACE 1 -> 2 3.5 MPI_Bcast coll 0x1 -8 to 0 1") != std::string_view::npos);  // negative size
  CHECK(wrong_at("TRACE 1 -> 2 3.5 MPI_Isend p2p 64 to 1") != std::string_view::npos);         // no world rank
  CHECK(wrong_at("TRACE 1 -> 2 3.5 MPI_Isend smoke signals") != std::string_view::npos);
}

TEST_CASE("the records of 2023") {
  Record record;
  REQUIRE(parse_csv_record("15,MPI_Isend,203.447000,64,1,3,solve.halo", record) == nullptr);
  CHECK(record.callsite == 15);
  CHECK(record.delta_ps == 203'447'000);
  CHECK(record.rank == 3);
  CHECK(record.region == "solve.halo");
  REQUIRE(parse_csv_record("16,MPI_Wait,31162.693000,0,-1,-1,", record) == nullptr);
  CHECK(record.partner == Partner::none);
  CHECK(record.bytes == -1);
  CHECK(parse_csv_record("16,MPI_Wait,31162.693000,0,-1", record) != nullptr);
}

}  // namespace orrery::ampip
