#include "formats/chakra/format.h"

#include "formats/chakra/feeder_writer.h"
#include "formats/chakra/reader.h"
#include "formats/chakra/timeline_log.h"
#include "formats/chakra/writer.h"

namespace orrery::chakra {
namespace {

// Nothing marks such a file: what nothing else claims is one if it may be.
bool is_chakra(const formats::Head& head) { return head.is_called(".et") || looks_like_protobuf(head.bytes); }
bool is_feeder(const formats::Head& head) { return looks_like_feeder_json(head.bytes); }
bool is_log(const formats::Head& head) { return looks_like_timeline_log(head.bytes); }

Result<workload::Workload> read_rank_programs(std::span<const std::string> paths,
                                              const formats::WorkloadOptions& options) {
  return read_workload(
      paths, {.schema = options.schema, .diagnostics = options.diagnostics, .micros_only = options.micros_only});
}

Status write_rank_program(const workload::Workload& workload, std::size_t rank, const std::string& path) {
  return write_rank(workload, rank, path);
}

}  // namespace

const formats::Format kFormat{.name = "chakra",
                              .title = "a Chakra execution trace",
                              .content = formats::Content::rank_program,
                              .priority = 90,
                              .sniff = is_chakra,
                              .read_workload = read_rank_programs,
                              .write_rank = write_rank_program};

const formats::Format kFeederFormat{.name = "feeder",
                                    .title = "the JSON of Chakra's feeder",
                                    .content = formats::Content::rank_program,
                                    .priority = 10,
                                    .sniff = is_feeder,
                                    .read_workload = read_rank_programs,
                                    .write_rank = write_feeder_json};

const formats::Format kLogFormat{
    .name = "log", .title = "a log of ASTRA-sim", .content = formats::Content::log, .priority = 35, .sniff = is_log};

}  // namespace orrery::chakra
