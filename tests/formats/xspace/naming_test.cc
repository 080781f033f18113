#include "formats/xspace/naming.h"

#include <doctest/doctest.h>

namespace orrery::xspace {
namespace {

TEST_CASE("collectives are known by their HLO names and by the kernels of NCCL") {
  CHECK(collective_of("all-reduce").kind == "allreduce");
  CHECK(collective_of("all-reduce.3").kind == "allreduce");
  CHECK(collective_of("%all-reduce.7 = f32[8]{0} all-reduce(f32[8]{0} %x), channel_id=1").kind == "allreduce");
  CHECK(collective_of("all-gather.1.remat").kind == "all_gather");
  CHECK(collective_of("reduce-scatter.2").kind == "reduce_scatter");
  CHECK(collective_of("ragged-all-to-all.1").kind == "all_to_all");
  CHECK(collective_of("collective-permute").kind == "collective_permute");
  CHECK(collective_of("collective-broadcast.4").kind == "broadcast");
  CHECK(collective_of("recv.5").kind == "recv");
  CHECK(collective_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long)").kind == "allreduce");
  CHECK(collective_of("ncclKernel_ReduceScatter_RING_LL_Sum_half").kind == "reduce_scatter");
  CHECK(collective_of("ncclDevKernel_SendRecv").kind == "collective_permute");
  CHECK(collective_of("all-gather-start.2").kind == "all_gather");
  CHECK(collective_of("all-gather-start.2").part == CollectivePart::start);
  CHECK(collective_of("all-gather.2").part == CollectivePart::whole);
}

TEST_CASE("what only looks like a collective is none") {
  for (const char* name : {"all-reduce-done.1", "all-reduce-simplifier", "all-gather-cse", "end: all-reduce.2",
                           "tpu-all-reduce-legalizer", "send", "recv", "sender", "fusion.3",
                           "%fusion = f32[] fusion(f32[] %all-reduce)", "ncclDevKernel_Generic_1", ""})
    CHECK_MESSAGE(collective_of(name).kind.empty(), name);
  CHECK(is_communication_kernel("ncclDevKernel_Generic_1"));
  CHECK_FALSE(is_communication_kernel("ncclGroupEnd"));
}

TEST_CASE("attributes of an instruction that is written out") {
  constexpr std::string_view kPermute =
      "%p.1 = f32[8]{0} collective-permute(f32[8]{0} %x), channel_id=12, source_target_pairs={{0,1},{1,0}}, "
      "metadata={op_name=\"a, b\"}";
  CHECK(instruction_attribute(kPermute, "source_target_pairs") == "{{0,1},{1,0}}");
  CHECK(instruction_attribute(kPermute, "channel_id") == "12");
  CHECK(instruction_attribute(kPermute, "replica_groups").empty());
  CHECK(instruction_attribute("%a = f32[] all-reduce(), replica_groups=[4,2]<=[2,4]T(1,0), x=1", "replica_groups") ==
        "[4,2]<=[2,4]T(1,0)");
  CHECK(instruction_attribute("%s = send(), frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1}}\"}",
                              "source_target_pairs") == "{{0,1}}");
  CHECK(instruction_attribute("source_target_pairs={{0,1}}", "source_target_pairs").empty());  // no instruction
  CHECK(instruction_attribute("%a source_target_pairs", "source_target_pairs").empty());
  CHECK(instruction_attribute("%a source_target_pairs={{0,1", "source_target_pairs") ==
        "{{0,1");  // cut off: refused by who reads it
}

TEST_CASE("lines by plane and name") {
  CHECK(line_kind("/host:CPU", "python3") == LineKind::host);
  CHECK(line_kind("/host:CPU", "Host Threads/671") == LineKind::host_api);
  CHECK(line_kind("/device:GPU:0", "Stream #14(Compute,Memset)") == LineKind::stream);
  CHECK(line_kind("/device:GPU:0", "XLA Ops") == LineKind::device_derived);
  CHECK(line_kind("/device:TPU:0", "XLA Ops") == LineKind::device_ops);
  CHECK(line_kind("/device:TPU:0", "Async XLA Ops") == LineKind::device_async);
  CHECK(line_kind("/device:GPU:0", "Steps") == LineKind::device_derived);
  CHECK(line_kind("/device:GPU:0", "tf_XLAEigen/7") == LineKind::device_other);
  CHECK(line_kind("/device:CUSTOM:node3/host:CPU", "python3") == LineKind::host);
  CHECK(line_kind("/device:GPU:1 (node 3)", "Stream #1") == LineKind::stream);
  CHECK(original_plane_name("/device:CUSTOM:Megascale Trace") == "/device:CUSTOM:Megascale Trace");
  CHECK(device_number("/device:GPU:3") == 3);
  CHECK(device_number("/device:TPU:0 SparseCore 1") == 0);
  CHECK_FALSE(device_number("/device:CUSTOM:Megascale Trace").has_value());
  CHECK_FALSE(device_number("/host:CPU").has_value());
}

TEST_CASE("sizes in the details of copies and fills") {
  CHECK(bytes_in_details("size:112 dest:4 async:0") == 112);
  CHECK(bytes_in_details("kind:Unknown size:655360 dest:2 async:1") == 655'360);
  CHECK(bytes_in_details("kind:unknown num_bytes:4 async:0") == 4);
  CHECK_FALSE(bytes_in_details("kind:x oversize:4").has_value());
  CHECK_FALSE(bytes_in_details("size:").has_value());
  CHECK(operation_name("%fusion.2 = f32[8]{0} fusion(...)") == "fusion.2");
  CHECK(operation_name("%lonely") == "lonely");
  CHECK(operation_name("plain name") == "plain name");
}

TEST_CASE("an XSpace is told from JSON by its first bytes") {
  using namespace std::string_view_literals;
  CHECK(looks_like_xspace("\x0A\xDA\x02\x12\x0E/host:metadata"sv));
  CHECK(looks_like_xspace("\x0A\x10\x08\x02\x12\x0D/device:TPU:0"sv));
  CHECK(looks_like_xspace("\x0A\x00"sv));
  for (const std::string_view json :
       {"{\"traceEvents\":[]}"sv, "[]"sv, "\n{\"a\":1}"sv, "\n\n[\n1]"sv, "\n {}"sv, "\n[{\"ph\""sv, "\n"sv, ""sv})
    CHECK_FALSE(looks_like_xspace(json));
}

}  // namespace
}  // namespace orrery::xspace
