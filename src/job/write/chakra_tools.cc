#include "job/write/chakra_tools.h"

#include <fmt/format.h>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/limits.h"
#include "formats/astra_text/text_workload.h"
#include "formats/chakra/converter.h"
#include "formats/chakra/visualizer.h"
#include "formats/chakra/writer.h"
#include "formats/pytorch_et/reader.h"

namespace orrery::job {
namespace {

using Files = std::vector<WrittenFile>;

Result<Files> convert_text(const Source& source, const ConvertTarget& target, const WorkloadRequest& request) {
  const Result<astra_text::TextWorkload> text = astra_text::read(source.files[0]);
  if (!text) return text.error();
  astra_text::Options how;
  if (request.ranks != 0) how.ranks = request.ranks;
  how.passes = request.passes;
  const Result<workload::Workload> workload = astra_text::to_chakra_workload(*text, how);
  if (!workload) return workload.error();
  chakra::WriteOptions options;
  options.version = "";  // Chakra writes none, and its bytes are what is asked for
  options.host_attribute = false;
  options.metadata = {{"schema", "1.0.2-chakra.1.0.0"}, {"input_file", text->text}};
  Files files;
  for (std::size_t rank = 0; rank < workload->rank_count(); ++rank) {
    files.push_back({target.file(rank), workload->program(rank).size()});
    if (const Status written = chakra::write_rank(*workload, rank, files.back().path, options); !written)
      return written.error();
  }
  return files;
}

Result<Files> convert_linked(const Source& source, const ConvertTarget& target, Diagnostics& diagnostics) {
  Files files;
  for (std::size_t rank = 0; rank < source.files.size(); ++rank) {
    Interner strings;
    const Result<trace::HostTrace> linked = pytorch_et::read_host_trace(source.files[rank], strings, diagnostics);
    if (!linked) return linked.error();
    const Result<std::string> bytes = chakra::convert_linked_trace(*linked, strings);
    if (!bytes) return bytes.error();
    files.push_back({target.file(rank), 0});
    if (const Status written = write_whole_file(files.back().path, *bytes); !written) return written.error();
  }
  return files;
}

Result<Files> export_chakra(const Source& source, const ConvertTarget& target, const std::string& schema) {
  const auto write = target.format == TargetFormat::json  ? chakra::jsonize
                     : target.format == TargetFormat::dot ? chakra::visualize_dot
                                                          : chakra::visualize_graphml;
  Files files;
  for (std::size_t rank = 0; rank < source.files.size(); ++rank) {
    const std::string& from = source.files[rank];
    const Result<std::string> bytes = read_whole_file(from, kMaxRecordingBytes);
    if (!bytes) return bytes.error();
    files.push_back({target.file(rank), 0});
    Result<OutputFile> out = OutputFile::create(files.back().path);
    if (!out) return out.error();
    if (const Status written = write(*bytes, from, schema, *out); !written) return written.error();
    if (const Status committed = out->commit(); !committed) return committed.error();
  }
  return files;
}

}  // namespace

Result<Files> write_like_chakra(const Source& source, const ConvertTarget& target, const WorkloadRequest& request,
                                Diagnostics& diagnostics) {
  const bool is_drawing = target.format == TargetFormat::json || target.format == TargetFormat::dot ||
                          target.format == TargetFormat::graphml;
  if (is_format(source, "text") && target.format == TargetFormat::et) return convert_text(source, target, request);
  if (is_format(source, "host") && target.format == TargetFormat::et)
    return convert_linked(source, target, diagnostics);
  if (is_format(source, "chakra") && is_drawing) return export_chakra(source, target, request.schema);
  return Error{
      .message = fmt::format("Chakra has no tool that makes {} of {}", to_string(target.format), source.format->name),
      .file = source.files[0],
      .remedy = Remedy::without_compat};
}

}  // namespace orrery::job
