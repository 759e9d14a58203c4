#pragma once

#include "backends/device/field.hpp"

namespace poisson {

/// Calls body<From, To>(view of from, view of to) with the C++ types of the fields' precisions.
template <class Body>
void with_views(const Field& from, Field& to, const Body& body) {
  dispatch(from.precision(), [&]<class From>(From) {
    dispatch(to.precision(),
             [&]<class To>(To) { body.template operator()<From, To>(from.view<From>(), to.view<To>()); });
  });
}

}  // namespace poisson
