// From files of one format to files of another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask/context.h"
#include "ask/fields.h"
#include "base/result.h"
#include "formats/format.h"
#include "job/write/conversion.h"

namespace orrery::ask {

/// Whether what Chakra's own tools make is wanted, and whom files are written for.
inline constexpr std::pair<std::string_view, bool> kLikeChakraWords[] = {{"chakra", true}};
inline constexpr std::pair<std::string_view, job::Reader> kWrittenForWords[] = {{"astra", job::Reader::astra}};

struct ConvertRequest {
  std::vector<std::string> files = {};       ///< a file, those of several ranks, or PREFIX of PREFIX.0.et, ...
  std::string input = {};                    ///< one more file; then "PyTorch" and "Text" among `files` are none
  std::string output = {};                   ///< a file; for several ranks what their names begin with
  const formats::Format* from = nullptr;     ///< null: the content of the files tells
  std::optional<job::TargetFormat> to = {};  ///< none: the ending of `output` tells
  job::ConvertOptions options = {};
  bool salvage = false;
  bool without_profiler = false;  ///< of recordings: the run as it would be if nobody had recorded it
};
Status parse_source_format(std::string_view name, const formats::Format*& format);
Status parse_target_format(std::string_view name, std::optional<job::TargetFormat>& format);

/// Some have two or three names: the other ones are those of Chakra's tools, and the last that is given counts.
template <typename Visitor>
void fields(ConvertRequest& request, Visitor&& visit) {
  visit("input_filename", request.input);
  visit("input", request.input);
  visit("output_filename", request.output);
  visit("output", request.output);
  visit("from", written(request.from, parse_source_format));
  visit("to", written(request.to, parse_target_format));
  visit("schema", request.options.workload.schema);
  visit("ranks", request.options.workload.ranks);
  visit("num_npus", request.options.workload.ranks);
  visit("num-npus", request.options.workload.ranks);
  visit("passes", request.options.workload.passes);
  visit("num-passes", request.options.workload.passes);
  visit("comm-group", request.options.workload.groups_file);
  visit("frequency", request.options.frequency_mhz);
  visit("npu_frequency", request.options.frequency_mhz);
  visit("compat", choice(request.options.like_chakra, kLikeChakraWords));
  visit("for", choice(request.options.reader, kWrittenForWords));
  visit("salvage", request.salvage);
  visit("without-profiler", request.without_profiler);
}

Result<report::Answer> run(const ConvertRequest& request, Context& context);

}  // namespace orrery::ask
