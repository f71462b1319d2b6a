// A tree over instances of other trees of triangles or spheres.
#pragma once

#include <span>

#include "accel/query/ray_queries.h"

namespace tl {

/// An instance, as it is given.
struct InstanceOf {
    const ShapeTree* shapes = nullptr;
    AffineRows object_to_world;
};

/// An instance, as kernels read it.
struct PlacedInstance {
    AffineRows object_to_world, world_to_object;
    Bvh2View tree;
    const Primitive* primitives;
    const std::uint32_t* place_of;
    std::uint32_t kind;  ///< ShapeKind
    std::uint32_t unused[3];
};

/// Owns instances and their tree. The instanced trees must live, and not be rebuilt, as long as it
/// is used.
class InstanceTree {
  public:
    /// Throws UsageError for an unknown builder.
    InstanceTree(Device& device, const std::string& builder);

    [[nodiscard]] Tree& tree() { return tree_; }
    [[nodiscard]] TreeBuilder& builder() { return *builder_; }
    /// Rebuilds the tree on the scratch's stream. Instances whose matrix is singular or not finite,
    /// and those of empty trees, are left out.
    void build(Scratch& scratch, std::span<const InstanceOf> instances);
    /// Moves the instances of the last build. Throws UserError if their number differs from it.
    void refit(Scratch& scratch, std::span<const InstanceOf> instances);
    [[nodiscard]] RayTree view() const;
    [[nodiscard]] std::size_t count() const { return boxes_.size(); }
    /// Whether each instance and each of its shapes stands in one leaf.
    [[nodiscard]] bool has_whole_shapes() const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    /// Writes the instances to the device, with their boxes.
    void place(Scratch& scratch, std::span<const InstanceOf> instances);
    void gather(Stream& stream);

    std::unique_ptr<TreeBuilder> builder_;
    Tree tree_;
    bool is_robust_ = false;          ///< whether any instanced tree is robust
    bool holds_whole_shapes_ = true;  ///< whether all instanced trees do
    DeviceArray<Box> boxes_;
    DeviceArray<InstanceData> data_;
    DeviceArray<InstancedShapes> shapes_;
    DeviceArray<Primitive> primitives_;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Fills boxes, data and shapes from placed instances.
    void place_instances(Stream& stream, View<const PlacedInstance> placed, View<Box> boxes,
                         View<InstanceData> data, View<InstancedShapes> shapes);
    /// Writes the primitives of instances in leaf order.
    void gather_instances(Stream& stream, View<const TreeHeader> header,
                          View<const std::uint32_t> order, View<Primitive> primitives);
)
// clang-format on
