// What names say about communication.
#include "match/communication.h"

#include <doctest/doctest.h>

using namespace orrery;
using namespace orrery::match;
using workload::ActivityKind;
using workload::Collective;

namespace {

CommunicationKind collective(Collective which) { return {ActivityKind::collective, which}; }

}  // namespace

TEST_CASE("names of communication") {
  CHECK(communication_kind("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        collective(Collective::all_reduce));
  CHECK(communication_kind("ncclKernel_Reduce_RING_LL_Sum_float") == collective(Collective::reduce));
  CHECK(communication_kind("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL") == collective(Collective::reduce_scatter));
  CHECK(communication_kind("_allgather_base") == collective(Collective::all_gather));
  CHECK(communication_kind("nccl:all_to_all") == collective(Collective::all_to_all));
  CHECK(communication_kind("gloo:scatter") == collective(Collective::scatter));
  CHECK(communication_kind("c10d::gather_") == collective(Collective::gather));
  CHECK(communication_kind("gloo:barrier") == collective(Collective::barrier));
  CHECK(communication_kind("c10d::recv_")->kind == ActivityKind::recv);
  CHECK(communication_kind("isend")->kind == ActivityKind::send);
  CHECK_FALSE(communication_kind("ncclDevKernel_SendRecv").has_value());
  CHECK_FALSE(communication_kind("gemm").has_value());
}

TEST_CASE("sizes of elements") {
  CHECK(element_bytes("Float") == 4);
  CHECK(element_bytes("BFloat16") == 2);
  CHECK(element_bytes("Long") == 8);
  CHECK(element_bytes("Float8_e4m3fn") == 1);
  CHECK(element_bytes("c10::BFloat16") == 2);
  CHECK(element_bytes("unsigned char") == 1);
  CHECK(element_bytes("long int") == 8);
  CHECK(element_bytes("") == 0);
}

TEST_CASE("who does it") {
  CHECK(is_host_communication("gloo:all_reduce"));
  CHECK_FALSE(is_host_communication("nccl:all_reduce"));  // only launches it
  CHECK(is_call_of_communication("c10d::send"));
  CHECK_FALSE(is_call_of_communication("aten::mm"));
}
