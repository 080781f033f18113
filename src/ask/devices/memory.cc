#include "ask/devices/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analyze/device/copies.h"
#include "analyze/hta/memory_timeline.h"
#include "ask/devices/hta_job.h"
#include "ask/devices/memory_snapshot.h"
#include "base/io/file_content.h"
#include "formats/format.h"
#include "formats/memory_timeline/reader.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

bool is_timeline(const std::vector<std::string>& files) {
  if (files.size() != 1 || std::filesystem::is_directory(files.front())) return false;
  const auto head = read_first_bytes(files.front(), formats::Head::kBytes);
  return head && memory_timeline::looks_like_timeline(*head);
}

Result<report::Answer> answer_of_timeline(Context& context, const std::string& file) {
  if (const Status told = context.add_input(file); !told) return told.error();
  const auto changes = memory_timeline::read_timeline(file);
  if (!changes) return changes.error();
  static_assert(memory_timeline::kCategories == analyze::hta::kMemoryCategories.size());
  std::vector<analyze::hta::MemoryChange> converted;
  converted.reserve(changes->size());
  for (const memory_timeline::Change& change : *changes)
    converted.push_back({change.time_ns, change.bytes, change.category});
  const analyze::hta::MemoryTimeline timeline = analyze::hta::summarize_memory(converted);
  report::Answer answer = context.answer();
  answer
      .line(fmt::format("Memory peaks at {}, over {} in time.",
                        format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(timeline.peak_bytes, 0))),
                        report::counted(timeline.points, "point")))
      .gap();
  report::Facts& facts = answer.facts();
  facts.key("timeline").begin_object().field("points", timeline.points).field("first_ns", timeline.first_ns);
  facts.field("last_ns", timeline.last_ns)
      .field("least_ns", timeline.least_ns)
      .field("peak_bytes", timeline.peak_bytes);
  answer.table(analyze::hta::memory_categories_sheet(timeline));
  facts.end_object();
  return answer;
}

std::string copies_sentence(const DeviceJob& job, const std::vector<analyze::RankCopies>& ranks) {
  std::size_t count = 0, unsized_copies = 0;
  std::uint64_t bytes = 0;
  TimePs time = 0;
  for (const analyze::RankCopies& rank : ranks) {
    for (const analyze::CopyRates& kind : rank.kinds) {
      count += kind.count;
      unsized_copies += kind.without_bytes;
      bytes += kind.bytes;
      time = analyze::plus_capped(time, kind.time);
    }
  }
  const std::string head = window_in_words(job) + ": ";
  if (count == 0) return head + "the devices copy and set nothing.";
  std::string text = fmt::format("{}{}, {} in {}", head,
                                 count == 1 ? "1 copy or set" : fmt::format("{} copies and sets", format_count(count)),
                                 format_bytes(bytes), format_duration(time));
  return text +
         (unsized_copies > 0 ? fmt::format("; the size of {} was not recorded.", format_count(unsized_copies)) : ".");
}

}  // namespace

Result<report::Answer> run(const MemoryRequest& request, Context& context) {
  const auto error = check_device_mode(request.compat, request.devices, request.sort.has_value(),
                                       {{"include-last-step", request.include_last_step}});
  if (error) return *error;
  // A timeline has one meaning, whoever asks.
  const std::vector<std::string>& files = request.devices.recording.files;
  if (is_timeline(files)) return answer_of_timeline(context, files.front());
  if (is_memory_snapshot(files)) return answer_of_snapshot(context, files.front(), request.against, request.top);
  if (request.against)
    return misuse("--against compares memory snapshots", "name a file of torch.cuda.memory._dump_snapshot");
  if (request.compat == Compat::hta)
    return memory_as_hta({request.devices.recording, request.include_last_step}, context);
  const auto job = load_devices(context, request.devices);
  if (!job) return job.error();
  report::Answer answer = context.answer();
  if (answer.for_people() && !analyze::any_device_work(job->ranks)) {
    tell_no_device_work(answer, request.devices, *job);
    return answer;
  }
  const std::vector<analyze::RankCopies> ranks = analyze::measure_copies(job->ranks);
  report::Sheet copies = analyze::copies_sheet(ranks);
  const bool any_copy = copies.rows() > 0;
  answer.headline(copies_sentence(*job, ranks));
  if (any_copy) answer.gap();
  DeviceTables tables(answer, *job);
  tables.add([&] { return std::move(copies); }, "the devices copy and set nothing in the window",
             {.view = {.rows = rows_shown(request.top), .largest = request.sort.value_or("time")}});
  tables.finish();
  tell_next(answer, request.devices,
            any_copy ? "does copying hide behind computing?" : "what do the devices do instead?", "breakdown");
  return answer;
}

}  // namespace orrery::ask
