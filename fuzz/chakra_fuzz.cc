// Feeds arbitrary bytes to the Chakra reader: as protobuf of any schema, or as the feeder's JSON if they begin with a
// brace. What is accepted can be written and read again, and simulated on two ranks to an end, be that a schedule or an
// error. Whatever its schema, what is accepted is accepted once brought to today's, and is the same then; upgrading
// twice is upgrading once. Exports take whatever upgrading lets through.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/protobuf/protobuf_writer.h"
#include "formats/chakra/json_lines.h"
#include "formats/chakra/reader.h"
#include "formats/chakra/upgrade.h"
#include "formats/chakra/writer.h"
#include "simulate/astra/simulation.h"

namespace {

constexpr std::size_t kSimulatedNodes = 64;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Small sizes only: a message of many gigabytes over a slow link is a long time, but a split of it into chunks is many
// events.
bool is_small(const orrery::workload::Program& program) {
  for (const std::int64_t bytes : program.bytes) {
    if (bytes > 1 << 20) return false;
  }
  return program.size() > 0 && program.size() <= kSimulatedNodes;
}

/// The records of a file in today's schema; nothing if they cannot be brought there.
std::optional<std::string> upgraded(std::string_view bytes, std::string_view schema) {
  std::string out, text;
  const auto status = orrery::chakra::upgrade(
      bytes, "input", schema, [&](std::string_view message, bool is_metadata) -> orrery::Status {
        orrery::append_record(out, message);
        text.clear();
        const bool lines = is_metadata ? orrery::chakra::append_metadata_line(message, text)
                                       : orrery::chakra::append_node_line(message, text);
        const bool pretty = is_metadata ? orrery::chakra::append_metadata_json(message, text)
                                        : orrery::chakra::append_node_json(message, text);
        require(lines == pretty, "one export takes what the other does not");
        return {};
      });
  return status ? std::optional(out) : std::nullopt;
}

void check_upgrade(std::string_view bytes, const orrery::workload::Program& program, const std::string& schema) {
  const auto today = upgraded(bytes, schema);
  if (!today) return;  // damaged metadata, which the reader does not look at
  const auto again = upgraded(*today, "");
  require(again && *again == *today, "upgrading twice is not upgrading once");
  orrery::Interner strings;
  orrery::Diagnostics remarks;
  const auto read = orrery::chakra::parse_protobuf(*today, "upgraded", strings, {.diagnostics = &remarks});
  require(read.ok() && read->size() == program.size(), "what was upgraded cannot be read");
  for (std::size_t i = 0; i < program.size(); ++i) {
    const bool same = read->ids[i] == program.ids[i] && read->kinds[i] == program.kinds[i] &&
                      read->duration_ps(i) == program.duration_ps(i) && read->bytes[i] == program.bytes[i] &&
                      read->collectives[i] == program.collectives[i] && read->flags[i] == program.flags[i] &&
                      read->excluded_dims[i] == program.excluded_dims[i] && read->tags[i] == program.tags[i];
    require(same, "what was upgraded is something else");
  }
}

void read_old(std::string_view bytes) {
  for (const char* schema : {"", "0.0.1", "0.0.2", "0.0.3"}) {
    orrery::Interner strings;
    orrery::Diagnostics remarks;
    const auto program =
        orrery::chakra::parse_protobuf(bytes, "input", strings, {.schema = schema, .diagnostics = &remarks});
    if (program) check_upgrade(bytes, *program, schema);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with('{')) read_old(bytes);
  workload::Workload workload;
  auto program = bytes.starts_with('{') ? chakra::parse_feeder_json(bytes, "input", workload.strings)
                                        : chakra::parse_protobuf(bytes, "input", workload.strings);
  if (!program) return 0;
  const std::size_t nodes = program->size();
  workload.programs.push_back(std::move(*program));
  workload.program_of_rank.assign(2, 0);
  if (const auto written = chakra::to_protobuf(workload, 0)) {
    Interner strings;
    const auto again = chakra::parse_protobuf(*written, "written", strings);
    require(again.ok() && again->size() == nodes, "what was written cannot be read again");
  }
  if (!is_small(workload.programs[0])) return 0;
  machine::AstraSystem system;
  system.dimensions.push_back({machine::AstraTopology::ring, 2, 50, 500});
  for (auto& list : system.implementations) list.assign(1, {});
  static_cast<void>(simulate::astra::simulate(workload, system));
  return 0;
}
