#include "simulate/models/isolated_model.h"

#include <algorithm>
#include <cmath>

namespace orrery::simulate {

IsolatedModel::IsolatedModel(std::shared_ptr<Lowering> lowering)
    : PhasedModel(std::move(lowering)), traffic_(this->lowering()->network().links().size()) {}

Result<std::vector<Price>> IsolatedModel::estimate(std::span<const CommOp> ops) {
  std::vector<Price> prices;
  for (const CommOp& op : ops) {
    const auto price = estimate(op);
    if (!price) return price.error();
    prices.push_back(*price);
  }
  return prices;
}

void IsolatedModel::reset(LinkRecorder* recorder) {
  PhasedModel::reset(recorder);
  recorder_ = recorder;
  traffic_.assign(traffic_.size(), {});
}

void IsolatedModel::begin_flow(Slot slot, TimePs now) {
  for (const LinkShare& share : running(slot).current().shares) {
    Traffic& link = traffic_[share.link];
    if (link.active++ == 0) link.busy_since = now;
    link.peak = std::max(link.peak, link.active);
  }
  set_timer(slot, now + flow_ps(running(slot)));
}

void IsolatedModel::timed_flow_ended(Slot slot, TimePs now) {
  const Running& op = running(slot);
  const double bytes = op.bytes * op.current().bytes_per_byte;
  for (const LinkShare& share : op.current().shares) {
    Traffic& link = traffic_[share.link];
    link.bytes.add(share.weight * bytes);
    if (--link.active == 0) link.busy_ps += now - link.busy_since;
    if (recorder_ != nullptr) recorder_->add(share.link, op.flow_start_ps, now, share.weight * bytes);
  }
  flow_ended(slot, now, op.current().bottleneck);
}

void IsolatedModel::count_links(std::vector<LinkCount>& counts) const {
  counts.resize(traffic_.size());
  for (std::size_t i = 0; i < traffic_.size(); ++i) counts[i] = {traffic_[i].bytes, traffic_[i].busy_ps};
}

void IsolatedModel::add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) {
  traffic_[link].bytes.add(each.bytes, times);
  traffic_[link].busy_ps += each.busy_ps * static_cast<TimePs>(times);
}

std::span<const LinkUse> IsolatedModel::link_uses() const {
  uses_.resize(traffic_.size());
  for (std::size_t i = 0; i < traffic_.size(); ++i) {
    const Traffic& link = traffic_[i];
    const TimePs present = link.active > 0 ? now() - link.busy_since : 0;
    uses_[i] = {.bytes = static_cast<std::uint64_t>(std::llround(link.bytes.bytes())),
                .busy_ps = link.busy_ps + present,
                .peak_sharing = link.peak};
  }
  return uses_;
}

}  // namespace orrery::simulate
