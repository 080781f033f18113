#include "analyze/capture/fused_operators.h"

#include <doctest/doctest.h>

namespace orrery::analyze {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("names of Inductor's kernels are cut into operators") {
  CHECK(fused_operators("triton_red_fused_add_arange_embedding_native_layer_norm_0") ==
        Names{"add", "arange", "embedding", "native_layer_norm"});
  CHECK(fused_operators("triton_poi_fused__to_copy_1") == Names{"_to_copy"});
  CHECK(fused_operators("triton_poi_fused_gelu_gelu_backward_7") == Names{"gelu", "gelu_backward"});
  CHECK(fused_operators("triton_per_fused_native_layer_norm_native_layer_norm_backward_12") ==
        Names{"native_layer_norm", "native_layer_norm_backward"});
  // Words that nobody knows and that stand together are one operator.
  CHECK(fused_operators("triton_poi_fused_constant_pad_nd_moe_forward_0") == Names{"constant_pad_nd", "moe_forward"});
  CHECK(fused_operators("triton_poi_fused_zzz_qqq_0") == Names{"zzz_qqq"});
  CHECK(fused_operators("triton_poi_fused_0") == Names{});
}

TEST_CASE("other names fuse nothing that one could tell") {
  CHECK_FALSE(fused_operators("triton_poi_fused_add"));
  CHECK_FALSE(fused_operators("triton_xyz_fused_add_0"));
  CHECK_FALSE(fused_operators("void at::native::reduce_kernel<512, 1>"));
  CHECK_FALSE(fused_operators(""));
}

}  // namespace
}  // namespace orrery::analyze
