#include "library/python/ray_arguments.h"

#include "library/python/api_error.h"

namespace py = pybind11;

namespace {

/// A number of Python or NumPy.
bool is_number(const py::object& given) {
    return PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()) ||
           py::isinstance(given, py::module_::import("numpy").attr("number"));
}

}  // namespace

RayArguments::RayArguments(CallArguments& call, const py::object& origin,
                           const py::object& direction, const py::object& nearest,
                           const py::object& farthest, const py::object& mask, bool coherent)
    : origins_(call.floats(origin, 3, "origins")),
      directions_(call.floats(direction, 3, "directions")) {
    rays.count = origins_.size(0);
    rays.coherent = coherent ? 1 : 0;
    if (directions_.size(0) != rays.count)
        throw ApiError{TL_INVALID, "there are " + std::to_string(rays.count) + " origins and " +
                                       std::to_string(directions_.size(0)) + " directions"};
    rays.origins = origins_.floats();
    rays.directions = directions_.floats();
    rays.t_min = limit(call, t_min_, nearest, "t_min");
    rays.t_max = limit(call, t_max_, farthest, "t_max");
    if (mask.is_none()) return;
    masks_ = call.indices(mask, "masks");
    check_size(*masks_, "masks");
    rays.masks = static_cast<const std::uint32_t*>(masks_->data);
}

void RayArguments::check_size(const ArrayArgument& values, const char* name) const {
    if ((values.rows.empty() ? values.shape : values.rows) != origins_.rows)
        throw ApiError{TL_INVALID, std::string(name) + " need one element for each ray"};
}

tl_floats RayArguments::limit(CallArguments& call, std::optional<ArrayArgument>& to,
                              const py::object& given, const char* name) {
    if (given.is_none()) return {};
    if (is_number(given)) {
        to = call.filled(rays.count, given.cast<float>());
    } else {
        to = call.floats(given, 1, name);
        check_size(*to, name);
    }
    return to->floats();
}
