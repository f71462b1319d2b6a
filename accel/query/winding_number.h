// Generalised winding numbers of triangles about many points (Jacobson et al. 2013), and distances
// with the sign that they give.
#pragma once

#include "accel/query/query_points.h"
#include "accel/query/shape_tree.h"

namespace tl {

/// Accuracy, as of WindingTree, of winding numbers that err by at most about .006.
inline constexpr float kWindingAccuracy = 2;
/// Accuracy where only the side of 1/2 is asked: these err by up to .06.
inline constexpr float kSignAccuracy = 1.25f;

/// A tree of triangles with its expansions.
struct WindingTree {
    ShapeTreeView tree;
    View<const WindingNode> nodes;
    /// A node whose centre is further than this multiple of its radius is summed by its expansion.
    float accuracy = kWindingAccuracy;
    /// Weights of boundary edges by slot (mesh_boundary.h), or empty. Only for signs of grids.
    View<const vec3> boundary = {};
};

/// Output arrays of winding numbers; null members are not written.
struct WindingOut {
    float* numbers = nullptr;
    std::uint8_t* inside = nullptr;  ///< 1 for a winding number above 1/2
    float* distances = nullptr;      ///< negated where the winding number is above 1/2
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sums the winding number of each query; 0 for points that are not finite. Never waits.
    void find_winding_numbers(Scratch& scratch, const WindingTree& tree, QueryPoints queries,
                              const WindingOut& out);
)
// clang-format on
