// orrery motif: workloads learnt from MPI traces, or built in; predicted, and run on a machine.
#include <fmt/format.h>

#include <array>

#include "ask/workloads/motif.h"
#include "ask/workloads/motif_run.h"
#include "cli/frame/answer.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"
#include "job/write/workload_export.h"

namespace orrery::cli {
namespace {

/// The operand behind the word that says what is to be done with it; empty: there is none.
std::string motif_operand(const Invocation& invocation) {
  return invocation.operands().size() > 1 ? invocation.operands()[1] : "";
}

ExitCode run_fit(Invocation& invocation) {
  ask::MotifFitRequest request;
  if (!motif_operand(invocation).empty())
    return invocation.fail_usage(
        {.message = "motif fit needs a manifest", .hint = "orrery motif fit --manifest RUNS.csv -o FILE.motif"});
  return answer(invocation, std::move(request));
}
ExitCode run_predict(Invocation& invocation) {
  ask::MotifPredictRequest request;
  request.file = motif_operand(invocation);
  return answer(invocation, std::move(request));
}
ExitCode run_eval(Invocation& invocation) { return answer(invocation, ask::MotifEvalRequest()); }
ExitCode run_show(Invocation& invocation) {
  ask::MotifShowRequest request;
  request.file = motif_operand(invocation);
  return answer(invocation, std::move(request));
}
ExitCode run_run(Invocation& invocation) {
  ask::MotifRunRequest request;
  request.motif.what = motif_operand(invocation);
  return answer(invocation, std::move(request));
}
ExitCode run_list(Invocation& invocation) { return answer(invocation, ask::MotifListRequest()); }

struct SubCommand {
  std::string_view name;
  ExitCode (*run)(Invocation&);
};
constexpr std::array kSubCommands = {
    SubCommand{"fit", run_fit},   SubCommand{"predict", run_predict}, SubCommand{"eval", run_eval},
    SubCommand{"show", run_show}, SubCommand{"run", run_run},         SubCommand{"list", run_list},
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

/// What `run` takes beside --nodes; flags of the simulation included.
std::vector<Flag> with_motif_run_flags(std::vector<Flag> flags) {
  flags.insert(flags.end(), {Flag{.name = "seed",
                                  .value_name = "N",
                                  .kind = ValueKind::count,
                                  .help = "of run: of the branches that chance decides in a fitted motif",
                                  .default_text = "1"},
                             Flag{.name = "set",
                                  .value_name = "NAME=VALUE",
                                  .help = "of run: a parameter of a built-in motif",
                                  .repeatable = true},
                             Flag{.name = "machine",
                                  .value_name = "FILE",
                                  .kind = ValueKind::file,
                                  .help = "of run: where it runs; a file, or the name of a machine that is shipped"},
                             Flag{.name = "export",
                                  .value_name = "FORMAT",
                                  .help = "of run: write it for another simulator instead, as -o PREFIX",
                                  .choices = job::kExportFormats}});
  flags = with_network_flags(with_run_flags(std::move(flags)),
                             "of run: how communication is timed; as the machine says if left out");
  for (Flag& flag : flags) {
    if (flag.name == "network-model") flag.former_name = "model";
  }
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
