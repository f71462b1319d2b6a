// The rays of a call on a tree, as Python gives them.
#pragma once

#include <optional>

#include "library/python/array_argument.h"

/// Arrays of rays; keeps their memory alive. Throws ApiError (TL_INVALID).
struct RayArguments {
    tl_rays rays{};

    RayArguments(CallArguments& call, const pybind11::object& origin,
                 const pybind11::object& direction, const pybind11::object& nearest,
                 const pybind11::object& farthest, const pybind11::object& mask,
                 bool coherent = false);

  private:
    void check_size(const ArrayArgument& values, const char* name) const;
    tl_floats limit(CallArguments& call, std::optional<ArrayArgument>& to,
                    const pybind11::object& given, const char* name);

    ArrayArgument origins_, directions_;
    std::optional<ArrayArgument> t_min_, t_max_, masks_;
};
