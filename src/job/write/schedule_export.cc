#include "job/write/schedule_export.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/parallel.h"
#include "formats/perfetto/writer.h"
#include "job/write/packet_export.h"
#include "simulate/schedule_trace.h"

namespace orrery::job {
namespace {

using simulate::ScheduleTracer;
using simulate::TraceDetail;

// What the trace has no columns for: achieved bandwidth, who was late, the other side of a message.
perfetto::MoreArguments more_arguments(const ScheduleTracer& tracer, const ScheduleTracer::Rank& traced) {
  return [&](trace::EventIndex event, JsonWriter& args) {
    const std::uint32_t activity = traced.activity_of_event[event];
    if (activity == simulate::kNone) return;
    const auto rank = static_cast<std::uint32_t>(traced.trace.rank);
    if (const simulate::CollectiveUse* use = tracer.collective_of(rank, activity)) {
      args.field("bus bandwidth (GB/s)", simulate::bus_bytes_per_second(*use) / 1e9);
      if (use->is_measured) args.field("priced by", "measured collectives");
      args.field("waited for the last rank (us)", to_us(use->last_arrival_ps - traced.trace.start[event]));
    }
    if (const auto message = tracer.message_of(rank, activity))
      args.field("from rank", message->source).field("to rank", message->target);
  };
}

Status write_rank(const ScheduleTracer& tracer, std::uint32_t rank, const std::string& path) {
  Interner strings;
  const ScheduleTracer::Rank traced = tracer.trace_rank(rank, TraceDetail::causes, strings);
  Result<perfetto::TraceWriter> writer = perfetto::TraceWriter::create(path, perfetto::header_of(traced.trace));
  if (!writer) return writer.error();
  writer->add_rank(traced.trace, strings, more_arguments(tracer, traced));
  return writer->commit();
}

Status write_folder(const ScheduleTracer& tracer, std::size_t rank_count, const std::filesystem::path& folder) {
  OutputSet files;
  if (Status made = OutputSet::make_folder(folder.string()); !made) return made;
  std::vector<std::optional<Error>> errors(rank_count);
  parallel_for(rank_count, [&](std::size_t rank) {
    const Status status =
        write_rank(tracer, static_cast<std::uint32_t>(rank), (folder / fmt::format("rank_{}.json.gz", rank)).string());
    if (!status) errors[rank] = status.error();
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return files.publish();
}

Status write_file(const ScheduleTracer& tracer, std::size_t rank_count, const std::string& path) {
  const perfetto::Header header{.world_size = static_cast<std::int64_t>(rank_count), .backend = "orrery"};
  Result<perfetto::TraceWriter> writer = perfetto::TraceWriter::create(path, header);
  if (!writer) return writer.error();
  Interner strings;
  for (std::uint32_t rank = 0; rank < rank_count; ++rank) {
    const ScheduleTracer::Rank traced = tracer.trace_rank(rank, TraceDetail::timeline, strings);
    writer->add_rank(traced.trace, strings, more_arguments(tracer, traced));
  }
  return writer->commit();
}

Status write_packets(const ScheduleTracer& tracer, const simulate::Schedule& schedule,
                     std::span<const std::string> link_names, std::size_t rank_count, const std::string& path) {
  trace::Trace trace;
  for (std::uint32_t rank = 0; rank < rank_count; ++rank)
    trace.ranks.push_back(std::move(tracer.trace_rank(rank, TraceDetail::timeline, trace.strings).trace));
  if (!trace.ranks.empty()) trace.epoch_unix_ns = trace.ranks.front().epoch_unix_ns;
  return export_packets(trace, schedule, link_names, path);
}

}  // namespace

bool shows_links(const std::string& path) { return path.ends_with(".pftrace") || path.ends_with(".pftrace.gz"); }

bool writes_folder(const std::string& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (is_standard_output(path)) return false;
  if (path.ends_with('/') || std::filesystem::is_directory(status)) return true;
  if (std::filesystem::exists(status)) return false;
  return !path.ends_with(".json") && !path.ends_with(".json.gz") && !path.ends_with(".json.zst") && !shows_links(path);
}

Status export_schedule(const workload::Workload& workload, const simulate::Schedule& schedule,
                       std::span<const std::string> link_names, const std::string& path) {
  const Result<ScheduleTracer> tracer = ScheduleTracer::make(workload, schedule);
  if (!tracer) return tracer.error();
  if (!writes_folder(path) && shows_links(path))
    return write_packets(*tracer, schedule, link_names, workload.rank_count(), path);
  return writes_folder(path) ? write_folder(*tracer, workload.rank_count(), path)
                             : write_file(*tracer, workload.rank_count(), path);
}

}  // namespace orrery::job
