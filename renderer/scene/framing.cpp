#include "renderer/scene/framing.h"

#include <algorithm>
#include <vector>

#include "accel/primitives.h"

namespace tl {
namespace {

constexpr std::size_t kMostSamples = 200'000;
// Fraction of the bounds' diagonal above which a primitive is huge.
constexpr double kHugePrimitive = 0.125;
// Fraction of the diagonal up to which the remaining primitives are framed alone.
constexpr double kMuchSmaller = 0.25;
/// More huge primitives than this are left out only where at least as many others stay: else they
/// are the model.
constexpr std::size_t kFewHuge = 4;
constexpr double kStrays = 0.005;            // fraction of outliers at either end of each axis
constexpr std::size_t kFewPrimitives = 200;  // fewer primitives have no outliers

double diagonal_of(const Box& box) {
    return box.empty() ? 0 : glm::length(glm::dvec3(box.hi) - glm::dvec3(box.lo));
}

/// Every stride-th of the scene's primitives, as boxes.
class PrimitiveBoxes {
  public:
    explicit PrimitiveBoxes(const Scene& scene) : scene_(scene) {
        std::size_t n = scene.visible_triangle_count() + scene.patch_count() +
                        scene.spheres.size() + scene.splats.size() + scene.gaussian_count();
        stride_ = std::max<std::size_t>(n / kMostSamples, 1);
    }
    std::vector<Box> boxes() {
        for (auto& mesh : scene_.meshes)
            if (!mesh.instanced) add(mesh, mat4(1));
        for (auto& instance : scene_.instances)
            add(scene_.meshes.at(instance.mesh), instance.transform);
        for (auto& set : scene_.patches) {
            each(set.size(), [&](std::size_t patch) {
                Box box;
                for (std::size_t k = 0; k < 16; ++k) box.extend(set.points[16 * patch + k]);
                return box;
            });
        }
        each(scene_.spheres.size(), [&](std::size_t i) {
            auto& sphere = scene_.spheres[i];
            return Box{sphere.center - sphere.radius, sphere.center + sphere.radius};
        });
        for (auto& set : scene_.gaussians)
            each(set.size(), [&](std::size_t i) { return set.box(i); });
        each(scene_.splats.size(), [&](std::size_t i) {
            auto& splat = scene_.splats[i];
            return cpu::splat_box(splat.center, splat.normal, splat.radius);
        });
        return std::move(boxes_);
    }

  private:
    template <class BoxOf>
    void each(std::size_t count, BoxOf box_of) {
        for (; next_ < count; next_ += stride_) boxes_.push_back(box_of(next_));
        next_ -= count;
    }
    void add(const Mesh& mesh, const mat4& transform) {
        each(mesh.triangles.size(), [&](std::size_t triangle) {
            Box box;
            for (int corner = 0; corner < 3; ++corner) {
                auto index = mesh.triangles[triangle][corner];
                box.extend(vec3(transform * vec4(mesh.positions[index], 1)));
            }
            return box;
        });
    }

    const Scene& scene_;
    std::size_t stride_ = 1, next_ = 0;
    std::vector<Box> boxes_;
};

Box bounds_of_all(const std::vector<Box>& boxes) {
    Box bounds;
    for (auto& box : boxes) bounds.extend(box);
    return bounds;
}

/// Removes outliers: boxes whose centres are among the outermost along an axis.
void leave_out_strays(std::vector<Box>& boxes) {
    if (boxes.size() < kFewPrimitives) return;
    auto n_strays = static_cast<std::size_t>(kStrays * static_cast<double>(boxes.size()));
    Box within;
    std::vector<float> places(boxes.size());
    for (int axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < boxes.size(); ++i) places[i] = boxes[i].center()[axis];
        auto low = places.begin() + static_cast<std::ptrdiff_t>(n_strays);
        auto high = places.end() - static_cast<std::ptrdiff_t>(n_strays) - 1;
        std::ranges::nth_element(places, low);
        within.lo[axis] = *low;
        std::ranges::nth_element(places, high);
        within.hi[axis] = *high;
    }
    std::erase_if(boxes, [&](const Box& box) {
        vec3 center = box.center();
        return glm::any(glm::lessThan(center, within.lo)) ||
               glm::any(glm::greaterThan(center, within.hi));
    });
}

}  // namespace

Box framing_bounds(const Scene& scene) {
    Box whole = bounds_of(scene);
    auto boxes = PrimitiveBoxes(scene).boxes();
    Box framed = whole;
    // A dome may enclose a floor that encloses a model: each step removes one of them.
    for (;;) {
        double limit = diagonal_of(framed);
        auto kept = boxes;
        std::erase_if(kept,
                      [&](const Box& box) { return diagonal_of(box) > kHugePrimitive * limit; });
        std::size_t n_huge = boxes.size() - kept.size();
        if (n_huge > std::max(kFewHuge, kept.size())) return framed;
        leave_out_strays(kept);
        Box bounds = bounds_of_all(kept);
        if (kept.empty() || !(diagonal_of(bounds) > 0) ||
            diagonal_of(bounds) > kMuchSmaller * limit)
            return framed;
        framed = bounds;
        boxes = std::move(kept);
    }
}

}  // namespace tl
