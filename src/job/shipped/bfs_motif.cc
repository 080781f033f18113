#include "job/shipped/bfs_motif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "formats/isb_bfs/model_file.h"
#include "motif/patterns/call_pattern.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/fitted_pattern.h"

// Every search is a walk over call sites 1 to 62, with branches drawn from one seed for all ranks. Time and size of a
// call come from the model of the transition that led to it; what a site calls, and with whom, is a table.

namespace orrery::job {
namespace {

using motif::Group;
using motif::Peer;

struct Call {
  std::string_view operation;
  Group group = Group::none;
  Peer peer = Peer::none;
};
constexpr Call kLocal{"local"};  // whatever the library does there, nobody else sees it
constexpr Call kBarrier{"MPI_Barrier", Group::world};
constexpr Call kReduceRow{"MPI_Allreduce", Group::row}, kReduceColumn{"MPI_Allreduce", Group::column},
    kReduceWorld{"MPI_Allreduce", Group::world};
constexpr Call kBcastRow{"MPI_Bcast", Group::row}, kBcastColumn{"MPI_Bcast", Group::column},
    kBcastWorld{"MPI_Bcast", Group::world};
constexpr Call kGatherRow{"MPI_Allgatherv", Group::row}, kGatherColumn{"MPI_Allgatherv", Group::column};
constexpr Call kSpreadRow{"MPI_Alltoallv", Group::row};
constexpr Call kMirrored{"MPI_Sendrecv", Group::world, Peer::opposite},
    kAroundRow{"MPI_Sendrecv", Group::row, Peer::row_shift};

struct Range {
  std::uint32_t last;
  Call call;
};
constexpr std::array kRanges = {
    Range{2, kReduceRow},    Range{3, kBarrier},       Range{4, kReduceWorld},  Range{5, kReduceRow},
    Range{9, kBcastWorld},   Range{13, kLocal},        Range{14, kMirrored},    Range{15, kGatherColumn},
    Range{16, kMirrored},    Range{20, kLocal},        Range{21, kGatherRow},   Range{22, kBcastRow},
    Range{24, kReduceWorld}, Range{25, kReduceRow},    Range{29, kMirrored},    Range{31, kGatherColumn},
    Range{32, kBcastColumn}, Range{33, kReduceColumn}, Range{36, kSpreadRow},   Range{39, kReduceWorld},
    Range{40, kBarrier},     Range{41, kMirrored},     Range{42, kBcastColumn}, Range{43, kBcastRow},
    Range{44, kMirrored},    Range{46, kGatherColumn}, Range{49, kAroundRow},   Range{50, kReduceWorld},
    Range{51, kBarrier},     Range{53, kReduceWorld},  Range{54, kBcastWorld},  Range{kBfsCallSites, kLocal}};

}  // namespace

motif::Site bfs_call_site(std::uint32_t site) {
  const Call& call =
      // The last range takes all that is left.
      std::find_if(kRanges.begin(), kRanges.end() - 1, [&](const Range& range) { return site <= range.last; })->call;
  motif::Site made;
  made.id = site;
  made.operation = call.operation;
  made.group = call.group;
  made.peer = call.peer;
  made.peer_offset = call.peer == Peer::row_shift ? 1 : 0;
  return made;
}

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
      // Models of several threads are of other runs.
      if (model.threads == 1) table.places_.emplace(std::pair(model.source, model.destination), i);
    }
    return table;
  }
  Result<double> at(std::uint32_t source, std::uint32_t destination, double nodes, double size) {
    const auto found = places_.find({source, destination});
    if (found == places_.end()) {
      return Error{.message = destination == 0
                                  ? fmt::format("no model for call site {}", source)
                                  : fmt::format("no model for the way from call site {} to {}", source, destination),
                   .file = path_};
    }
    // Bilinear and exponential models can be negative or without bounds; times and sizes are neither.
    // 2^50 microseconds are 35 years, 2^50 bytes a petabyte: beyond that an extrapolation says nothing.
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
    // All ranks do the same: one list serves for everybody.
    lists_.class_of = [](std::uint32_t) { return 0; };
    lists_.by_class.resize(1);
    for (std::uint32_t site = 0; site <= kBfsCallSites; ++site) lists_.phases.push_back(fmt::format("site {}", site));
  }

  Status add_search() {
    // What comes before the levels, two passes top-down, levels bottom-up with a ring in the rows, and top-down again.
    visit(1, 24);
    visit(25, 39);
    visit(25, 39);
    visit(40, 40);
    for (int level = 0, levels = 2 + chance(third_level_); level < levels; ++level) {
      visit(41, 46);
      // A ring through a row: everybody else's part comes by once.
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
  // One draw for all ranks, as the generator is the same everywhere.
  int chance(double share) { return next_uniform(random_) < share ? 1 : 0; }
  void visit(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t site = first; site <= last; ++site) add_call(site);
  }

  void add_call(std::uint32_t site) {
    const double nodes = static_cast<double>(side_) * side_;
    MpiCall call;
    call.phase = site;
    const motif::Site what = bfs_call_site(site);
    const bool sends = what.group != motif::Group::none && what.operation != "MPI_Barrier";
    if (last_ != 0 && status_.ok()) {  // nothing is known of the time before the first call
      // Times of the model are in microseconds.
      const auto time = exec_.at(last_, site, nodes, size_);
      if (!time) status_ = time.error();
      else call.compute_ps = motif::to_picoseconds(*time * 1000);
    }
    if (sends && last_ != 0 && status_.ok()) {
      // Keys of the file are where a transition begins: the size is that of the call it leads to.
      const auto bytes = msg_.at(last_, 0, nodes, size_);
      if (!bytes) status_ = bytes.error();
      else call.bytes = std::llround(*bytes);
    } else if (last_ == 0) {
      // A model has no size for the first call, whose way to it was not recorded: a single number.
      call.bytes = 8;
    }
    shape(call, what);
    lists_.by_class[0].push_back(call);
    last_ = site;
  }

  void shape(MpiCall& call, const motif::Site& site) const {
    const auto in_group = [](motif::Group group) {
      return group == motif::Group::row      ? MpiCall::Group::row
             : group == motif::Group::column ? MpiCall::Group::column
                                             : MpiCall::Group::world;
    };
    const auto collective = motif::collective_of(site.operation);
    if (collective) {
      call.kind = MpiCall::Kind::collective;
      call.collective = *collective;
      call.group = in_group(site.group);
      // Models tell what goes to one partner; a list of calls has what a rank sends in all.
      if (*collective == Collective::all_to_all) call.bytes *= side_;
    } else if (site.peer != motif::Peer::none) {
      call.kind = MpiCall::Kind::exchange;
      call.peer = site.peer == motif::Peer::opposite ? MpiCall::Peer::transposed : MpiCall::Peer::shift;
      call.group = in_group(site.group);
      call.offset = site.peer_offset;
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
  // Each search is some hundred calls: a limit against lists that fill memory.
  if (values.count("roots") > 65536) return Error{fmt::format("roots={}: at most 65536", values.count("roots"))};
  for (std::uint64_t root = 0; root < values.count("roots"); ++root)
    if (const Status added = search.add_search(); !added) return added.error();
  return motif::call_pattern(search.take());
}

constexpr motif::PatternInfo kBfs{
    "bfs", "breadth-first searches on a square of ranks, with published models of times and sizes", kBfsParameters,
    breadth_first_search};

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
