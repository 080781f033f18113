// Links that carry the same all the time, and operations that load them alike: one of each is looked at for all.
//
// A training step on 16,384 devices does on the links of one rail what it does on those of the seven others. Operations
// that start together in classes, and links in classes, such that each operation of a class loads as many links of a
// class with the same weights, and each link of a class is loaded by as many operations of a class with the same
// weights, are an equitable partition of the incidence between both: then max-min fair rates are the same for a class,
// and those of a network with one link and one flow for each class, in which a flow weighs what all of its class weigh
// on the link (fractional isomorphism of linear programs: Grohe, Kersting, Mladenov and Selman, Dimension reduction via
// colour refinement, 2014).
//
// Which links an operation takes is known when one of its kind starts. It is then held against the classes so far: if
// they are not equitable, they are refined by all that is known, and the run begins anew.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulate/collective/lowering.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

class FoldedLinks final : public NetworkFolding {
 public:
  /// Links of one capacity are of one class at first. `lowering` must outlive this.
  explicit FoldedLinks(Lowering& lowering);

  void fold() override { is_folded_ = true; }
  void forget_classes() override;
  [[nodiscard]] std::uint32_t class_of(const CommOp& op) const override;
  void announce(const CommOp& op) override;
  [[nodiscard]] bool found_unlike() const override { return found_unlike_; }
  bool refine_classes() override;

  [[nodiscard]] bool is_folded() const { return is_folded_; }
  /// As NetworkModel::restart(): nothing has started. Classes stay.
  void restart();
  /// What the operation and those that it stands for ask of the links that stand for others. One that stands for none
  /// keeps its own links: none of them is busier than the one that stands for it.
  Result<Lowering::SharedPlan> plan(const CommOp& op);
  /// While it is folded, a link that does what this one does: the first of its class.
  [[nodiscard]] machine::LinkId representative(machine::LinkId link) const {
    return is_folded_ ? classes_[class_of_link_[link]].first : link;
  }

 private:
  /// Of an operation: the communicator of a collective, the ends of a message.
  using Line = std::uint64_t;
  struct LinkClass {
    machine::LinkId first = 0;
    std::uint32_t size = 0;
  };
  /// The operations of a line that take the same way: a plan for each.
  struct Key {
    Line line = 0;
    std::uint64_t way = 0;  ///< a hash over all of it

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.line * 0x9e3779b97f4a7c15u ^ key.way; }
  };
  /// One link that one line takes in one phase of operations of a kind.
  struct Load {
    std::uint32_t line = 0;  ///< among lines_
    std::uint64_t kind = 0;  ///< what all but the links are, and the phase
    LinkShare share;
  };

  static Line line_of(const CommOp& op);
  static std::uint64_t kind_of(const CommOp& op, const Plan& plan);
  static std::uint64_t way_of(const CommOp& op, const Plan& plan);
  Result<Lowering::SharedPlan> fold_plan(const CommOp& op, const Lowering::SharedPlan& plan);
  /// Remembers the loads of `op`, one of those that `group` stands for.
  void note(const CommOp& op, std::uint32_t group, const Plan& plan);
  /// A sum over the links of a phase that is the same for operations that load classes of links alike.
  [[nodiscard]] std::uint64_t load_of_classes(const PlanPhase& phase) const;
  /// What the phases of all members put on links, added up; false if it is not the same on all links of a class.
  [[nodiscard]] bool add_up(std::span<const Lowering::SharedPlan> members, std::size_t phase);
  void number_links();

  Lowering& lowering_;
  bool is_folded_ = false;
  bool found_unlike_ = false;
  bool is_hopeless_ = false;  ///< not all that was started is known
  std::vector<std::uint32_t> class_of_link_;
  std::vector<LinkClass> classes_;                         ///< of links
  std::unordered_map<Line, std::uint32_t> class_of_line_;  ///< of those that were refined
  std::unordered_map<Key, Lowering::SharedPlan, KeyHash> plans_;
  /// What was asked last for a line, by its number modulo kRecent.
  struct Recent {
    Line line = 0;
    Lowering::SharedPlan own, folded;  ///< null: nothing yet
  };
  static constexpr std::size_t kRecent = 4096;
  std::vector<Recent> recent_;
  // All that was started since restart().
  std::unordered_map<Line, std::uint32_t> number_of_line_;
  std::vector<std::uint32_t> groups_;  ///< by number of the line: that of the line that stood for it
  std::vector<Load> loads_;
  // Scratch.
  std::vector<LinkShare> sum_;  ///< by link
  std::vector<machine::LinkId> touched_;
  std::vector<std::uint32_t> touched_of_class_;
};

}  // namespace orrery::simulate
