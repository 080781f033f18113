#include "llm/steps/matrix_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/device/kernel_gemm.h"
#include "report/counted.h"
#include "workload/program_builder.h"

// One program serves all devices, since they do the same at other places. Panels are a loop: gathered ahead of their
// products where rows and columns are divided, and summed up behind them where k is.

namespace orrery::llm {
namespace {

using machine::Violation;
using workload::Collective;

constexpr std::size_t kAlongRow = 0, kAlongColumn = 1;
constexpr std::size_t kPanelsHeld = 2;  // one that is multiplied, one that arrives

class MatrixWriter {
 public:
  MatrixWriter(const MatrixPlan& plan, const machine::Device& device) : plan_(plan), device_(device) {
    const auto rows = static_cast<std::uint32_t>(plan.rows), columns = static_cast<std::uint32_t>(plan.columns);
    for (std::size_t i = 0; i < kMatrixAxisNames.size(); ++i) names_[i] = job_.strings.intern(kMatrixAxisNames[i]);
    // Neighbours are a row of the grid.
    if (columns > 1) job_.roles.push_back({names_[kAlongRow], {{columns, 1}}});
    if (rows > 1) job_.roles.push_back({names_[kAlongColumn], {{rows, columns}}});
    job_.program_of_rank.resize(std::size_t{rows} * columns, 0);
  }

  Result<workload::Workload> write() && {
    if (plan_.layout == MatrixLayout::row_column) gather_panels();
    else sum_panels();
    Result<workload::Program> program = std::move(builder_).build();
    if (!program) return std::move(program.error());
    job_.programs.push_back(std::move(*program));
    return std::move(job_);
  }

 private:
  using Place = std::optional<std::uint64_t>;

  void gather_panels() {
    const double panel = plan_.k / plan_.panels, element = machine::bytes_of(plan_.precision);
    const double a = plan_.batch * plan_.m / plan_.rows * panel / plan_.columns * element;
    const double b = plan_.batch * panel / plan_.rows * plan_.n / plan_.columns * element;
    std::vector<Place> products;
    Place of_a, of_b;
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan_.panels); ++i) {
      // There is room for so many panels: an earlier one must have been multiplied.
      const Place room = i >= kPanelsHeld ? products[i - kPanelsHeld] : Place();
      // Panels of one matrix come one after the other, those of the two matrices beside each other.
      of_a = collective(fmt::format("panel {} of A", i), Collective::all_gather, kAlongRow, a, {of_a, room});
      of_b = collective(fmt::format("panel {} of B", i), Collective::all_gather, kAlongColumn, b, {of_b, room});
      const machine::GemmShape shape{plan_.m / plan_.rows, plan_.n / plan_.columns, panel, plan_.batch,
                                     plan_.precision};
      products.push_back(
          // Products add to the same block of C, so each follows the one before.
          compute(fmt::format("product {}", i), shape, {of_a, of_b, products.empty() ? Place() : products.back()}));
    }
  }

  void sum_panels() {
    const double panel = plan_.n / plan_.panels;
    const double partial = plan_.batch * plan_.m / plan_.rows * panel * plan_.sum_bytes;
    const auto kind = plan_.sum == MatrixSum::scattered ? Collective::reduce_scatter : Collective::all_reduce;
    Place product, sum;
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan_.panels); ++i) {
      const machine::GemmShape shape{plan_.m / plan_.rows, panel, plan_.k / plan_.columns, plan_.batch,
                                     plan_.precision};
      product = compute(fmt::format("product {}", i), shape, {product});
      // Sums follow one another on the wire, while the next product is computed already.
      sum = collective(fmt::format("sum {}", i), kind, kAlongRow, partial, {product, sum});
    }
  }

  Place compute(const std::string& name, const machine::GemmShape& shape, std::initializer_list<Place> after) {
    const double seconds = machine::gemm_seconds(device_, shape, machine::in_stream(device_));
    return add({.name = job_.strings.intern(name),
                .kind = workload::ActivityKind::compute,
                .duration_ps = static_cast<TimePs>(std::llround(seconds * 1e12))},
               after);
  }
  /// Nothing, where there is nobody to talk to.
  Place collective(const std::string& name, Collective kind, std::size_t axis, double bytes,
                   std::initializer_list<Place> after) {
    if ((axis == kAlongRow ? plan_.columns : plan_.rows) < 2) return {};
    return add({.name = job_.strings.intern(name),
                .kind = workload::ActivityKind::collective,
                .flags = workload::activity::kHasBytes,
                // Rounded up: what is divided among devices may leave fractions of a byte.
                .bytes = static_cast<std::int64_t>(std::ceil(bytes)),
                .collective = kind,
                .group_name = names_[axis],
                // A lane for each axis of the grid, beside that of computation.
                .lane = 1 + static_cast<std::int32_t>(axis)},
               after);
  }
  Place add(workload::Activity activity, std::initializer_list<Place> after) {
    activity.id = builder_.size();
    builder_.add(activity);
    for (const Place& one : after) {
      if (one) builder_.depend(*one, workload::Dependency::data);
    }
    return activity.id;
  }

  const MatrixPlan& plan_;
  const machine::Device& device_;
  workload::Workload job_;
  workload::ProgramBuilder builder_;
  std::array<StringId, kMatrixAxisNames.size()> names_{};
};

/// `extent` is divided by `parts`, which may be a product of several fields.
std::optional<Violation> find_part_violation(const char* field, double parts, const char* extent_name, double extent) {
  if (std::fmod(extent, parts) == 0) return std::nullopt;
  return Violation{fmt::format("gemm.{}", field), fmt::format("makes {}, which must divide {} = {}",
                                                              report::counted(parts, "part"), extent_name, extent)};
}

}  // namespace

std::optional<Violation> find_matrix_violation(const MatrixPlan& plan) {
  if (auto found = find_part_violation("rows", plan.rows, "m", plan.m)) return found;
  if (plan.layout == MatrixLayout::k_parallel) {
    if (auto found = find_part_violation("columns", plan.columns, "k", plan.k)) return found;
    return find_part_violation("panels", plan.panels, "n", plan.n);
  }
  if (auto found = find_part_violation("columns", plan.columns, "n", plan.n)) return found;
  if (auto found = find_part_violation("panels", plan.panels, "k", plan.k)) return found;
  if (plan.sum != MatrixSum::scattered)
    return Violation{"gemm.sum", "is for the layout k_parallel: row_column adds nothing up", "leave it out"};
  return std::nullopt;
}

Result<workload::Workload> matrix_workload(const MatrixPlan& plan, const machine::Device& device) {
  return MatrixWriter(plan, device).write();
}

double matrix_bytes(const MatrixPlan& plan) {
  const double element = machine::bytes_of(plan.precision), m = plan.m / plan.rows;
  if (plan.layout == MatrixLayout::k_parallel) {
    const double k = plan.k / plan.columns, sums = m * plan.n * plan.sum_bytes;
    return plan.batch * (element * (m * k + k * plan.n) + sums);
  }
  const double n = plan.n / plan.columns, whole = element * plan.k * (m + n);
  // Panels are gathered one ahead, so that two are there at once.
  const double held = whole * std::min(1.0, kPanelsHeld / plan.panels);
  return plan.batch * (element * (m * plan.k / plan.columns + plan.k / plan.rows * n + m * n) + held);
}

}  // namespace orrery::llm
