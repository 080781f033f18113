// Devices in a grid of any number of axes, each connected to its neighbours: ring, mesh and torus.
#pragma once

#include "machine/topology/fabric.h"

namespace orrery::machine {

/// How an axis continues behind its ends, and which of two equally long ways around is taken.
enum class GridWrap : std::uint8_t {
  none,         ///< mesh
  ties_up,      ///< ring: upwards
  ties_simgrid  ///< torus: upwards, but downwards from the middle of an axis to its beginning, as SimGrid does
};

/// Links are numbered axis by axis, within it line by line (of devices that differ in this coordinate alone, in the
/// order of their first ones), within it cable by cable: cable c joins coordinates c and c+1 (the last one, if there is
/// one, the end and the beginning), link 2c leads upwards and 2c+1 back. An axis of two has one cable. The shortest
/// paths that count are those that go along the axes one after the other, in cyclic order: path p begins at the p-th
/// axis along which there is way to go; path 0 is the dimension-ordered one.
class GridFabric : public Fabric {
 public:
  GridFabric(const Dimension& dimension, const std::vector<std::int64_t>& shape, GridWrap wrap);

  [[nodiscard]] std::uint32_t switch_count() const override { return 0; }
  [[nodiscard]] std::vector<Link> make_links() const override;
  [[nodiscard]] PathNumber path_count(std::uint32_t source, std::uint32_t target) const override;
  void append_path(std::uint32_t source, std::uint32_t target, PathNumber path, LinkId first_link,
                   std::vector<LinkId>& route) const override;
  [[nodiscard]] std::string switch_name(std::uint32_t) const override { return {}; }

 private:
  struct Axis {
    std::uint32_t extent;
    std::uint32_t stride;      ///< between neighbours
    std::uint32_t cables;      ///< of one line
    std::uint32_t first_link;  ///< of the axis
    [[nodiscard]] std::uint32_t coordinate(std::uint32_t place) const { return place / stride % extent; }
    [[nodiscard]] std::uint32_t line(std::uint32_t place) const {
      return place / (stride * extent) * stride + place % stride;
    }
  };

  [[nodiscard]] bool goes_up(const Axis& axis, std::uint32_t from, std::uint32_t to) const;
  /// Goes along one axis to `target`'s coordinate; returns the place that is reached.
  [[nodiscard]] std::uint32_t append_axis(const Axis& axis, std::uint32_t place, std::uint32_t target,
                                          LinkId first_link, std::vector<LinkId>& route) const;

  LinkGrade grade_;
  GridWrap wrap_;
  std::uint32_t places_ = 1;
  std::vector<Axis> axes_;
};

}  // namespace orrery::machine
