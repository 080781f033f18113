// The Fourier transform of a cube that is spread over rows and columns of ranks: pencils, turned by all-to-alls with
// parts of unequal size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"

namespace orrery::motif {
namespace {

constexpr Parameter factor(std::string_view name, std::string_view help) {
  return {name, ParameterKind::number, "1", help};
}

constexpr std::array kTransform = {
    Parameter{"nx", ParameterKind::count, "8", "points along x, as many as along y and z"},
    Parameter{"ny", ParameterKind::count, "8", "points along y"},
    Parameter{"nz", ParameterKind::count, "8", "points along z"},
    Parameter{"npRow", ParameterKind::count, "0", "ranks of a column; 0: as square as can be"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds, each there and back"},
    Parameter{"nsPerElement", ParameterKind::number, "1", "ns to transform a point once"},
    factor("fwd_fft1", "times as long, of the first transform there"),
    factor("fwd_fft2", "of the second"),
    factor("fwd_fft3", "of the third"),
    factor("bwd_fft1", "of the first back"),
    factor("bwd_fft2", "of the second"),
    factor("bwd_fft3", "of the third, which is twice as long")};

/// `total` over `count`, the first ones get one more.
std::vector<std::int64_t> shares_of(std::uint64_t total, std::uint32_t count) {
  std::vector<std::int64_t> shares(count, static_cast<std::int64_t>(total / count));
  for (std::uint64_t i = 0; i < total % count; ++i) ++shares[i];
  return shares;
}

/// How the points are spread: x and y over the ranks of a column, y and z over those of a row.
struct Pencils {
  std::uint32_t column = 1, row = 1;  ///< ranks of each
  std::vector<std::int64_t> x_in_column, y_in_column, y_in_row, z_in_row;

  static constexpr std::int64_t kComplex = 2 * 8;
  static std::vector<std::int64_t> scaled(const std::vector<std::int64_t>& lengths, std::int64_t by) {
    std::vector<std::int64_t> bytes;
    bytes.reserve(lengths.size());
    for (const std::int64_t length : lengths) bytes.push_back(length * by * kComplex);
    return bytes;
  }
  /// What a rank sends to each of its column: there (x is given up), and back.
  [[nodiscard]] std::vector<std::int64_t> there(std::uint32_t place, std::uint32_t row_place) const {
    return scaled(x_in_column, y_in_column[place] * z_in_row[row_place]);
  }
  [[nodiscard]] std::vector<std::int64_t> back(std::uint32_t place, std::uint32_t row_place) const {
    return scaled(y_in_column, x_in_column[place] * z_in_row[row_place]);
  }
  /// To each of its row.
  [[nodiscard]] std::vector<std::int64_t> along_row(std::uint32_t place, std::uint32_t row_place) const {
    return scaled(y_in_row, x_in_column[place] * z_in_row[row_place]);
  }
};

constexpr std::uint32_t kColumn = 0, kRow = 1;

Result<Pattern> transform_3d(const Values& values, std::uint32_t ranks) {
  const std::uint64_t points = values.count("nx");
  if (points < 1 || points > 65536 || values.count("ny") != points || values.count("nz") != points)
    return Error{fmt::format("{} x {} x {} points: a cube of up to 65536 along each axis is transformed", points,
                             values.count("ny"), values.count("nz"))};
  const auto grid = make_grid(ranks, values.count("npRow"), 0);
  if (!grid) return grid.error();
  Pencils pencils;
  pencils.column = grid->extents[0];
  pencils.row = grid->extents[1];
  // The transform of real numbers: half of the points along x, and one, say it all.
  pencils.x_in_column = shares_of(points / 2 + 1, pencils.column);
  pencils.y_in_column = shares_of(points, pencils.column);
  pencils.y_in_row = shares_of(points, pencils.row);
  pencils.z_in_row = shares_of(points, pencils.row);
  const auto lines = points * points / ranks;  // whole ones
  const double base = values.number("nsPerElement") * static_cast<double>(points) * static_cast<double>(lines);
  constexpr std::array<std::string_view, 6> kFactors = {"fwd_fft1", "fwd_fft2", "fwd_fft3",
                                                        "bwd_fft1", "bwd_fft2", "bwd_fft3"};
  std::array<TimePs, 6> times{};
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = to_picoseconds(base * values.number(kFactors[i]) * (i == 5 ? 2 : 1));

  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  pattern.groups = {{"column", {{pencils.column, 1}}}, {"row", {{pencils.row, pencils.column}}}};
  // Whoever has as much as another sends as much to each: the remainders of the divisions make up to two kinds along
  // each axis.
  pattern.class_of = [pencils](std::uint32_t rank) {
    const std::uint32_t place = rank % pencils.column, row_place = rank / pencils.column;
    const auto first_like = [](const std::vector<std::int64_t>& lengths, std::uint32_t at) {
      return std::find(lengths.begin(), lengths.end(), lengths[at]) - lengths.begin();
    };
    return ((static_cast<std::uint64_t>(first_like(pencils.x_in_column, place)) * pencils.column +
             first_like(pencils.y_in_column, place)) *
                pencils.row +
            first_like(pencils.y_in_row, row_place)) *
               pencils.row +
           first_like(pencils.z_in_row, row_place);
  };
  pattern.append = [pencils, times](Script& script, std::uint32_t rank, std::uint64_t) {
    const std::uint32_t place = rank % pencils.column, row_place = rank / pencils.column;
    const auto turn = [&](std::vector<std::int64_t> parts, std::uint32_t group) {
      script.phase(group == kColumn ? "turn in columns" : "turn in rows");
      script.collective(workload::Collective::all_to_all, std::move(parts), group);
    };
    const auto transform = [&](std::size_t number, std::string_view phase) {
      script.phase(phase);
      script.compute(times[number]);
    };
    transform(0, "forward");
    turn(pencils.there(place, row_place), kColumn);
    transform(1, "forward");
    turn(pencils.along_row(place, row_place), kRow);
    transform(2, "forward");
    script.phase("barrier");
    script.collective(workload::Collective::barrier, 0);
    transform(3, "backward");
    turn(pencils.along_row(place, row_place), kRow);
    transform(4, "backward");
    turn(pencils.back(place, row_place), kColumn);
    transform(5, "backward");
    script.phase("barrier");
    script.collective(workload::Collective::barrier, 0);
  };
  return pattern;
}

constexpr std::array kTransformPatterns = {PatternInfo{
    "fft3d",
    "the Fourier transform of a cube of real numbers, there and back, with all-to-alls in rows and columns of ranks",
    kTransform, transform_3d}};

}  // namespace

std::span<const PatternInfo> transform_patterns() { return kTransformPatterns; }

}  // namespace orrery::motif
