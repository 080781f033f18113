#include "machine/topology/grid_fabric.h"

#include <algorithm>

namespace orrery::machine {

GridFabric::GridFabric(const Dimension& dimension, const std::vector<std::int64_t>& shape, GridWrap wrap)
    : grade_(LinkGrade::of(dimension)), wrap_(wrap) {
  for (const std::int64_t extent : shape) places_ *= static_cast<std::uint32_t>(extent);
  std::uint32_t stride = 1;
  std::uint32_t first_link = 0;
  for (const std::int64_t wide : shape) {
    const auto extent = static_cast<std::uint32_t>(wide);
    const std::uint32_t cables = wrap != GridWrap::none && extent > 2 ? extent : extent - 1;
    axes_.push_back({.extent = extent, .stride = stride, .cables = cables, .first_link = first_link});
    first_link += 2 * cables * (places_ / extent);
    stride *= extent;
  }
}

std::vector<Link> GridFabric::make_links() const {
  std::vector<Link> links;
  links.reserve(axes_.back().first_link + 2 * std::size_t{axes_.back().cables} * (places_ / axes_.back().extent));
  for (const Axis& axis : axes_) {
    for (std::uint32_t begin = 0; begin < places_; ++begin) {
      if (axis.coordinate(begin) != 0) continue;
      for (std::uint32_t c = 0; c < axis.cables; ++c) {
        grade_.append_cable(begin + c * axis.stride, begin + (c + 1) % axis.extent * axis.stride, links);
      }
    }
  }
  return links;
}

PathNumber GridFabric::path_count(std::uint32_t source, std::uint32_t target) const {
  const auto differs = [&](const Axis& axis) { return axis.coordinate(source) != axis.coordinate(target); };
  return static_cast<PathNumber>(std::count_if(axes_.begin(), axes_.end(), differs));
}

bool GridFabric::goes_up(const Axis& axis, std::uint32_t from, std::uint32_t to) const {
  if (wrap_ == GridWrap::none) return to > from;
  const std::uint32_t up = to > from ? to - from : to + axis.extent - from;
  const std::uint32_t down = axis.extent - up;
  // The shorter way round. Halfway both are equally short, and simulators differ about which is taken.
  if (up != down) return up < down;
  // SimGrid's torus goes up in a tie as well, but for this one pair.
  const bool from_middle_to_begin = to == 0 && from == axis.extent / 2;
  return wrap_ == GridWrap::ties_up || !from_middle_to_begin;
}

std::uint32_t GridFabric::append_axis(const Axis& axis, std::uint32_t place, std::uint32_t target, LinkId first_link,
                                      std::vector<LinkId>& route) const {
  const std::uint32_t begin = axis.coordinate(place);
  const std::uint32_t end = axis.coordinate(target);
  const LinkId line = first_link + axis.first_link + 2 * axis.cables * axis.line(place);
  const bool up = goes_up(axis, begin, end);
  for (std::uint32_t c = begin; c != end;) {
    const std::uint32_t next = up ? (c + 1 == axis.extent ? 0 : c + 1) : (c == 0 ? axis.extent - 1 : c - 1);
    // Between the two devices of an axis of two there is only one cable, and 1 -> 0 goes back on it whichever way it is
    // looked at.
    const bool forward = up && c < axis.cables;
    route.push_back(line + (forward ? 2 * c : 2 * (up ? 0 : next) + 1));
    c = next;
  }
  return place - begin * axis.stride + end * axis.stride;
}

void GridFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                             std::vector<LinkId>& route) const {
  std::size_t first = 0;
  // Path n begins with the n-th axis that differs and takes the others in turn: distinct, and each dimension-ordered.
  for (PathNumber skip = path;; ++first) {
    if (axes_[first].coordinate(source) == axes_[first].coordinate(target)) continue;
    if (skip == 0) break;
    --skip;
  }
  std::uint32_t place = source;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[(first + i) % axes_.size()];
    if (axis.coordinate(place) != axis.coordinate(target)) place = append_axis(axis, place, target, first_link, route);
  }
}

}  // namespace orrery::machine
