#include "job/bfs_motif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.h"
#include "formats/isb_bfs/model_file.h"
#include "motif/patterns/call_pattern.h"
#include "motif/patterns/catalog.h"

namespace orrery::job {
namespace {

using motif::MpiCall;
using motif::Parameter;
using motif::ParameterKind;
using workload::Collective;

constexpr std::array kBfsParameters = {
    Parameter{"sz", ParameterKind::count, "14", "scale: a graph of 2^sz vertices"},
    Parameter{"seed", ParameterKind::count, "1", "of the branches, the same on all ranks"},
    Parameter{"exec_model", ParameterKind::text, "exec.model", "file with the models of the time between calls"},
    Parameter{"msg_model", ParameterKind::text, "msg.model", "file with the models of message sizes"},
    Parameter{"roots", ParameterKind::count, "64", "searches, one after the other"},
    Parameter{"second_pass", ParameterKind::number, "",
              "share of searches with a second top-down pass at the end; left out: by the scale, as measured"},
    Parameter{"third_level", ParameterKind::number, "0.3", "share of searches with a third bottom-up level"}};

enum class State : std::uint8_t {
  local,
  barrier,
  reduce_row,
  reduce_column,
  reduce_world,
  bcast_row,
  bcast_column,
  bcast_world,
  gather_row,
  gather_column,
  spread_row,
  mirrored,
  around_row
};

/// What call sites 1 to 62 of the study are.
State state_of(std::uint32_t site) {
  struct Range {
    std::uint32_t last;
    State state;
  };
  constexpr std::array kRanges = {
      Range{2, State::reduce_row},    Range{3, State::barrier},        Range{4, State::reduce_world},  Range{5, State::reduce_row},
      Range{9, State::bcast_world},   Range{13, State::local},         Range{14, State::mirrored},     Range{15, State::gather_column},
      Range{16, State::mirrored},     Range{20, State::local},         Range{21, State::gather_row},   Range{22, State::bcast_row},
      Range{24, State::reduce_world}, Range{25, State::reduce_row},    Range{29, State::mirrored},     Range{31, State::gather_column},
      Range{32, State::bcast_column}, Range{33, State::reduce_column}, Range{36, State::spread_row},   Range{39, State::reduce_world},
      Range{40, State::barrier},      Range{41, State::mirrored},      Range{42, State::bcast_column}, Range{43, State::bcast_row},
      Range{44, State::mirrored},     Range{46, State::gather_column}, Range{49, State::around_row},   Range{50, State::reduce_world},
      Range{51, State::barrier},      Range{53, State::reduce_world},  Range{54, State::bcast_world},  Range{62, State::local}};
  return std::find_if(kRanges.begin(), kRanges.end(), [&](const Range& range) { return site <= range.last; })->state;
}

/// The models of one file by their keys; a trace answers its next value at each call.
class ModelTable {
 public:
  static Result<ModelTable> read(const std::string& path, isb_bfs::Content content) {
    auto file = isb_bfs::read_model_file(path, content);
    if (!file) return file.error();
    ModelTable table;
    table.file_ = std::move(*file);
    table.path_ = path;
    for (std::size_t i = 0; i < table.file_.models.size(); ++i) {
      const isb_bfs::Model& model = table.file_.models[i];
      if (model.threads == 1) table.places_.emplace(std::pair(model.source, model.destination), i);
    }
    return table;
  }
  Result<double> at(std::uint32_t source, std::uint32_t destination, double nodes, double size) {
    const auto found = places_.find({source, destination});
    if (found == places_.end()) {
      return Error{.message = destination == 0 ? fmt::format("no model for call site {}", source)
                                               : fmt::format("no model for the way from call site {} to {}", source, destination),
                   .file = path_};
    }
    // Bilinear and exponential models can be negative or without bounds; times and sizes are neither.
    return std::clamp(evaluate(file_, file_.models[found->second], nodes, size, calls_[found->second]++), 0.0, 0x1p50);
  }

 private:
  isb_bfs::ModelFile file_;
  std::string path_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places_;
  std::map<std::size_t, std::uint64_t> calls_;
};

class Search {
 public:
  Search(const motif::Values& values, std::uint32_t side, ModelTable exec, ModelTable msg)
      : size_(static_cast<double>(values.count("sz"))),
        side_(side),
        exec_(std::move(exec)),
        msg_(std::move(msg)),
        random_(values.count("seed")) {
    // Measured on Cori, whatever the nodes: none of the searches at scale 16, nearly all at 24.
    second_pass_ = values.has("second_pass") ? values.number("second_pass") : std::clamp((size_ - 16) / 8, 0.0, 0.95);
    third_level_ = values.number("third_level");
    lists_.rows = lists_.columns = side;
    lists_.class_of = [](std::uint32_t) { return 0; };
    lists_.by_class.resize(1);
    for (std::uint32_t site = 0; site <= 62; ++site) lists_.phases.push_back(fmt::format("site {}", site));
  }

  Status add_search() {
    visit(1, 24);
    visit(25, 39);
    visit(25, 39);
    visit(40, 40);
    for (int level = 0, levels = 2 + chance(third_level_); level < levels; ++level) {
      visit(41, 46);
      for (std::uint32_t step = 1; step < side_; ++step) visit(47, 49);
      visit(50, 50);
    }
    visit(25, 39);
    if (chance(second_pass_) != 0) visit(25, 39);
    visit(51, 62);
    return status_;
  }
  motif::CallLists take() { return std::move(lists_); }

 private:
  int chance(double share) { return next_uniform(random_) < share ? 1 : 0; }
  void visit(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t site = first; site <= last; ++site) add_call(site);
  }

  void add_call(std::uint32_t site) {
    const double nodes = static_cast<double>(side_) * side_;
    MpiCall call;
    call.phase = site;
    const State state = state_of(site);
    if (last_ != 0 && status_.ok()) {  // nothing is known of the time before the first call
      const auto time = exec_.at(last_, site, nodes, size_);
      if (!time) status_ = time.error();
      else call.compute_ps = motif::to_picoseconds(*time * 1000);
    }
    if (state != State::local && state != State::barrier && last_ != 0 && status_.ok()) {
      // Keys of the file are where a transition begins: the size is that of the call it leads to.
      const auto bytes = msg_.at(last_, 0, nodes, size_);
      if (!bytes) status_ = bytes.error();
      else call.bytes = std::llround(*bytes);
    } else if (last_ == 0) {
      call.bytes = 8;
    }
    shape(call, state);
    lists_.by_class[0].push_back(call);
    last_ = site;
  }

  void shape(MpiCall& call, State state) const {
    const auto collective = [&](Collective kind, MpiCall::Group group) {
      call.kind = MpiCall::Kind::collective;
      call.collective = kind;
      call.group = group;
    };
    using Group = MpiCall::Group;
    switch (state) {
      case State::local: return;
      case State::barrier: return collective(Collective::barrier, Group::world);
      case State::reduce_row: return collective(Collective::all_reduce, Group::row);
      case State::reduce_column: return collective(Collective::all_reduce, Group::column);
      case State::reduce_world: return collective(Collective::all_reduce, Group::world);
      case State::bcast_row: return collective(Collective::broadcast, Group::row);
      case State::bcast_column: return collective(Collective::broadcast, Group::column);
      case State::bcast_world: return collective(Collective::broadcast, Group::world);
      case State::gather_row: return collective(Collective::all_gather, Group::row);
      case State::gather_column: return collective(Collective::all_gather, Group::column);
      case State::spread_row: call.bytes *= side_; return collective(Collective::all_to_all, Group::row);
      case State::mirrored:
        call.kind = MpiCall::Kind::exchange;
        call.peer = MpiCall::Peer::transposed;
        return;
      case State::around_row:
        call.kind = MpiCall::Kind::exchange;
        call.peer = MpiCall::Peer::shift;
        call.group = Group::row;
        call.offset = 1;
        return;
    }
  }

  double size_, second_pass_ = 0, third_level_ = 0;
  std::uint32_t side_;
  ModelTable exec_, msg_;
  std::uint64_t random_;
  motif::CallLists lists_;
  std::uint32_t last_ = 0;
  Status status_;
};

Result<motif::Pattern> breadth_first_search(const motif::Values& values, std::uint32_t ranks) {
  const auto side = static_cast<std::uint32_t>(std::llround(std::sqrt(static_cast<double>(ranks))));
  if (side * side != ranks) return Error{fmt::format("the ranks stand on a square, and {} is none", ranks)};
  auto exec = ModelTable::read(values.text("exec_model"), isb_bfs::Content::exec);
  if (!exec) return exec.error();
  auto msg = ModelTable::read(values.text("msg_model"), isb_bfs::Content::msg);
  if (!msg) return msg.error();
  Search search(values, side, std::move(*exec), std::move(*msg));
  if (values.count("roots") > 65536) return Error{fmt::format("roots={}: at most 65536", values.count("roots"))};
  for (std::uint64_t root = 0; root < values.count("roots"); ++root)
    if (const Status added = search.add_search(); !added) return added.error();
  return motif::call_pattern(search.take());
}

constexpr motif::PatternInfo kBfs{"bfs", "breadth-first searches on a square of ranks, with published models of times and sizes",
                                  kBfsParameters, breadth_first_search};

}  // namespace

const std::vector<motif::PatternInfo>& motif_catalog() {
  static const std::vector<motif::PatternInfo> all = [] {
    std::vector<motif::PatternInfo> infos = motif::pattern_catalog();
    infos.push_back(kBfs);
    return infos;
  }();
  return all;
}

}  // namespace orrery::job
