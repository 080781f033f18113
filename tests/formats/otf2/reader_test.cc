// OTF2 archives, written here by their own library: calls, messages and collectives of two ranks.
#include "formats/otf2/reader.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;

#ifdef ORRERY_OTF2
#include <otf2/otf2.h>

namespace {

enum Region : OTF2_RegionRef { kMain, kSend, kRecv, kIsend, kIrecv, kWait, kAllreduce, kAlltoall, kSolve };

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp after_flush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

/// Two ranks of 1 GHz clocks that began at 1,000 ticks. Returns the anchor.
std::string write_archive(const std::string& folder) {
  OTF2_Archive* const archive = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                                  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  REQUIRE(archive != nullptr);
  const OTF2_FlushCallbacks callbacks = {flush, after_flush};
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  for (OTF2_LocationRef rank = 0; rank < 2; ++rank) {
    OTF2_EvtWriter* const events = OTF2_Archive_GetEvtWriter(archive, rank);
    const auto other = static_cast<std::uint32_t>(1 - rank);
    OTF2_EvtWriter_Enter(events, nullptr, 1000, kMain);
    OTF2_EvtWriter_Enter(events, nullptr, 1050, kSolve);
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
    OTF2_MetricValue values[2];
    values[0].unsigned_int = 5, values[1].floating_point = 1.5;
    OTF2_EvtWriter_Metric(events, nullptr, 1060, 0, 2, types, values);
    OTF2_EvtWriter_Metric(events, nullptr, 1070, 77, 2, types, values);  // nobody defines it
    OTF2_EvtWriter_Enter(events, nullptr, 1100, rank == 0 ? kSend : kRecv);
    if (rank == 0) OTF2_EvtWriter_MpiSend(events, nullptr, 1110, other, 0, 7, 64);
    else OTF2_EvtWriter_MpiRecv(events, nullptr, 1190, other, 0, 7, 64);
    OTF2_EvtWriter_Leave(events, nullptr, 1200, rank == 0 ? kSend : kRecv);
    OTF2_EvtWriter_Enter(events, nullptr, 1300, rank == 0 ? kIrecv : kIsend);
    if (rank == 0) OTF2_EvtWriter_MpiIrecvRequest(events, nullptr, 1301, 42);
    else OTF2_EvtWriter_MpiIsend(events, nullptr, 1301, other, 1, 9, 128, 42);
    OTF2_EvtWriter_Leave(events, nullptr, 1310, rank == 0 ? kIrecv : kIsend);
    OTF2_EvtWriter_Enter(events, nullptr, 1400, kWait);
    if (rank == 0) OTF2_EvtWriter_MpiIrecv(events, nullptr, 1490, other, 1, 9, 128, 42);
    else OTF2_EvtWriter_MpiIsendComplete(events, nullptr, 1490, 42);
    OTF2_EvtWriter_Leave(events, nullptr, 1500, kWait);
    OTF2_EvtWriter_Enter(events, nullptr, 1600, kAllreduce);
    OTF2_EvtWriter_MpiCollectiveBegin(events, nullptr, 1600);
    OTF2_EvtWriter_MpiCollectiveEnd(events, nullptr, 1700, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32, 32,
                                    32);
    OTF2_EvtWriter_Leave(events, nullptr, 1700, kAllreduce);
    OTF2_EvtWriter_Enter(events, nullptr, 1800, kAlltoall);
    OTF2_EvtWriter_MpiCollectiveEnd(events, nullptr, 1900, OTF2_COLLECTIVE_OP_ALLTOALL, 0, OTF2_UNDEFINED_UINT32, 32,
                                    32);
    OTF2_EvtWriter_Leave(events, nullptr, 1900, kAlltoall);
    OTF2_EvtWriter_Leave(events, nullptr, 1940, kSolve);
    OTF2_EvtWriter_Enter(events, nullptr, 1950, kWait);  // and the run was stopped
    OTF2_Archive_CloseEvtWriter(archive, events);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  for (OTF2_LocationRef rank = 0; rank < 2; ++rank)
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, rank));
  OTF2_Archive_CloseDefFiles(archive);
  OTF2_GlobalDefWriter* const definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1'000'000'000, 1000, 1000, 1'760'000'000'000'000'000);
  const char* const names[] = {"main",       "MPI_Send",      "MPI_Recv",     "MPI_Isend", "MPI_Irecv",
                               "MPI_Wait",   "MPI_Allreduce", "MPI_Alltoall", "solve",     "MPI Rank 1",
                               "MPI Rank 0", "bytes written", "power",        "KiB",       "W"};
  OTF2_StringRef text = 0;
  for (const char* const name : names) OTF2_GlobalDefWriter_WriteString(definitions, text++, name);
  for (OTF2_RegionRef region = kMain; region <= kSolve; ++region)
    OTF2_GlobalDefWriter_WriteRegion(definitions, region, region, region, 0, OTF2_REGION_ROLE_FUNCTION,
                                     region == kMain    ? OTF2_PARADIGM_COMPILER
                                     : region == kSolve ? OTF2_PARADIGM_USER
                                                        : OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, 0, 0, 0);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (OTF2_LocationRef rank = 0; rank < 2; ++rank) {
    const auto group = static_cast<OTF2_LocationGroupRef>(rank);
    OTF2_GlobalDefWriter_WriteLocationGroup(definitions, group, rank == 0 ? 10 : 9, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(definitions, rank, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 20, group);
  }
  OTF2_GlobalDefWriter_WriteMetricMember(definitions, 0, 11, 11, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                                         OTF2_TYPE_UINT64, OTF2_BASE_BINARY, 10, 13);
  OTF2_GlobalDefWriter_WriteMetricMember(definitions, 1, 12, 12, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                                         OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, 14);
  const OTF2_MetricMemberRef members[] = {0, 1};
  OTF2_GlobalDefWriter_WriteMetricClass(definitions, 0, 2, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  const std::uint64_t world[] = {0, 1}, reversed[] = {1, 0};
  OTF2_GlobalDefWriter_WriteGroup(definitions, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, world);
  OTF2_GlobalDefWriter_WriteGroup(definitions, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, world);
  // In the second communicator, places are the other way round.
  OTF2_GlobalDefWriter_WriteGroup(definitions, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, reversed);
  OTF2_GlobalDefWriter_WriteComm(definitions, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteComm(definitions, 1, 0, 2, 0, OTF2_COMM_FLAG_NONE);
  OTF2_Archive_Close(archive);
  return folder + "/traces.otf2";
}

}  // namespace

TEST_CASE("calls of an archive become those of an MPI job, on one clock") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const std::string anchor = write_archive(dir.path("run"));
  const auto trace = otf2::read_archive(anchor, diagnostics);
  REQUIRE(trace);
  CHECK(otf2::is_anchor(orrery::testing::read_file(anchor)));
  REQUIRE(trace->ranks.size() == 2);
  CHECK(trace->epoch_unix_ns == 1'760'000'000'000'000'000);
  const trace::RankTrace &first = trace->ranks[0], &second = trace->ranks[1];
  REQUIRE(first.event_count() == 6);
  REQUIRE(second.event_count() == 6);
  const auto value = [](const trace::RankTrace& rank, trace::Field field, trace::EventIndex e) {
    return rank.field(field).find(e).value_or(-99);
  };
  const auto text = [&](const trace::RankTrace& rank, trace::Field field, trace::EventIndex e) {
    return trace->strings.text(static_cast<StringId>(rank.field(field).find(e).value_or(0)));
  };
  CHECK(trace->name(first, 0) == "MPI_Send");
  CHECK(first.start[0] == 100 * kPsPerNs);
  CHECK(first.duration[0] == 100 * kPsPerNs);
  CHECK(value(first, trace::Field::destination_rank, 0) == 1);
  CHECK(value(first, trace::Field::tag, 0) == 7);
  CHECK(value(second, trace::Field::source_rank, 0) == 0);
  CHECK(value(second, trace::Field::bytes, 0) == 64);
  // The receive is told whom it is from when it is completed, by its place in a communicator of another order.
  CHECK(value(first, trace::Field::source_rank, 1) == 0);
  CHECK(value(first, trace::Field::bytes, 1) == 128);
  CHECK(text(first, trace::Field::requests_text, 2) == "[0]");
  CHECK(value(first, trace::Field::request, 1) == 0);
  CHECK(text(first, trace::Field::group_ranks_text, 1) == "[1, 0]");
  CHECK(text(first, trace::Field::collective_text, 3) == "all_reduce");
  CHECK(text(first, trace::Field::group_name_text, 3) == "world");
  CHECK(value(first, trace::Field::collective_sequence, 4) == value(second, trace::Field::collective_sequence, 4));
  CHECK(value(first, trace::Field::bytes, 4) == 16);  // what goes to each
  CHECK(diagnostics.sorted().size() == 1);            // the wait and the region that nobody left
}

TEST_CASE("regions of the program are annotations, and metrics counters in their base unit") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const auto trace = otf2::read_archive(write_archive(dir.path("run")), diagnostics);
  REQUIRE(trace);
  const trace::RankTrace& rank = trace->ranks[1];
  CHECK(trace->name(rank, 5) == "solve");
  CHECK(rank.activity(5) == trace::Activity::annotation);
  CHECK(rank.start[5] == 50 * kPsPerNs);
  CHECK(rank.end(5) == 940 * kPsPerNs);
  CHECK(rank.lane[5] == rank.lane[0]);
  REQUIRE(rank.counters.size() == 2);
  CHECK(trace->strings.text(rank.counters.name[0]) == "bytes written");
  CHECK(rank.counters.value[0] == 5 * 1024);
  CHECK(trace->strings.text(rank.counters.unit[1]) == "W");
  CHECK(rank.counters.value[1] == 1.5);
  CHECK(rank.counters.time[1] == 60 * kPsPerNs);
}

TEST_CASE("archives that lack a file or are damaged are refused") {
  orrery::testing::TempDir dir;
  Diagnostics diagnostics;
  const std::string anchor = write_archive(dir.path("run"));
  std::filesystem::remove(dir.path("run/traces.def"));
  CHECK_FALSE(otf2::read_archive(anchor, diagnostics));
  CHECK_FALSE(otf2::read_archive(dir.write("cut.otf2", orrery::testing::read_file(anchor).substr(0, 20)), diagnostics));
  CHECK_FALSE(otf2::read_archive(dir.write("none.otf2", ""), diagnostics));
}

#else

TEST_CASE("without its library an archive is refused, and why is said") {
  Diagnostics diagnostics;
  const auto trace = otf2::read_archive("traces.otf2", diagnostics);
  REQUIRE_FALSE(trace);
  CHECK(trace.error().message.find("without the OTF2 library") != std::string::npos);
  CHECK_FALSE(otf2::is_available());
}

#endif
