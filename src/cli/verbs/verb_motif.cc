// orrery motif: workloads learnt from MPI traces, or built in; predicted, and run on a machine.
#include <fmt/format.h>

#include <array>

#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"
#include "cli/workloads/motif_fit.h"
#include "cli/workloads/motif_predict.h"
#include "cli/workloads/motif_run.h"
#include "cli/workloads/motif_show.h"

namespace orrery::cli {
namespace {

struct SubCommand {
  std::string_view name;
  ExitCode (*run)(Invocation&);
};
constexpr std::array kSubCommands = {
    SubCommand{"fit", run_motif_fit},   SubCommand{"predict", run_motif_predict}, SubCommand{"eval", run_motif_eval},
    SubCommand{"show", run_motif_show}, SubCommand{"run", run_motif_run},         SubCommand{"list", run_motif_list},
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

std::vector<Flag> with_motif_run_flags(std::vector<Flag> flags) {
  const std::vector<Flag> of_run = motif_run_flags();
  flags.insert(flags.end(), of_run.begin(), of_run.end());
  return flags;
}

}  // namespace

const Verb& motif_verb() {
  static const Verb verb = {
      .name = "motif",
      .summary = "learn a workload from MPI traces; predict and run it at another scale",
      .description =
          "fit --manifest RUNS.csv -o FILE.motif learns control flow, message sizes and times from runs of a program "
          "at several scales. "
          "The "
          "manifest has a line per run: dir,nodes,size,threads for folders of A-mpiP traces of all ranks, or "
          "exec,msg,nodes,size,threads "
          "for "
          "ISB-BFS trace files.\n\n"
          "predict FILE.motif --nodes N --size S says how many calls a rank makes, how many bytes it sends and how "
          "long it takes, with an "
          "interval that nine of ten runs should lie in.\n\n"
          "eval --exec FILE --msg FILE --nodes N --size S evaluates published model files exactly as they are "
          "meant.\n\n"
          "show FILE.motif prints the control flow with counts, sizes and times; -o FILE.dot or FILE.svg draws it; "
          "with --manifest, fits "
          "are plotted beside the measurements.\n\n"
          "run FILE.motif --nodes N --size S --machine M.yaml simulates it on a described machine; run NAME does so "
          "for a built-in motif "
          "(stencils, sweeps, transforms, collectives, ...), run JOBS.yml for several, one after the other or beside "
          "one another: time in "
          "all and by phase, use of links, with -o a timeline, with --path the critical path. list names the built-in "
          "ones and their "
          "parameters.",
      .operands = {.name = "WHAT [MOTIF]",
                   .help = "fit, predict, eval, show, run or list; and the motif of predict, show and run",
                   .min = 1,
                   .max = 2},
      .flags = with_motif_run_flags(
          {Flag{.name = "manifest",
                .value_name = "FILE",
                .kind = ValueKind::file,
                .help = "the runs to learn from, or to plot"},
           Flag{.name = "models",
                .value_name = "PREFIX",
                .help = "of fit: also write the laws of the published files: PREFIX.exec_exp.model, .msg_exp, "
                        ".exec_poly, .msg_poly"},
           Flag{.name = "nodes",
                .value_name = "N",
                .kind = ValueKind::number,
                .help = "nodes of the run; of run all of the machine if left out"},
           Flag{.name = "size", .value_name = "S", .kind = ValueKind::number, .help = "problem size of the run"},
           Flag{.name = "ranks-per-node",
                .value_name = "R",
                .kind = ValueKind::number,
                .help = "of predict: ranks on each node",
                .default_text = "1"},
           Flag{.name = "exec",
                .value_name = "FILE",
                .kind = ValueKind::file,
                .help = "of eval: models of the time between calls"},
           Flag{.name = "msg",
                .value_name = "FILE",
                .kind = ValueKind::file,
                .help = "of eval: models of message sizes"}}),
      .examples = {{"orrery motif fit --manifest runs.csv -o bfs.motif", "a motif, and how well it fits"},
                   {"orrery motif predict bfs.motif --nodes 64 --size 24",
                    "calls, bytes and time of a run nobody made"},
                   {"orrery motif run halo3d --set nx=200 --nodes 64 --machine cori_dragonfly",
                    "how long a stencil takes, and where its time goes"},
                   {"orrery motif run halo3d --nodes 64 --export ti -o halo", "the same for smpirun -replay halo.txt"}},
      .output_help =
          "of fit: the motif, as YAML that docs/formats/motif.md describes; of show: the control flow, FILE.svg as an "
          "image, else for "
          "Graphviz; of run: a timeline, as simulate writes it, or with --export "
          "the beginning of the names of the files",
      .run = run_motif,
  };
  return verb;
}

}  // namespace orrery::cli
