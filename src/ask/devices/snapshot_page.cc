#include "ask/devices/snapshot_page.h"

#include <fmt/format.h>

#include "ask/devices/memory_snapshot.h"
#include "ask/provenance.h"
#include "base/units.h"
#include "page/memory_page.h"
#include "report/counted.h"

namespace orrery::ask {

Result<report::Answer> write_snapshot_page(Context& context, const SnapshotPageRequest& request) {
  const Result<ReadMemory> read = read_memory(context, request.file);
  if (!read) return read.error();
  std::optional<ReadMemory> before;
  if (request.against) {
    Result<ReadMemory> other = read_memory(context, *request.against);
    if (!other) return other.error();
    before = std::move(*other);
  }
  page::PageSource source{.version = version(), .command = request.command, .inputs = {}, .seed = {}};
  for (const InputRecord& input : context.provenance().inputs)
    source.inputs.push_back({input.path, input.bytes, input.xxh3});
  const page::SnapshotMemory now{read->snapshot, read->devices, request.file};
  std::optional<page::SnapshotMemory> earlier;
  if (before) earlier.emplace(page::SnapshotMemory{before->snapshot, before->devices, *request.against});
  page::Page made =
      page::make_memory_page(now, earlier ? &*earlier : nullptr, request.title, source, context.diagnostics());
  const std::vector<page::Section> sections = made.sections;
  const Result<std::uint64_t> bytes = page::write_page(request.output, std::move(made));
  if (!bytes) return bytes.error();

  std::size_t allocations = 0;
  for (const analyze::DeviceMemory& device : read->devices) allocations += device.allocations.size();
  report::Answer answer = context.answer();
  answer.headline(fmt::format("Memory peaks at {}.", format_bytes(static_cast<std::uint64_t>(read->peak))));
  answer.line(fmt::format("{}: {}, {}. Open it in a browser.", request.output,
                          report::counted(allocations, "allocation"), format_bytes(*bytes)));
  report::Facts& facts = answer.facts();
  facts.field("output", request.output).field("bytes", *bytes).field("allocations", allocations);
  facts.field("peak_bytes", read->peak).key("sections").begin_array();
  for (const page::Section& section : sections) {
    facts.begin_object().field("id", section.id).field("present", !section.html.empty());
    facts.field("why", section.why).end_object();
  }
  facts.end_array();
  return answer;
}

}  // namespace orrery::ask
