// A scene's Gaussians on a device, with a tree of their own.
#pragma once

#include <memory>

#include "accel/tree.h"
#include "core/device/stage_timer.h"
#include "renderer/scene/scene.h"

namespace tl {

class LiveGaussians {
  public:
    LiveGaussians() = default;
    /// Throws UserError where there are more than a tree holds.
    LiveGaussians(Stream& stream, const Scene& scene);

    [[nodiscard]] bool empty() const { return n_ == 0; }
    /// Makes the next update rebuild the tree.
    void invalidate() { tree_.invalidate(); }
    /// Builds the tree where it does not exist, or builder or settings have changed. The tree is
    /// always a binary BVH, whatever the layout of the scene's.
    void update(Scratch& scratch, TreeBuilder& builder, const TreeConfig& config,
                StageTimer& timer);
    /// The view, in host memory, valid until the next update; null where there are none.
    [[nodiscard]] const GaussiansView* view() const { return view_.get(); }
    /// Their primitives, by index.
    [[nodiscard]] View<const Primitive> by_number() const { return primitives_.view(); }
    [[nodiscard]] std::size_t bytes() const;
    /// Bytes of device memory of a scene's Gaussians with their tree.
    [[nodiscard]] static std::size_t bytes_for(const Scene& scene);

  private:
    std::uint32_t n_ = 0;
    DeviceArray<Box> boxes_;
    DeviceArray<Primitive> primitives_, in_leaves_;  ///< by index; in the order of the leaves
    DeviceArray<GaussianSetData> sets_;
    DeviceArray<std::uint16_t> harmonics_;
    DeviceArray<float> lit_;  ///< see GaussiansView
    Tree tree_;
    std::unique_ptr<GaussiansView> view_;
};

}  // namespace tl
