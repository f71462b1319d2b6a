#include "renderer/scene/live/live_gaussians.h"

#include <oneapi/tbb/parallel_for.h>

#include "renderer/scene/live/kernels/scene_kernels.h"

namespace tl {
namespace {

std::size_t count(const Scene& scene) {
    std::size_t n = 0;
    for (auto& set : scene.gaussians) n += set.size();
    return n;
}

GaussianSetData data_of(const GaussianSet& set, std::uint32_t first,
                        std::uint64_t first_coefficient) {
    GaussianSetData data{
        first, static_cast<std::uint32_t>(set.degree), first_coefficient, {}, set.shadowed};
    for (int row = 0; row < 3; ++row)
        data.to_own[row] = {set.to_own[0][row], set.to_own[1][row], set.to_own[2][row]};
    return data;
}

}  // namespace

std::size_t LiveGaussians::bytes_for(const Scene& scene) {
    // Per Gaussian: box 24, primitive 48 twice, node 64, order and `lit` 4 each, scratch of a build
    // about 32; then the harmonics.
    std::size_t bytes = 224 * count(scene);
    for (auto& set : scene.gaussians) bytes += set.harmonics.size() * sizeof(std::uint16_t);
    return bytes;
}

LiveGaussians::LiveGaussians(Stream& stream, const Scene& scene) {
    std::size_t n = count(scene);
    if (n > kMaxPrimitives)
        throw UserError("the scene has " + std::to_string(n) + " Gaussians; a tree holds at most " +
                        std::to_string(kMaxPrimitives));
    n_ = static_cast<std::uint32_t>(n);
    if (n_ == 0) return;
    std::vector<Box> boxes(n);
    std::vector<Primitive> primitives(n);
    std::vector<GaussianSetData> sets;
    std::vector<std::uint16_t> harmonics;
    std::uint32_t first = 0;
    for (auto& set : scene.gaussians) {
        sets.push_back(data_of(set, first, harmonics.size()));
        harmonics.insert(harmonics.end(), set.harmonics.begin(), set.harmonics.end());
        tbb::parallel_for(std::size_t{0}, set.size(), [&](std::size_t i) {
            auto number = first + static_cast<std::uint32_t>(i);
            boxes[number] = set.box(i);
            primitives[number] = gaussian_primitive(number, set.centers[i],
                                                    set.covariances[i].shape(), set.opacities[i]);
        });
        first += static_cast<std::uint32_t>(set.size());
    }
    boxes_.assign(stream, boxes);
    primitives_.assign(stream, primitives);
    sets_.assign(stream, sets);
    harmonics_.assign(stream, harmonics);
    lit_.assign(stream, std::vector<float>(n, 1));
    view_ = std::make_unique<GaussiansView>();
}

void LiveGaussians::update(Scratch& scratch, TreeBuilder& builder, const TreeConfig& config,
                           StageTimer& timer) {
    if (empty()) return;
    auto& stream = scratch.stream();
    tree_.config = config;
    tree_.config.layout = TreeLayout::bvh2;
    tree_.config.robust = false;
    if (tree_.next_update(stream, builder, n_, false) == UpdateKind::none) return;
    StageTimer::Scope stage(timer, "tree of Gaussians", StageKind::scene);
    BuildInput input;
    input.boxes = boxes_.view();
    tree_.build(scratch, builder, input);
    in_leaves_.resize_discard(stream, tree_.order().size);
    TL_DISPATCH(stream.device(), gather_gaussians(stream, primitives_.view(), tree_.order(),
                                                  tree_.header(), in_leaves_.view()));
    *view_ = {tree_.view(in_leaves_.data()).bvh2,       in_leaves_.data(), sets_.data(),
              static_cast<std::uint32_t>(sets_.size()), harmonics_.data(), lit_.data()};
}

std::size_t LiveGaussians::bytes() const {
    return boxes_.bytes() + primitives_.bytes() + in_leaves_.bytes() + sets_.bytes() +
           harmonics_.bytes() + lit_.bytes() + tree_.bytes();
}

}  // namespace tl
