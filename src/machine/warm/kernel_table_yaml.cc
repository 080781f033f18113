#include "machine/warm/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "machine/warm/warm_fields.h"
#include "machine/warm/warm_shape.h"
#include "machine/yaml/field_reader.h"
#include "machine/yaml/field_writer.h"

// A file is described with the constants of its kind, and its numbers as texts: thousands of them would make as many
// lines. What is read from it is what prices kernels.

namespace orrery::machine {
namespace {

constexpr int kMostHundredths = 300;
constexpr std::size_t kMostKnots = 65536;  // of an axis

struct AxisFields {
  std::string name;
  std::string sizes;
};

struct LayerFields {
  std::vector<AxisFields> axes = {};
  std::string hundredths = {};
};

template <typename Constants>
struct FormatFields {
  WarmFormat format = WarmFormat::bf16;
  WarmFormat cache = WarmFormat::bf16;
  std::optional<std::string> library = {};
  TableAccuracy accuracy = {};
  Constants constants = {};
  std::string groups = {};
  std::vector<AxisFields> steps = {};
  std::vector<TimeInterval> intervals = {}, unseen_intervals = {};
  std::vector<LayerFields> layers = {};
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

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<LayerFields> auto& value) {
  visitor.list("axes", value.axes, Required{});
  visitor.expression("hundredths", value.hundredths);
}

template <typename Visitor, typename Fields>
  requires requires(Fields& value) { value.unseen_intervals; }
void describe(Visitor& visitor, Fields& value) {
  visitor.choice("dtype", value.format, std::span<const std::string_view>(kWarmFormatNames));
  visitor.choice("kv_dtype", value.cache, std::span<const std::string_view>(kWarmFormatNames),
                 Default{WarmFormat::bf16});
  visitor.text("library", value.library);
  visitor.object("accuracy", value.accuracy);
  visitor.object("constants", value.constants);
  visitor.expression("groups", value.groups);
  visitor.list("steps", value.steps, Required{});
  visitor.list("intervals", value.intervals, Required{});
  visitor.list("unseen_intervals", value.unseen_intervals, Required{});
  visitor.list("layers", value.layers, Required{});
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

std::optional<Violation> find_sizes_violation(const std::string& field, const AxisFields& axis) {
  const auto sizes = numbers_in<double>(axis.sizes);
  const bool good = sizes && !sizes->empty() && sizes->size() <= kMostKnots && sizes->front() > 0 &&
                    std::isfinite(sizes->back()) &&
                    std::adjacent_find(sizes->begin(), sizes->end(), std::greater_equal<>()) == sizes->end();
  if (good) return std::nullopt;
  return Violation{field, fmt::format("must have 1 to {} ascending sizes", kMostKnots)};
}

std::optional<Violation> find_axes_violation(const std::string& path, const std::vector<AxisFields>& axes,
                                             WarmKind kind) {
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string field = fmt::format("{}[{}]", path, i);
    const auto coordinate = coordinate_called(kind, axes[i].name);
    if (!coordinate || !seen.insert(*coordinate).second)
      return Violation{field,
                       fmt::format("must be one of {}, and no two the same", fmt::join(coordinate_names(kind), ", "))};
    if (auto found = find_sizes_violation(field, axes[i])) return found;
  }
  return std::nullopt;
}

/// The sizes that every group was measured at.
std::optional<Violation> find_steps_violation(const std::string& path, const std::vector<AxisFields>& steps,
                                              WarmKind kind) {
  const auto names = step_names(kind);
  if (steps.size() != names.size()) return Violation{path, fmt::format("must be lists of {}", fmt::join(names, ", "))};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string field = fmt::format("{}[{}]", path, i);
    if (steps[i].name != names[i]) return Violation{field, fmt::format("must be called '{}'", names[i])};
    if (auto found = find_sizes_violation(field, steps[i])) return found;
  }
  return std::nullopt;
}

/// Without values; of axes that are as they must be.
ResidualTable table_of(const std::vector<AxisFields>& fields, WarmKind kind) {
  std::vector<TableAxis> axes;
  axes.reserve(fields.size());
  for (const AxisFields& axis : fields) {
    axes.push_back({axis.name, numbers_in<double>(axis.sizes).value(), coordinate_called(kind, axis.name).value()});
  }
  return ResidualTable(std::move(axes));
}

std::optional<Violation> find_layer_violation(const std::string& path, const LayerFields& fields, WarmKind kind) {
  if (auto found = find_axes_violation(path + ".axes", fields.axes, kind)) return found;
  const auto values = numbers_in<int>(fields.hundredths);
  const std::size_t knots = table_of(fields.axes, kind).values().size();
  const auto too_much = [](int value) { return std::abs(value) > kMostHundredths; };
  const std::string field = path + ".hundredths";
  if (!values) return Violation{field, "must be whole numbers with blanks between them"};
  if (values->size() != knots)
    return Violation{field, fmt::format("has {} numbers, and the axes make {}", values->size(), knots)};
  if (std::any_of(values->begin(), values->end(), too_much))
    return Violation{field, fmt::format("must have no number beyond {}", kMostHundredths)};
  return std::nullopt;
}

bool ends_before_it_begins(const TimeInterval& one) { return one.low_ratio > one.high_ratio; }

template <typename Constants>
std::optional<Violation> find_format_violation(const std::string& path, const FormatFields<Constants>& fields,
                                               WarmKind kind) {
  for (std::size_t i = 0; i < fields.layers.size(); ++i) {
    if (auto found = find_layer_violation(fmt::format("{}.layers[{}]", path, i), fields.layers[i], kind)) return found;
  }
  if (auto found = find_steps_violation(path + ".steps", fields.steps, kind)) return found;
  const std::size_t sizes = group_of({.kind = kind}).size();
  const auto groups = numbers_in<double>(fields.groups);
  if (!groups || groups->size() % sizes != 0)
    return Violation{path + ".groups", fmt::format("must be numbers with blanks between them, {} per group", sizes)};
  for (const auto& [name, list] :
       {std::pair(".intervals", &fields.intervals), std::pair(".unseen_intervals", &fields.unseen_intervals)}) {
    if (std::any_of(list->begin(), list->end(), ends_before_it_begins))
      return Violation{path + name, "has one that ends before it begins"};
  }
  return std::nullopt;
}

template <typename Constants>
FormatTable usable(const FormatFields<Constants>& fields, WarmKind kind) {
  FormatTable table{.format = fields.format,
                    .cache = fields.cache,
                    .library = fields.library.value_or(""),
                    .constants = fields.constants,
                    .intervals = fields.intervals,
                    .unseen_intervals = fields.unseen_intervals,
                    .accuracy = fields.accuracy};
  for (const LayerFields& layer : fields.layers) {
    ResidualTable& residuals = table.layers.emplace_back(table_of(layer.axes, kind));
    const std::vector<int> values = numbers_in<int>(layer.hundredths).value();
    std::transform(values.begin(), values.end(), residuals.values().begin(),
                   [](int value) { return static_cast<std::int16_t>(value); });
  }
  const std::vector<double> sizes = numbers_in<double>(fields.groups).value();
  const auto count = static_cast<std::ptrdiff_t>(group_of({.kind = kind}).size());
  for (auto at = sizes.begin(); at != sizes.end(); at += count) table.groups.emplace(at, at + count);
  for (const AxisFields& step : fields.steps) {
    const std::vector<double> measured = numbers_in<double>(step.sizes).value();
    table.steps.emplace_back(measured.begin(), measured.end());
  }
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
  for (const auto& format : fields->formats) table.formats.push_back(usable(format, kind));
  return table;
}

template <typename Constants>
FormatFields<Constants> fields_of(const FormatTable& table, WarmKind kind) {
  FormatFields<Constants> fields{.format = table.format,
                                 .cache = table.cache,
                                 .library = table.library.empty() ? std::nullopt : std::optional(table.library),
                                 .accuracy = table.accuracy,
                                 .constants = std::get<Constants>(table.constants),
                                 .intervals = table.intervals,
                                 .unseen_intervals = table.unseen_intervals};
  for (const std::vector<double>& group : table.groups)
    fields.groups += fmt::format("{}{}", fields.groups.empty() ? "" : " ", fmt::join(group, " "));
  for (std::size_t i = 0; i < table.steps.size(); ++i)
    fields.steps.push_back({std::string(step_names(kind)[i]), fmt::format("{}", fmt::join(table.steps[i], " "))});
  for (const ResidualTable& residuals : table.layers) {
    LayerFields& layer = fields.layers.emplace_back();
    for (const TableAxis& axis : residuals.axes())
      layer.axes.push_back({axis.name, fmt::format("{}", fmt::join(axis.sizes, " "))});
    layer.hundredths = fmt::format("{}", fmt::join(residuals.values(), " "));
  }
  return fields;
}

}  // namespace

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
        for (const FormatTable& format : table.formats)
          fields.formats.push_back(fields_of<Constants>(format, table.kind));
        std::string out;
        FieldWriter writer(out);
        describe(writer, std::as_const(fields));
        return out;
      },
      usual_constants(table.kind));
}

}  // namespace orrery::machine
