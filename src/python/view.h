// The engine's columns as numpy arrays that are not copies.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <span>
#include <type_traits>

namespace orrery::python {

/// A read-only array over `values`, which `owner` keeps alive for as long as any view of it lives. O(1).
template <typename T, typename Owner>
pybind11::array view(std::span<const T> values, const std::shared_ptr<Owner>& owner) {
  using Kept = std::shared_ptr<Owner>;
  const pybind11::capsule keeper(new Kept(owner), [](void* kept) { delete static_cast<Kept*>(kept); });
  pybind11::array_t<T> array(static_cast<pybind11::ssize_t>(values.size()), values.data(), keeper);
  pybind11::detail::array_proxy(array.ptr())->flags &= ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// An array of its own, to be filled by the caller.
template <typename T>
pybind11::array_t<T> fresh(std::size_t size) {
  return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(size));
}

}  // namespace orrery::python
