#include "formats/chakra/converter.h"

#include <doctest/doctest.h>

#include <string>

#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

std::optional<std::int64_t> bytes_of(std::string_view inputs) {
  const std::string padded = std::string(inputs) + std::string(64, '\0');
  return bytes_of_inputs(std::string_view(padded).substr(0, inputs.size()));
}

TEST_CASE("communication: the kind is a word in the kernel's name, in a fixed order") {
  CHECK(comm_type_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        comm_type::all_reduce);
  CHECK(comm_type_of_kernel("ncclKernel_All-Gather_RING") == comm_type::all_gather);
  CHECK(comm_type_of_kernel("ncclDevKernel_ReduceScatter_Sum") == comm_type::reduce_scatter);
  CHECK(comm_type_of_kernel("ncclDevKernel_BROADCAST") == comm_type::broadcast);
  CHECK(comm_type_of_kernel("ncclDevKernel_ALL_TO_ALL") == comm_type::all_to_all);
  CHECK(comm_type_of_kernel("ncclDevKernel_AllGather_then_all_reduce") == comm_type::all_reduce);
  CHECK(comm_type_of_kernel("ncclDevKernel_SendRecv(x)") == comm_type::all_to_all);
  for (const char* unknown : {"ncclKernel_SendRecv", "ncclDevKernel_Reduce_Sum", "ncclDevKernel_Generic", ""})
    CHECK_FALSE(comm_type_of_kernel(unknown).has_value());
}

TEST_CASE("communication: bytes are those of all tensors among the inputs") {
  CHECK(
      bytes_of(
          R"--({"values": [[5,6,0,100,4,"cuda:0"], 7, [8,9,0,10,2,"cuda:0"]], "types": ["Tensor(float)", "Int", "Tensor(half)"]})--") ==
      420);
  CHECK(
      bytes_of(
          R"--({"types": ["GenericList[Tensor(float),Tensor(float)]"], "values": [[[1,2,0,3,4,"x"],[1,2,0,5,4,"x"]]]})--") ==
      32);
  CHECK(bytes_of(R"--({"values": [], "types": []})--") == 0);
  CHECK(bytes_of(R"--({"values": [[1,2,0,3,4,"x"]], "types": []})--") == 0);
  CHECK(bytes_of(R"--({"values": [[1,2,0,3,4]], "types": ["Tensor(int)"]})--") == 12);
}

TEST_CASE("communication: a tensor that is none is no number of bytes") {
  CHECK_FALSE(bytes_of(R"--({"values": [17], "types": ["Tensor(int)"]})--").has_value());
  CHECK_FALSE(bytes_of(R"--({"values": [[1,2,0,3]], "types": ["Tensor(int)"]})--").has_value());
  CHECK_FALSE(bytes_of(R"--({"values": [[1,2,0,"3",4]], "types": ["Tensor(int)"]})--").has_value());
  CHECK_FALSE(bytes_of(R"--({"values": [[1,2,0,9223372036854775807,4]], "types": ["Tensor(int)"]})--").has_value());
}

}  // namespace
}  // namespace orrery::chakra
