// orrery motif: parallel programs by what they compute and whom they talk to.
#include <fmt/format.h>

#include <array>

#include "cli/invocation.h"
#include "cli/motif_run.h"
#include "cli/verbs.h"

namespace orrery::cli {
namespace {

struct SubCommand {
  std::string_view name;
  ExitCode (*run)(Invocation&);
};
constexpr std::array kSubCommands = {
    SubCommand{"run", run_motif_run},
    SubCommand{"list", run_motif_list},
};

ExitCode run_motif(Invocation& invocation) {
  const std::string& what = invocation.operands()[0];
  for (const SubCommand& command : kSubCommands) {
    if (command.name == what) return command.run(invocation);
  }
  std::string names;
  for (const SubCommand& command : kSubCommands) names += (names.empty() ? "" : ", ") + std::string(command.name);
  return invocation.fail_usage({.message = fmt::format("motif knows no '{}'", what), .hint = names});
}

std::vector<Flag> motif_flags() {
  std::vector<Flag> flags = {Flag{
      .name = "nodes", .value_name = "N", .kind = ValueKind::count, .help = "of run: how many ranks; the machine's devices if left out"}};
  const std::vector<Flag> of_run = motif_run_flags();
  flags.insert(flags.end(), of_run.begin(), of_run.end());
  return flags;
}

}  // namespace

const Verb& motif_verb() {
  static const Verb verb = {
      .name = "motif",
      .summary = "run the communication of a parallel program at any scale",
      .description =
          "run NAME --machine M.yaml simulates a built-in motif (stencils, sweeps, transforms, collectives, ...) on a described machine: "
          "time in all "
          "and by phase, use of links, with -o a timeline, with --path the critical path. Ranks are made as they are needed, so that "
          "65,536 of them take little memory. A file of jobs instead of a name runs several motifs one after the other or beside one "
          "another.\n\n"
          "list names the motifs and their parameters.",
      .operands = {.name = "WHAT [NAME]", .help = "run or list; and the motif, or a file of jobs", .min = 1, .max = 2},
      .flags = motif_flags(),
      .examples = {{"orrery motif run halo3d --set nx=200 --nodes 64 --machine cori_dragonfly",
                    "how long a stencil takes, and where its time goes"},
                   {"orrery motif run sweep3d --nodes 256 --machine hpc_torus --model loggops", "wavefronts without a shared network"},
                   {"orrery motif run halo3d --nodes 64 --export ti -o halo", "the same for smpirun -replay halo.txt"}},
      .output_help = "of run: a timeline of the run, as simulate writes it; with --export the beginning of the names of the files",
      .run = run_motif,
  };
  return verb;
}

}  // namespace orrery::cli
