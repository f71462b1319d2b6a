// A tree, as the Python module calls it.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <utility>
#include <vector>

#include "library/python/api_error.h"
#include "library/python/array_argument.h"

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// Calls the C interface without Python's lock.
template <class Call>
void call_unlocked(const Call& call) {
    tl_status status;
    {
        pybind11::gil_scoped_release release;
        status = call();
    }
    check(status);
}

inline float* floats_of(const ResultArray& result) {
    return static_cast<float*>(result.data);
}
inline std::uint32_t* indices_of(const ResultArray& result) {
    return static_cast<std::uint32_t*>(result.data);
}
/// NumPy's bools are bytes of 0 or 1.
inline std::uint8_t* bools_of(const ResultArray& result) {
    return static_cast<std::uint8_t*>(result.data);
}

/// Results of rays. Members that were not asked for are None.
struct PyHits {
    pybind11::object t, primitive, instance, uv, normal, count;
};
struct PyClosestPoints {
    pybind11::object distance, position, primitive, uv;
};

/// Owns a tree.
class PyTree {
  public:
    PyTree(const std::string& device, const SettingList& texts);
    ~PyTree();
    PyTree(const PyTree&) = delete;
    PyTree& operator=(const PyTree&) = delete;
    [[nodiscard]] tl_tree* get() const { return tree_; }

    void save(const std::string& path) const;
    /// Replaces the tree by that of a file.
    void open(const std::string& device, const std::string& path);
    void triangles(const pybind11::object& vertices, const pybind11::object& faces, bool moves);
    void boxes(const pybind11::object& lower, const pybind11::object& upper, bool moves);
    void spheres(const pybind11::object& centers, const pybind11::object& radii, bool moves);
    void points(const pybind11::object& given);
    void patches(const pybind11::object& given, const pybind11::object& given_weights, bool moves);
    void instances(const std::vector<const PyTree*>& of,
                   const pybind11::array_t<float, pybind11::array::c_style |
                                                      pybind11::array::forcecast>& transforms,
                   bool moves);
    void set_masks(const pybind11::object& masks);
    [[nodiscard]] tl_tree_info about() const;

    PyHits closest(const pybind11::object& origins, const pybind11::object& directions,
                   const pybind11::object& t_min, const pybind11::object& t_max,
                   const pybind11::object& masks, bool normals, bool instances,
                   bool coherent) const;
    pybind11::object occluded(const pybind11::object& origins, const pybind11::object& directions,
                              const pybind11::object& t_min, const pybind11::object& t_max,
                              const pybind11::object& masks, bool coherent) const;
    pybind11::object count_hits(const pybind11::object& origins, const pybind11::object& directions,
                                const pybind11::object& t_min, const pybind11::object& t_max,
                                const pybind11::object& masks) const;
    PyHits all_hits(const pybind11::object& origins, const pybind11::object& directions, int k,
                    const pybind11::object& t_min, const pybind11::object& t_max,
                    const pybind11::object& masks, bool normals, bool instances) const;
    /// Returns offsets and PyHits.
    pybind11::tuple list_hits(const pybind11::object& origins, const pybind11::object& directions,
                              const pybind11::object& t_min, const pybind11::object& t_max,
                              const pybind11::object& masks, bool normals, bool instances) const;

    PyClosestPoints closest_point(const pybind11::object& points, double most) const;
    pybind11::object winding_number(const pybind11::object& points, double accuracy) const;
    pybind11::object signed_distance(const pybind11::object& points) const;
    pybind11::object density(const pybind11::object& points, int k) const;
    /// Returns sums and, if asked for, gradients; else None.
    pybind11::tuple sum(const pybind11::object& points, const pybind11::object& weights,
                        const std::string& kernel, double length, double tolerance,
                        bool gradient) const;
    pybind11::object inside(const pybind11::object& points) const;
    pybind11::object signed_distance_grid(const std::vector<float>& origin,
                                          const std::vector<float>& spacing,
                                          const std::vector<int>& size) const;

    pybind11::tuple in_boxes(const pybind11::object& lower, const pybind11::object& upper) const;
    pybind11::object pairs(const PyTree& other) const;
    pybind11::tuple nearest(const pybind11::object& points, int k, double radius) const;
    pybind11::tuple within(const pybind11::object& points, double radius) const;

  private:
    void set_device() { device_ = about().device; }
    static void require_equal(const ArrayArgument& a, const ArrayArgument& b, const char* names);
    void give(const tl_geometry& g, void* stream, bool moves);
    void build(const tl_geometry& g, const CallArguments& call, bool moves);
    static std::vector<std::uint64_t> offsets_of(const std::vector<std::uint32_t>& counts);
    /// Signed integers, which Python's libraries add and index with.
    pybind11::object offsets_for(const CallArguments& call,
                                 const std::vector<std::uint64_t>& offsets) const;
    template <class Call>
    pybind11::object number_for_each(const pybind11::object& points, const Call& query) const;

    tl_tree* tree_ = nullptr;
    std::string device_;
    ArrayHome home_;  ///< of the arrays that it was built over
};
