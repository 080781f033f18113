#include "machine/topology/star_fabric.h"

namespace orrery::machine {

std::vector<Link> SwitchFabric::make_links() const {
  std::vector<Link> links;
  links.reserve(2 * std::size_t{places_});
  for (std::uint32_t i = 0; i < places_; ++i) grade_.append_cable(i, places_, links);
  return links;
}

void SwitchFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber, LinkId first_link,
                               std::vector<LinkId>& route) const {
  // Cables are two links each: up with even numbers, down with odd ones.
  route.push_back(first_link + 2 * source);
  route.push_back(first_link + 2 * target + 1);
}

std::vector<Link> FullFabric::make_links() const {
  std::vector<Link> links;
  links.reserve(std::size_t{places_} * (places_ - 1));
  for (std::uint32_t i = 0; i < places_; ++i) {
    for (std::uint32_t j = 0; j < places_; ++j) {
      if (i != j) links.push_back(grade_.link(i, j));
    }
  }
  return links;
}

void FullFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber, LinkId first_link,
                             std::vector<LinkId>& route) const {
  // A row of the full table without its diagonal.
  route.push_back(first_link + source * (places_ - 1) + (target < source ? target : target - 1));
}

RailsFabric::RailsFabric(const Dimension& dimension, std::uint32_t places)
    : grade_(LinkGrade::of(dimension)),
      places_(places),
      rails_(places / static_cast<std::uint32_t>(dimension.size)),
      spines_(static_cast<std::uint32_t>(dimension.rails.spine_count)) {
  const auto devices_per_rail = static_cast<double>(dimension.size);
  spine_grade_ = grade_;
  // All devices of a rail at full rate, shared out over the spines, less the oversubscription.
  spine_grade_.bytes_per_second *= devices_per_rail / (static_cast<double>(spines_) * dimension.rails.oversubscription);
}

std::vector<Link> RailsFabric::make_links() const {
  std::vector<Link> links;
  links.reserve(2 * (std::size_t{places_} + std::size_t{rails_} * spines_));
  // Neighbouring places are on different rails, as the devices of a node are.
  for (std::uint32_t i = 0; i < places_; ++i) grade_.append_cable(i, places_ + i % rails_, links);
  for (std::uint32_t rail = 0; rail < rails_; ++rail) {
    for (std::uint32_t spine = 0; spine < spines_; ++spine)
      spine_grade_.append_cable(places_ + rail, places_ + rails_ + spine, links);
  }
  return links;
}

PathNumber RailsFabric::path_count(std::uint32_t source, std::uint32_t target) const {
  // On one rail there is one way; between rails one over each spine.
  return source % rails_ == target % rails_ ? 1 : spines_;
}

PathNumber RailsFabric::usual_path(std::uint32_t source, std::uint32_t target) const {
  // By target, as switches forward: all that goes to one device takes one spine.
  return target % path_count(source, target);
}

void RailsFabric::append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                              std::vector<LinkId>& route) const {
  const std::uint32_t from = source % rails_;
  const std::uint32_t to = target % rails_;
  route.push_back(first_link + 2 * source);
  if (from != to) {
    route.push_back(first_link + spine_link(from, static_cast<std::uint32_t>(path)));
    route.push_back(first_link + spine_link(to, static_cast<std::uint32_t>(path)) + 1);
  }
  route.push_back(first_link + 2 * target + 1);
}

std::string RailsFabric::switch_name(std::uint32_t index) const {
  return index < rails_ ? "leaf" + std::to_string(index) : "spine" + std::to_string(index - rails_);
}

}  // namespace orrery::machine
