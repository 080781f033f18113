#include "job/read/registry.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "base/io/file_content.h"
#include "formats/ampip/format.h"
#include "formats/astra/format.h"
#include "formats/astra_text/format.h"
#include "formats/chakra/format.h"
#include "formats/flight_recorder/format.h"
#include "formats/goal/format.h"
#include "formats/gpu_counters/format.h"
#include "formats/kineto/format.h"
#include "formats/liballprof/format.h"
#include "formats/memory_snapshot/format.h"
#include "formats/memory_timeline/format.h"
#include "formats/mpitrace/format.h"
#include "formats/nccl_inspector/format.h"
#include "formats/nsys/format.h"
#include "formats/otf2/format.h"
#include "formats/perfetto/format.h"
#include "formats/pytorch_et/format.h"
#include "formats/request_log/format.h"
#include "formats/rocprof/format.h"
#include "formats/simgrid_ti/format.h"
#include "formats/step_logs/format.h"
#include "formats/training_operations/format.h"
#include "formats/xspace/format.h"
#include "job/read/inside.h"
#include "job/shipped/recipe_format.h"

namespace orrery::job {

using formats::Format;

std::span<const Format* const> all_formats() {
  static const auto formats = [] {
    std::array list = {&kineto::kFormat,
                       &xspace::kFormat,
                       &pytorch_et::kFormat,
                       &chakra::kFormat,
                       &chakra::kFeederFormat,
                       &goal::kFormat,
                       &astra_text::kFormat,
                       &chakra::kLogFormat,
                       &astra::kGroupsFormat,
                       &kRecipeFormat,
                       &ampip::kFormat,
                       &ampip::kReportFormat,
                       &liballprof::kFormat,
                       &simgrid_ti::kFormat,
                       &simgrid_ti::kRankFormat,
                       &mpitrace::kFormat,
                       &memory_timeline::kFormat,
                       &step_logs::kMllogFormat,
                       &step_logs::kStepLogFormat,
                       &request_log::kFormat,
                       &training_operations::kFormat,
                       &flight_recorder::kFormat,
                       &perfetto::kFormat,
                       &nccl_inspector::kFormat,
                       &otf2::kFormat,
                       &memory_snapshot::kFormat,
                       &gpu_counters::kFormat,
                       &nsys::kFormat,
                       &rocprof::kFormat,
                       &rocprof::kDatabaseFormat};
    std::sort(list.begin(), list.end(), [](const Format* a, const Format* b) { return a->priority < b->priority; });
    return list;
  }();
  return formats;
}

const Format* format_called(std::string_view name) {
  for (const Format* format : all_formats()) {
    if (format->name == name) return format;
  }
  return nullptr;
}

bool has_loose_files(const Format& format) { return &format == &flight_recorder::kFormat; }

Result<FileHead> read_head(const std::string& path) {
  // What can be read of a damaged file tells what it is; its reader then says what is wrong with it.
  Result<std::string> bytes = read_first_bytes(path, formats::Head::kBytes);
  if (!bytes) return bytes.error();
  const bool is_all = bytes->size() < formats::Head::kBytes;
  return FileHead{std::move(*bytes), std::filesystem::path(path).filename().string(), is_all};
}

Result<const Format*> detect(const FileHead& head, const std::string& path) {
  if (head.bytes.empty()) return Error{"the file is empty", path, 0};
  for (const Format* format : all_formats()) {
    if (format->sniff(head.view()) && is_inside(*format, path)) return format;
  }
  std::string known;
  for (const Format* format : all_formats()) {
    const bool is_job = format->content != formats::Content::groups && format->content != formats::Content::companion;
    if (is_job) known += (known.empty() ? "" : ", ") + std::string(format->title);
  }
  return Error{"this is of no known format", path, 0, "known are: " + known};
}

Result<const Format*> detect(const std::string& path) {
  const Result<FileHead> head = read_head(path);
  if (!head) return head.error();
  return detect(*head, path);
}

}  // namespace orrery::job
