#include "analyze/roofline/convolution_cost.h"

namespace orrery::analyze {
namespace {

/// Where each convolution has its arguments. 0 for those that it does not have: that place is the input's.
struct ConvolutionForm {
  std::string_view name;
  std::size_t bias, stride, padding, dilation, groups, transposed, output_padding;
};
constexpr ConvolutionForm kForms[] = {
    {"aten::convolution", 2, 3, 4, 5, 8, 6, 7},
    {"aten::_convolution", 2, 3, 4, 5, 8, 6, 7},
    {"aten::cudnn_convolution", 0, 3, 2, 4, 5, 0, 0},
    {"aten::miopen_convolution", 2, 4, 3, 5, 6, 0, 0},
    {"aten::conv1d", 2, 3, 4, 5, 6, 0, 0},
    {"aten::conv2d", 2, 3, 4, 5, 6, 0, 0},
    {"aten::conv3d", 2, 3, 4, 5, 6, 0, 0},
};

/// Of a list with one number for all dimensions, or one per dimension.
double at(const Shape& list, std::size_t dimension, double otherwise) {
  if (list.empty()) return otherwise;
  return static_cast<double>(list[dimension < list.size() ? dimension : 0]);
}

}  // namespace

std::optional<OperatorCost> convolution_cost(std::string_view name, const Operands& given) {
  for (const ConvolutionForm& form : kForms) {
    if (form.name != name) continue;
    if (!given.is_tensor(0) || !given.is_tensor(1)) return std::nullopt;
    const Shape &input = given.shape(0), &weight = given.shape(1);
    if (input.size() < 3 || weight.size() != input.size()) return std::nullopt;
    const bool transposed = form.transposed != 0 && given.is_true(form.transposed);
    const Shape stride = given.list(form.stride), padding = given.list(form.padding);
    const Shape dilation = given.list(form.dilation);
    const Shape more = form.output_padding == 0 ? Shape() : given.list(form.output_padding);
    const double groups = static_cast<double>(given.number(form.groups).value_or(1));
    double kernel = 1, out = 1, in = 1;
    for (std::size_t d = 0; d + 2 < input.size(); ++d) {
      const double size = static_cast<double>(input[d + 2]), taps = static_cast<double>(weight[d + 2]);
      const double reach = at(dilation, d, 1) * (taps - 1);
      const double step = at(stride, d, 1), pad = at(padding, d, 0);
      if (step <= 0) return std::nullopt;
      kernel *= taps;
      in *= size;
      out *= transposed ? (size - 1) * step - 2 * pad + reach + at(more, d, 0) + 1
                        : static_cast<double>(static_cast<std::int64_t>((size + 2 * pad - reach - 1) / step)) + 1;
    }
    const double batch = static_cast<double>(input[0]);
    // A weight is [out, in / groups, ...], of a transposed convolution [in, out / groups, ...].
    const double channels = static_cast<double>(weight[0]), per_group = static_cast<double>(weight[1]);
    const double out_channels = transposed ? per_group * groups : channels;
    OperatorCost cost{.kind = OperatorKind::conv, .type = given.type(0)};
    cost.flops = 2 * batch * channels * per_group * kernel * (transposed ? in : out);
    cost.bytes = given.bytes(0) + given.bytes(1) + batch * out_channels * out * given.element_bytes(0);
    if (form.bias != 0 && given.is_tensor(form.bias)) cost.bytes += given.bytes(form.bias);
    return cost;
  }
  return std::nullopt;
}

}  // namespace orrery::analyze
