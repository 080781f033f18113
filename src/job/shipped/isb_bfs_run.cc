#include "job/shipped/isb_bfs_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace orrery::job {
namespace {

using motif::fit::ClassRun;
using motif::fit::Edge;
using motif::fit::EdgeTimes;

EdgeTimes times_of(const isb_bfs::Model& model) {
  EdgeTimes times;
  for (const double value : model.parameters) {
    times.least_us = times.count == 0 ? value : std::min(times.least_us, value);
    times.sum_us += value;
    ++times.count;
  }
  return times;
}

/// The sizes that follow one call site, and the sites that they may belong to.
struct Following {
  std::map<double, double> sizes = {};         // how often each occurs
  std::map<std::uint32_t, double> calls = {};  // by site
};

class BytesByDestination {
 public:
  BytesByDestination(ClassRun& run, const isb_bfs::ModelFile& msg, std::uint32_t threads) : run_(run) {
    for (const auto& [edge, times] : run.edges) following_[edge.first].calls[edge.second] += times.count;
    for (const isb_bfs::Model& model : msg.models) {
      const auto found = following_.find(model.source);
      if (model.threads != threads || found == following_.end()) continue;
      double calls = 0;
      for (const auto& [site, count] : found->second.calls) calls += count;
      // One value for all, or one for each: the last call of a run has no successor, so that there may be one more.
      if (model.parameters.size() == 1) found->second.sizes[model.parameters[0]] += calls;
      else
        for (const double value : model.parameters) ++found->second.sizes[value];
    }
  }

  void assign() {
    for (auto& [source, following] : following_) {
      if (following.calls.size() == 1) give(following, following.calls.begin()->first);
    }
    for (auto& [source, following] : following_) {
      if (following.calls.size() > 1) split(following);
    }
  }

 private:
  /// All sizes to one site.
  void give(const Following& following, std::uint32_t site) {
    for (const auto& [size, count] : following.sizes) add(site, size, count);
  }
  void add(std::uint32_t site, double size, double count) {
    run_.bytes[site].calls += count;
    run_.bytes[site].sum += size * count;
    auto& only = only_size_[site];
    only = !only ? size : (*only == size ? size : std::nan(""));
  }

  /// Sites whose size is known from elsewhere take theirs; a site that is called as often as one size occurs takes
  /// that; what is left is shared.
  void split(Following& following) {
    std::set<std::uint32_t> open;
    for (const auto& [site, calls] : following.calls) {
      const auto known = only_size_.find(site);
      if (known == only_size_.end() || !take(following, site, *known->second, calls)) open.insert(site);
    }
    for (auto site = open.begin(); site != open.end();) {
      const double calls = following.calls.at(*site);
      const auto same = std::find_if(following.sizes.begin(), following.sizes.end(),
                                     [&](const auto& one) { return one.second == calls; });
      if (open.size() > 1 && same != following.sizes.end() && take(following, *site, same->first, calls))
        site = open.erase(site);
      else ++site;
    }
    double calls = 0, sizes = 0, sum = 0;
    for (const std::uint32_t site : open) calls += following.calls.at(site);
    for (const auto& [size, count] : following.sizes) {
      sizes += count;
      sum += size * count;
    }
    if (calls <= 0 || sizes <= 0) return;
    for (const std::uint32_t site : open) {
      run_.bytes[site].calls += following.calls.at(site);
      run_.bytes[site].sum += following.calls.at(site) * sum / sizes;
    }
  }

  bool take(Following& following, std::uint32_t site, double size, double calls) {
    const auto found = following.sizes.find(size);
    if (found == following.sizes.end() || found->second < calls) return false;
    found->second -= calls;
    run_.bytes[site].calls += calls;
    run_.bytes[site].sum += calls * size;
    return true;
  }

  ClassRun& run_;
  std::map<std::uint32_t, Following> following_;
  std::map<std::uint32_t, std::optional<double>>
      only_size_;  // of sites that always send the same; not a number: of the others
};

}  // namespace

ClassRun observed_run(const isb_bfs::ModelFile& exec, const isb_bfs::ModelFile& msg, std::uint32_t threads) {
  ClassRun run;
  std::map<std::uint32_t, double> balance;  // calls that come in without one that goes out
  for (const isb_bfs::Model& model : exec.models) {
    if (model.threads != threads) continue;
    EdgeTimes times = times_of(model);
    if (model.source == 0) times.sum_us = times.least_us = 0;  // a date, not a duration
    balance[model.destination] += times.count;
    balance[model.source] -= times.count;
    run.edges[Edge{model.source, model.destination}] = times;
  }
  for (const auto& [site, surplus] : balance) {
    if (site != 0 && surplus > 0) run.last_site = site;
  }
  BytesByDestination(run, msg, threads).assign();
  return run;
}

}  // namespace orrery::job
