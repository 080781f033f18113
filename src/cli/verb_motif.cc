// orrery motif: workloads learnt from MPI traces.
#include <fmt/format.h>

#include <array>

#include "cli/invocation.h"
#include "cli/motif_fit.h"
#include "cli/motif_predict.h"
#include "cli/motif_show.h"
#include "cli/verbs.h"

namespace orrery::cli {
namespace {

struct SubCommand {
  std::string_view name;
  ExitCode (*run)(Invocation&);
};
constexpr std::array kSubCommands = {
    SubCommand{"fit", run_motif_fit},
    SubCommand{"predict", run_motif_predict},
    SubCommand{"eval", run_motif_eval},
    SubCommand{"show", run_motif_show},
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

}  // namespace

const Verb& motif_verb() {
  static const Verb verb = {
      .name = "motif",
      .summary = "learn a workload from MPI traces; predict it at another scale",
      .description =
          "fit --manifest RUNS.csv -o FILE.motif learns control flow, message sizes and times from runs of a program at several scales. "
          "The "
          "manifest has a line per run: dir,nodes,size,threads for folders of A-mpiP traces of all ranks, or exec,msg,nodes,size,threads "
          "for "
          "ISB-BFS trace files.\n\n"
          "predict FILE.motif --nodes N --size S says how many calls a rank makes, how many bytes it sends and how long it takes, with an "
          "interval that nine of ten runs should lie in.\n\n"
          "eval --exec FILE --msg FILE --nodes N --size S evaluates published model files exactly as they are meant.\n\n"
          "show FILE.motif prints the control flow with counts, sizes and times; -o FILE.dot or FILE.svg draws it; with --manifest, fits "
          "are "
          "plotted beside the measurements.",
      .operands = {.name = "WHAT [FILE]", .help = "fit, predict, eval or show; and the motif file of predict and show", .min = 1, .max = 2},
      .flags = {Flag{.name = "manifest", .value_name = "FILE", .kind = ValueKind::file, .help = "the runs to learn from, or to plot"},
                Flag{.name = "models",
                     .value_name = "PREFIX",
                     .help = "of fit: also write the laws of the published files: PREFIX.exec_exp.model, .msg_exp, .exec_poly, .msg_poly"},
                Flag{.name = "nodes", .value_name = "N", .kind = ValueKind::number, .help = "nodes of the run"},
                Flag{.name = "size", .value_name = "S", .kind = ValueKind::number, .help = "problem size of the run"},
                Flag{.name = "ranks-per-node",
                     .value_name = "R",
                     .kind = ValueKind::number,
                     .help = "of predict: ranks on each node",
                     .default_text = "1"},
                Flag{.name = "exec", .value_name = "FILE", .kind = ValueKind::file, .help = "of eval: models of the time between calls"},
                Flag{.name = "msg", .value_name = "FILE", .kind = ValueKind::file, .help = "of eval: models of message sizes"}},
      .examples = {{"orrery motif fit --manifest runs.csv -o bfs.motif", "a motif, and how well it fits"},
                   {"orrery motif predict bfs.motif --nodes 64 --size 24", "calls, bytes and time of a run nobody made"}},
      .output_help =
          "of fit: the motif, as YAML that docs/formats/motif.md describes; of show: the control flow, FILE.svg as an image, else for "
          "Graphviz",
      .run = run_motif,
  };
  return verb;
}

}  // namespace orrery::cli
