// orrery motif: workloads learnt from MPI traces, or built in; predicted, and run on a machine.
#include "ask/workloads/motif.h"
#include "ask/workloads/motif_run.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"
#include "cli/verbs/simulation_flags.h"
#include "job/write/workload_export.h"

namespace orrery::cli {
namespace {

/// The one operand; empty: there is none, and the request says what is missing.
std::string motif_operand(const Invocation& invocation) {
  return invocation.operands().empty() ? "" : invocation.operands().front();
}

template <typename Request>
ExitCode run_motif_file(Invocation& invocation) {
  Request request;
  request.file = motif_operand(invocation);
  return answer(invocation, std::move(request));
}
template <typename Request>
ExitCode run_motif_alone(Invocation& invocation) {
  return answer(invocation, Request());
}
ExitCode run_motif_run(Invocation& invocation) {
  ask::MotifRunRequest request;
  request.motif.what = motif_operand(invocation);
  return answer(invocation, std::move(request));
}

constexpr Operands kOneMotif{.name = "FILE.motif", .help = "what motif fit wrote", .min = 0, .max = 1};

Flag nodes_flag(std::string_view help) {
  return {.name = "nodes", .value_name = "N", .kind = ValueKind::number, .help = help};
}
Flag size_flag(std::string_view help) {
  return {.name = "size", .value_name = "S", .kind = ValueKind::number, .help = help};
}
Flag ranks_per_node_flag() {
  return {.name = "ranks-per-node",
          .value_name = "R",
          .kind = ValueKind::number,
          .help = "ranks on each node",
          .default_text = "1"};
}

const Verb& motif_fit_verb() {
  static const Verb verb = {
      .name = "motif fit",
      .summary = "learn a motif from runs of a program at several scales",
      .description =
          "Learns control flow, message sizes and times. The manifest has a line per run: "
          "dir,nodes,size,threads for folders of A-mpiP traces of all ranks, or "
          "exec,msg,nodes,size,threads for ISB-BFS trace files.",
      .flags =
          {Flag{.name = "manifest", .value_name = "FILE", .kind = ValueKind::file, .help = "the runs to learn from"},
           Flag{.name = "models",
                .value_name = "PREFIX",
                .help = "also write the laws of the published files: PREFIX.exec_exp.model, .msg_exp, "
                        ".exec_poly, .msg_poly"},
           csv_flag()},
      .examples = {{"orrery motif fit --manifest runs.csv -o bfs.motif", "a motif, and how well it fits"}},
      .output_help = "the motif, as YAML that docs/formats/motif.md describes",
      .run = run_motif_alone<ask::MotifFitRequest>,
  };
  return verb;
}

const Verb& motif_predict_verb() {
  static const Verb verb = {
      .name = "motif predict",
      .summary = "calls, bytes and time of a run nobody made",
      .description =
          "Says how many calls a rank makes, how many bytes it sends and how long it takes, with an interval "
          "that nine of ten runs should lie in.",
      .operands = kOneMotif,
      .flags = {nodes_flag("nodes of the run"), size_flag("problem size of the run"), ranks_per_node_flag(),
                csv_flag()},
      .examples = {{"orrery motif predict bfs.motif --nodes 64 --size 24",
                    "calls, bytes and time of a run nobody made"}},
      .run = run_motif_file<ask::MotifPredictRequest>,
  };
  return verb;
}

const Verb& motif_eval_verb() {
  static const Verb verb = {
      .name = "motif eval",
      .summary = "evaluate published model files exactly as they are meant",
      .description = "Of the laws of every file those for runs on --threads threads.",
      .flags = {Flag{.name = "exec",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "models of the time between calls"},
                Flag{.name = "msg", .value_name = "FILE", .kind = ValueKind::file, .help = "models of message sizes"},
                nodes_flag("nodes of the run"), size_flag("problem size of the run"), ranks_per_node_flag()},
      .examples = {{"orrery motif eval --exec bfs.exec_exp.model --nodes 16 --size 20",
                    "microseconds between one call and the next"}},
      .run = run_motif_alone<ask::MotifEvalRequest>,
  };
  return verb;
}

const Verb& motif_show_verb() {
  static const Verb verb = {
      .name = "motif show",
      .summary = "the control flow of a motif with counts, sizes and times",
      .description = "Without --nodes and --size, of the largest run that the motif knows.",
      .operands = kOneMotif,
      .flags = {nodes_flag("nodes of the run"), size_flag("problem size of the run"),
                Flag{.name = "manifest",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "runs, whose measurements are plotted beside the fits"}},
      .examples = {{"orrery motif show bfs.motif -o bfs.svg", "the control flow, and a drawing of it"}},
      .output_help = "the control flow, FILE.svg as an image, else for Graphviz",
      .run = run_motif_file<ask::MotifShowRequest>,
  };
  return verb;
}

/// --network-model was once called --model here.
std::vector<Flag> motif_run_flags() {
  std::vector<Flag> flags = with_network_flags(
      with_run_flags({nodes_flag("nodes of the run; all of the machine if left out"),
                      size_flag("problem size of the run, of a fitted motif"),
                      Flag{.name = "seed",
                           .value_name = "N",
                           .kind = ValueKind::count,
                           .help = "of the branches that chance decides in a fitted motif",
                           .default_text = "1"},
                      Flag{.name = "set",
                           .value_name = "NAME=VALUE",
                           .help = "a parameter of a built-in motif",
                           .repeatable = true},
                      Flag{.name = "machine",
                           .value_name = "FILE",
                           .kind = ValueKind::file,
                           .help = "where it runs; a file, or the name of a machine that is shipped"},
                      Flag{.name = "export",
                           .value_name = "FORMAT",
                           .help = "write it for another simulator instead, as -o PREFIX",
                           .choices = job::kExportFormats}}),
      "how communication is timed; as the machine says if left out");
  for (Flag& flag : flags) {
    if (flag.name == "network-model") flag.former_name = "model";
  }
  return flags;
}

const Verb& motif_run_verb() {
  static const Verb verb = {
      .name = "motif run",
      .summary = "simulate a motif on a described machine",
      .description =
          "FILE.motif is a fitted one; NAME a built-in one (stencils, sweeps, transforms, collectives, ...); "
          "JOBS.yml several, one after the other or beside one another. Tells the time in all and by phase "
          "and the use of links, with --path the critical path.",
      .operands = {.name = "FILE.motif|NAME|JOBS.yml",
                   .help = "a fitted motif, the name of a built-in one (motif list), or a file of several",
                   .min = 0,
                   .max = 1},
      .flags = motif_run_flags(),
      .examples = {{"orrery motif run halo3d --set nx=200 --nodes 64 --machine cori_dragonfly",
                    "how long a stencil takes, and where its time goes"},
                   {"orrery motif run halo3d --nodes 64 --export ti -o halo", "the same for smpirun -replay halo.txt"}},
      .output_help = "a timeline, as simulate writes it, or with --export the beginning of the names of the files",
      .run = run_motif_run,
  };
  return verb;
}

const Verb& motif_list_verb() {
  static const Verb verb = {
      .name = "motif list",
      .summary = "the built-in motifs and their parameters",
      .description = "A sentence about each, and its parameters with their defaults, for --set of motif run.",
      .flags = {csv_flag()},
      .examples = {{"orrery motif list", "what motif run knows by name"}},
      .run = run_motif_alone<ask::MotifListRequest>,
  };
  return verb;
}

}  // namespace

const Verb& motif_verb() {
  static const Verb verb = {
      .name = "motif",
      .summary = "learn a workload from MPI traces; predict and run it at another scale",
      .description =
          "A motif is the control flow of an MPI program, with laws of how often, how much and how long, in "
          "the number of nodes and the size of the problem.",
      .operands = {.name = "WHAT [MOTIF]",
                   .help = "fit, predict, eval, show, run or list; and the motif of predict, show and run",
                   .min = 1,
                   .max = 2},
      .sub_verbs = {&motif_fit_verb(), &motif_predict_verb(), &motif_eval_verb(), &motif_show_verb(), &motif_run_verb(),
                    &motif_list_verb()},
  };
  return verb;
}

}  // namespace orrery::cli
