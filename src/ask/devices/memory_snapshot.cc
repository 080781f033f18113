#include "ask/devices/memory_snapshot.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/memory/block_rules.h"
#include "analyze/memory/memory_peak.h"
#include "base/io/file_content.h"
#include "base/units.h"
#include "formats/format.h"
#include "formats/memory_snapshot/reader.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kEstimatedLayout{
    "Y202", Severity::note, "memory snapshot with blocks that are not of the size that the allocator's settings give",
    "settings were changed during the run, or a pool is never split (no_split): sizes of earlier blocks, and the peak, "
    "are estimated"};
constexpr DiagnosticKind kCutHistory{"Y203", Severity::note,
                                     "memory that was allocated before the history of the snapshot begins",
                                     "record from the start, or with a larger max_entries, to see where it came from"};

}  // namespace

Result<ReadMemory> read_memory(Context& context, const std::string& file) {
  if (const Status told = context.add_input(file); !told) return told.error();
  Result<memory_snapshot::Snapshot> snapshot = memory_snapshot::read_snapshot(file, context.diagnostics());
  if (!snapshot) return snapshot.error();
  ReadMemory read{std::move(*snapshot), {}};
  read.devices = analyze::replay_allocator(read.snapshot);
  for (const analyze::DeviceMemory& device : read.devices) {
    read.peak = analyze::plus_bytes(read.peak, device.peak_allocated);
    read.is_estimated |= device.is_estimated;
    if (device.history == analyze::History::cut) context.diagnostics().add(kCutHistory, [&] { return file; });
  }
  if (read.is_estimated) context.diagnostics().add(kEstimatedLayout, [&] { return file; });
  return read;
}

bool is_memory_snapshot(const std::vector<std::string>& files) {
  if (files.size() != 1 || std::filesystem::is_directory(files.front())) return false;
  const auto head = read_first_bytes(files.front(), formats::Head::kBytes);
  return head && memory_snapshot::looks_like_snapshot(*head);
}

Result<report::Answer> answer_of_snapshot(Context& context, const std::string& file,
                                          const std::optional<std::string>& against, std::size_t top) {
  const Result<ReadMemory> read = read_memory(context, file);
  if (!read) return read.error();
  const auto bytes = [](std::int64_t count) { return format_bytes(static_cast<std::uint64_t>(count)); };
  const std::size_t rows = top == 0 || context.verbose() ? ~std::size_t{0} : top;
  report::Answer answer = context.answer();
  answer.headline(
      fmt::format("Memory peaks at {}; what NCCL and cuBLAS take for themselves is not in it.", bytes(read->peak)));
  answer.gap();
  report::Facts& facts = answer.facts();
  facts.key("snapshot").begin_object();
  facts.field("estimated", read->is_estimated);
  answer.table(analyze::memory_devices_sheet(read->devices));
  answer.table(analyze::memory_peak_sheet(read->snapshot, read->devices),
               {.view = {.rows = rows, .rest = "rows"}, .after_gap = true});
  answer.table(analyze::memory_leaks_sheet(read->snapshot, read->devices), {.after_gap = true});
  answer.table(analyze::memory_oom_sheet(read->snapshot), {.after_gap = true});
  facts.end_object();
  if (!against) return answer;
  const Result<ReadMemory> other = read_memory(context, *against);
  if (!other) return other.error();
  // From the named snapshot to the other.
  const std::int64_t change = other->peak - read->peak;
  answer.gap().line(fmt::format("Against {}: the peak is {} {} there.", *against, bytes(change < 0 ? -change : change),
                                change < 0 ? "lower" : "higher"));
  facts.key("against").begin_object().field("peak_change_bytes", change);
  answer.table(analyze::memory_changes_sheet(read->snapshot, read->devices, other->snapshot, other->devices),
               {.view = {.rows = rows, .rest = "rows"}, .after_gap = true});
  facts.end_object();
  return answer;
}

}  // namespace orrery::ask
