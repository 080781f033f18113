// The topologies in which any two devices are neighbours or one switch apart.
#pragma once

#include "machine/topology/fabric.h"

namespace orrery::machine {

/// Links 2i and 2i+1 lead from device i to the switch and back.
class SwitchFabric : public Fabric {
 public:
  SwitchFabric(const Dimension& dimension, std::uint32_t places) : grade_(LinkGrade::of(dimension)), places_(places) {}

  [[nodiscard]] std::uint32_t switch_count() const override { return 1; }
  [[nodiscard]] std::vector<Link> make_links() const override;
  [[nodiscard]] PathNumber path_count(std::uint32_t, std::uint32_t) const override { return 1; }
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t) const override { return "switch"; }

 private:
  LinkGrade grade_;
  std::uint32_t places_;
};

/// The links of device 0 to 1, 2, …, then those of device 1 to 0, 2, …
class FullFabric : public Fabric {
 public:
  FullFabric(const Dimension& dimension, std::uint32_t places) : grade_(LinkGrade::of(dimension)), places_(places) {}

  [[nodiscard]] std::uint32_t switch_count() const override { return 0; }
  [[nodiscard]] std::vector<Link> make_links() const override;
  [[nodiscard]] PathNumber path_count(std::uint32_t, std::uint32_t) const override { return 1; }
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t) const override { return {}; }

 private:
  LinkGrade grade_;
  std::uint32_t places_;
};

/// One switch per rail (place modulo `rails`), and spine switches that connect the rails. Links 2i and 2i+1 lead from
/// device i to its rail's leaf and back; then, leaf by leaf, pairs of links to each spine and back.
class RailsFabric : public Fabric {
 public:
  RailsFabric(const Dimension& dimension, std::uint32_t places);

  [[nodiscard]] std::uint32_t switch_count() const override { return rails_ + spines_; }
  [[nodiscard]] std::vector<Link> make_links() const override;
  [[nodiscard]] PathNumber path_count(std::uint32_t source, std::uint32_t target) const override;
  [[nodiscard]] PathNumber usual_path(std::uint32_t source, std::uint32_t target) const override;
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t index) const override;

 private:
  [[nodiscard]] LinkId spine_link(std::uint32_t rail, std::uint32_t spine) const {
    return 2 * (places_ + rail * spines_ + spine);
  }

  LinkGrade grade_;
  LinkGrade spine_grade_;
  std::uint32_t places_;
  std::uint32_t rails_;
  std::uint32_t spines_;
};

}  // namespace orrery::machine
