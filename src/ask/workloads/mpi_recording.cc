#include "ask/workloads/mpi_recording.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "align/alignment.h"
#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "formats/clock_sources/reader.h"
#include "job/read/trace_input.h"
#include "job/write/aligned_files.h"

namespace orrery::ask {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordingName = "replay";

Status copy_recording(const std::string& from, const std::string& to) {
  std::ifstream input(from, std::ios::binary);
  if (!input)
    return Error{.message = "a process left no recording here",
                 .file = from,
                 .hint = "all nodes must see the folder under this name"};
  auto output = OutputFile::create(to);
  if (!output) return output.error();
  std::string block(std::size_t{1} << 20, '\0');
  while (input) {
    input.read(block.data(), static_cast<std::streamsize>(block.size()));
    output->write(std::string_view(block).substr(0, static_cast<std::size_t>(input.gcount())));
  }
  return output->commit();
}

/// What `orrery align` does, with the exchanges that the tracer left beside the files.
Status write_on_one_clock(const std::string& from, const std::string& folder, Diagnostics& diagnostics) {
  const auto source = job::find_source({from}, {}, diagnostics);
  if (!source) return source.error();
  auto input = job::read_trace(*source, {.positions = false, .far_clocks = true}, {.diagnostics = diagnostics});
  if (!input) return input.error();
  trace::Trace& trace = input->trace;
  align::take_era_of(0, trace);
  trace::ClockSources sources;
  if (const auto beside = job::probes_beside(trace)) {
    if (Status read = clock_sources::read(*beside, clock_sources::Kind::probes, sources, diagnostics); !read)
      return read;
  }
  const auto alignment = align::align(trace, sources, {.reference_rank = 0}, diagnostics);
  if (!alignment) return alignment.error();
  std::vector<job::NodeCorrection> corrections = job::describe_corrections(trace, *alignment);
  const std::int64_t origin = job::common_origin(trace, *alignment);
  return job::write_aligned(trace, *alignment, origin, job::aligned_target(folder, trace.ranks.size()), corrections,
                            diagnostics);
}

}  // namespace

Result<MpiRecording> MpiRecording::begin(const std::string& folder, std::size_t processes) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed))
    return Error{.message = "a recording of several ranks needs a folder, and this is a file", .file = folder};
  MpiRecording recording;
  recording.folder_ = folder;
  recording.processes_ = processes;
  fs::path plain = fs::absolute(folder, failed).lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();
  recording.aside_ = plain.string() + ".recording-" + std::to_string(::getpid());
  recording.guard_ = std::make_unique<RemovedWhenInterrupted>(recording.aside_);
  fs::create_directories(plain.parent_path(), failed);
  if (!fs::create_directory(recording.aside_, failed) || failed)
    return Error{.message = "no folder can be made here: " + failed.message(), .file = plain.parent_path().string()};
  return recording;
}

MpiRecording::~MpiRecording() {
  if (aside_.empty() || guard_ == nullptr) return;
  std::error_code ignored;
  fs::remove_all(aside_, ignored);
}

std::string MpiRecording::prefix() const { return aside_ + "/" + kRecordingName; }

Status MpiRecording::keep(Diagnostics& diagnostics) {
  const auto name = [](const std::string& end) { return std::string(kRecordingName) + "." + end; };
  std::error_code none;
  if (fs::exists(aside_ + "/" + name("probes.jsonl"), none)) return write_on_one_clock(aside_, folder_, diagnostics);
  if (Status made = OutputSet::make_folder(folder_); !made) return made;
  for (std::size_t rank = 0; rank < processes_; ++rank) {
    const std::string file = name(std::to_string(rank) + ".mpitrace");
    if (Status copied = copy_recording(aside_ + "/" + file, folder_ + "/" + file); !copied) return copied;
  }
  return {};
}

}  // namespace orrery::ask
