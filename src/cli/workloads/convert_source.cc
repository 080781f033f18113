#include "cli/workloads/convert_source.h"

#include <vector>

#include "formats/chakra/dialect.h"
#include "job/read/registry.h"

namespace orrery::cli {
namespace {

constexpr std::string_view kChakraFlags = "Flags of Chakra's tools, so that scripts keep working";

/// What was named, whether as an operand or as Chakra's tools have it. The names of Chakra's converters may stand in
/// front.
std::vector<std::string> named_inputs(const Invocation& invocation) {
  std::vector<std::string> names = invocation.operands();
  const std::string given = first_given(invocation, {"input", "input_filename"});
  if (given.empty()) return names;
  std::erase_if(names, [](const std::string& name) { return name == "PyTorch" || name == "Text"; });
  names.push_back(given);
  return names;
}

}  // namespace

std::vector<Flag> convert_source_flags() {
  return {
      Flag{.name = "from",
           .value_name = "FORMAT",
           .help = "what the input is; by default its content tells",
           .choices = "kineto host linked chakra feeder text goal log xspace ampip liballprof ti"},
      Flag{.name = "schema",
           .value_name = "VERSION",
           .help = "of a Chakra file that does not say it: what its enumerators mean",
           .choices = chakra::kSchemaNames},
      Flag{.name = "ranks",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "of a text workload or log: how many ranks"},
      Flag{.name = "passes",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "of a text workload: how many times",
           .default_text = "1"},
      Flag{.name = "comm-group",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "of Chakra files: the groups, as ASTRA-sim has them"},
      Flag{.name = "frequency",
           .value_name = "MHZ",
           .kind = ValueKind::count,
           .help = "of a log: cycles per microsecond",
           .default_text = "1000"},
      Flag{.name = "input",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "the same as FILE",
           .group = kChakraFlags},
      Flag{.name = "input_filename",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "the same as FILE",
           .group = kChakraFlags},
      Flag{.name = "output_filename",
           .value_name = "FILE",
           .kind = ValueKind::output,
           .help = "the same as --output",
           .group = kChakraFlags},
      Flag{.name = "num-npus",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "the same as --ranks",
           .group = kChakraFlags},
      Flag{.name = "num_npus",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "the same as --ranks",
           .group = kChakraFlags},
      Flag{.name = "num-passes",
           .value_name = "N",
           .kind = ValueKind::count,
           .help = "the same as --passes",
           .group = kChakraFlags},
      Flag{.name = "npu_frequency",
           .value_name = "MHZ",
           .kind = ValueKind::count,
           .help = "the same as --frequency",
           .group = kChakraFlags},
      Flag{.name = "log-filename",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "not written",
           .group = kChakraFlags},
      Flag{.name = "log_filename",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "not written",
           .group = kChakraFlags},
      Flag{.name = "simulate", .help = "of no effect: orrery replay does it", .group = kChakraFlags},
  };
}

std::string first_given(const Invocation& invocation, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (invocation.has(name)) return invocation.text(name);
  }
  return {};
}

Result<job::Source> find_convert_source(Invocation& invocation) {
  job::SourceOptions options;
  // A linked trace is a host trace with times.
  if (invocation.has("from"))
    options.format = job::format_called(invocation.text("from") == "linked" ? "host" : invocation.text("from"));
  Result<job::Source> source = job::find_source(named_inputs(invocation), options, invocation.diagnostics());
  if (!source) return source;
  for (const std::string& file : source->all_files()) {
    if (const Status added = invocation.add_input(file); !added) return added.error();
  }
  return source;
}

job::ConvertOptions convert_options(const Invocation& invocation) {
  job::ConvertOptions options;
  options.workload.schema = invocation.text("schema");
  const std::string ranks = first_given(invocation, {"num-npus", "num_npus", "ranks"});
  if (!ranks.empty()) options.workload.ranks = static_cast<std::size_t>(std::stoull(ranks));
  options.workload.passes =
      static_cast<std::size_t>(invocation.integer(invocation.has("num-passes") ? "num-passes" : "passes"));
  options.workload.groups_file = invocation.text("comm-group");
  options.frequency_mhz = invocation.integer(invocation.has("npu_frequency") ? "npu_frequency" : "frequency");
  options.like_chakra = invocation.has("compat");
  if (invocation.has("for")) options.reader = job::Reader::astra;
  return options;
}

}  // namespace orrery::cli
