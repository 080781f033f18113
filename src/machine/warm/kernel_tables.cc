#include "machine/warm/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "machine/warm/warm_fields.h"
#include "machine/yaml/field_reader.h"
#include "machine/yaml/field_writer.h"

// A file is described with the constants of its kind, and its numbers as texts: thousands of them would make as many
// lines. What is read from it is what prices kernels.

namespace orrery::machine {
namespace {

constexpr int kMostHundredths = 300;
constexpr std::size_t kMostKnots = 64;  // of an axis

struct AxisFields {
  std::string name;
  std::string sizes;
};

template <typename Constants>
struct FormatFields {
  WarmFormat format = WarmFormat::bf16;
  WarmFormat cache = WarmFormat::bf16;
  TableAccuracy accuracy = {};
  Constants constants = {};
  std::vector<TimeInterval> intervals = {};
  std::vector<AxisFields> axes = {};
  std::string hundredths = {};
};

template <typename Constants>
struct TableFields {
  std::string device;
  WarmKind kind = WarmKind::gemm;
  std::vector<FormatFields<Constants>> formats = {};
};

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<AxisFields> auto& value) {
  visitor.text("name", value.name);
  visitor.expression("sizes", value.sizes);
}

template <typename Visitor, typename Fields>
  requires requires(Fields& value) { value.hundredths; }
void describe(Visitor& visitor, Fields& value) {
  visitor.choice("dtype", value.format, std::span<const std::string_view>(kWarmFormatNames));
  visitor.choice("kv_dtype", value.cache, std::span<const std::string_view>(kWarmFormatNames),
                 Default{WarmFormat::bf16});
  visitor.object("accuracy", value.accuracy);
  visitor.object("constants", value.constants);
  visitor.list("intervals", value.intervals, Required{});
  visitor.list("axes", value.axes, Required{});
  visitor.expression("hundredths", value.hundredths);
}

template <typename Visitor, typename Fields>
  requires requires(Fields& value) { value.formats; }
void describe(Visitor& visitor, Fields& value) {
  visitor.format("format", kKernelTableFormat);
  visitor.text("device", value.device);
  visitor.choice("kind", value.kind, std::span<const std::string_view>(kWarmKindNames));
  visitor.list("formats", value.formats, Required{});
}

/// None: something between the blanks is no number.
template <typename Number>
std::optional<std::vector<Number>> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return numbers;
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const auto number = parse_number<Number>(text.substr(begin, end - begin));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    text.remove_prefix(end);
  }
}

std::optional<Violation> find_axes_violation(const std::string& path, const std::vector<AxisFields>& axes,
                                             WarmKind kind) {
  const auto names = axes_of(kind);
  if (axes.size() != names.size())
    return Violation{path, fmt::format("has {} axes, and kernels of the kind have {}", axes.size(), names.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto sizes = numbers_in<double>(axes[i].sizes);
    const std::string field = fmt::format("{}[{}]", path, i);
    if (axes[i].name != names[i]) return Violation{field, fmt::format("must be called '{}'", names[i])};
    const bool good = sizes && !sizes->empty() && sizes->size() <= kMostKnots && sizes->front() > 0 &&
                      std::isfinite(sizes->back()) &&
                      std::adjacent_find(sizes->begin(), sizes->end(), std::greater_equal<>()) == sizes->end();
    if (!good) return Violation{field, fmt::format("must have 1 to {} ascending sizes", kMostKnots)};
  }
  return std::nullopt;
}

ResidualTable table_of(const std::vector<AxisFields>& fields) {
  std::vector<TableAxis> axes;
  for (const AxisFields& axis : fields) axes.push_back({axis.name, numbers_in<double>(axis.sizes).value()});
  return ResidualTable(std::move(axes));
}

template <typename Constants>
std::optional<Violation> find_format_violation(const std::string& path, const FormatFields<Constants>& fields,
                                               WarmKind kind) {
  if (auto found = find_axes_violation(path + ".axes", fields.axes, kind)) return found;
  const auto values = numbers_in<int>(fields.hundredths);
  const std::size_t knots = table_of(fields.axes).values().size();
  const auto too_much = [](int value) { return std::abs(value) > kMostHundredths; };
  const std::string field = path + ".hundredths";
  if (!values) return Violation{field, "must be whole numbers with blanks between them"};
  if (values->size() != knots)
    return Violation{field, fmt::format("has {} numbers, and the axes make {}", values->size(), knots)};
  if (std::any_of(values->begin(), values->end(), too_much))
    return Violation{field, fmt::format("must have no number beyond {}", kMostHundredths)};
  for (const TimeInterval& one : fields.intervals) {
    if (one.low_ratio > one.high_ratio) return Violation{path + ".intervals", "has one that ends before it begins"};
  }
  return std::nullopt;
}

template <typename Constants>
FormatTable usable(const FormatFields<Constants>& fields) {
  FormatTable table{.format = fields.format,
                    .cache = fields.cache,
                    .constants = fields.constants,
                    .residuals = table_of(fields.axes),
                    .intervals = fields.intervals,
                    .accuracy = fields.accuracy};
  const std::vector<int> values = numbers_in<int>(fields.hundredths).value();
  std::transform(values.begin(), values.end(), table.residuals.values().begin(),
                 [](int value) { return static_cast<std::int16_t>(value); });
  return table;
}

template <typename Constants>
Result<KernelTable> parse(std::string_view yaml, const std::string& file, const std::string& device, WarmKind kind) {
  const auto rule = [&](const TableFields<Constants>& fields) -> std::optional<Violation> {
    if (fields.device != device)
      return Violation{"device", fmt::format("is '{}', and the tables are those of '{}'", fields.device, device)};
    if (fields.kind != kind)
      return Violation{"kind", fmt::format("must be {} in this file", kWarmKindNames[static_cast<std::size_t>(kind)])};
    for (std::size_t i = 0; i < fields.formats.size(); ++i) {
      if (auto found = find_format_violation(fmt::format("formats[{}]", i), fields.formats[i], kind)) return found;
    }
    return std::nullopt;
  };
  auto fields = read_description<TableFields<Constants>>(yaml, file, "the table", "docs/formats/device.md", rule);
  if (!fields) return fields.error();
  KernelTable table{.device = fields->device, .kind = fields->kind};
  for (const auto& format : fields->formats) table.formats.push_back(usable(format));
  return table;
}

template <typename Constants>
FormatFields<Constants> fields_of(const FormatTable& table) {
  FormatFields<Constants> fields{.format = table.format,
                                 .cache = table.cache,
                                 .accuracy = table.accuracy,
                                 .constants = std::get<Constants>(table.constants),
                                 .intervals = table.intervals};
  for (const TableAxis& axis : table.residuals.axes())
    fields.axes.push_back({axis.name, fmt::format("{}", fmt::join(axis.sizes, " "))});
  fields.hundredths = fmt::format("{}", fmt::join(table.residuals.values(), " "));
  return fields;
}

const TimeInterval& interval_at(const FormatTable& table, double us) {
  const auto behind = std::upper_bound(table.intervals.begin(), table.intervals.end(), us,
                                       [](double time, const TimeInterval& one) { return time < one.from_us; });
  return behind == table.intervals.begin() ? table.intervals.front() : *(behind - 1);
}

}  // namespace

const FormatTable* KernelTable::find(const WarmKernel& kernel) const {
  const WarmFormat cache = kernel.cache_element_bytes < 2 ? WarmFormat::fp8 : WarmFormat::bf16;
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const FormatTable& one) {
    return one.format == kernel.format && one.cache == cache;
  });
  return found == formats.end() ? nullptr : &*found;
}

WarmPrice warm_price(const Device& device, const FormatTable& table, const WarmKernel& kernel, double widened) {
  const WarmTime time = warm_time(device, table.constants, kernel);
  const double seconds = time.seconds * std::exp(table.residuals.at(coordinates_of(kernel)));
  WarmPrice price{.seconds = seconds, .low_s = seconds, .high_s = seconds, .bound = time.bound};
  if (table.intervals.empty()) return price;
  const TimeInterval& interval = interval_at(table, seconds * 1e6);
  price.low_s = seconds * std::pow(interval.low_ratio, widened);
  price.high_s = seconds * std::pow(interval.high_ratio, widened);
  return price;
}

Result<KernelTable> parse_kernel_table(std::string_view yaml, const std::string& file, const std::string& device,
                                       WarmKind kind) {
  return std::visit(
      [&](const auto& constants) { return parse<std::remove_cvref_t<decltype(constants)>>(yaml, file, device, kind); },
      usual_constants(kind));
}

std::string to_yaml(const KernelTable& table) {
  return std::visit(
      [&](const auto& constants) {
        using Constants = std::remove_cvref_t<decltype(constants)>;
        TableFields<Constants> fields{.device = table.device, .kind = table.kind};
        for (const FormatTable& format : table.formats) fields.formats.push_back(fields_of<Constants>(format));
        std::string out;
        FieldWriter writer(out);
        describe(writer, std::as_const(fields));
        return out;
      },
      usual_constants(table.kind));
}

std::string table_file(WarmKind kind) { return fmt::format("{}.yaml", kWarmKindNames[static_cast<std::size_t>(kind)]); }

}  // namespace orrery::machine
