#include "renderer/scene/live/live_patches.h"

#include <algorithm>

#include "accel/patch/cut_patches.h"

namespace tl {
namespace {

/// Whether any set of patches has values of that kind.
template <class T>
bool any_has(const Scene& scene, std::vector<T> PatchSet::*values) {
    return std::ranges::any_of(scene.patches, [&](auto& set) { return !(set.*values).empty(); });
}

/// Values of all sets, `per_patch` for each patch; those of `otherwise` where a set has none.
template <class T>
void append(std::vector<T>& all, const std::vector<T>& own, const PatchSet& set,
            std::initializer_list<T> otherwise) {
    if (!own.empty()) {
        all.insert(all.end(), own.begin(), own.end());
        return;
    }
    for (std::size_t k = 0; k < set.size(); ++k) all.insert(all.end(), otherwise);
}

}  // namespace

LivePatches::LivePatches(Stream& stream, const Scene& scene) {
    if (scene.patch_count() == 0) return;
    std::vector<vec3> positions;
    std::vector<float> weights;
    std::vector<vec2> corner_uvs;
    std::vector<std::int32_t> materials;
    std::vector<MovingMesh> moving;
    bool rational = any_has(scene, &PatchSet::weights);
    bool textured = any_has(scene, &PatchSet::corner_uvs);
    for (auto& set : scene.patches) {
        if (set.animation.kind != AnimationKind::none)
            moving.push_back({set.animation, positions.size(), set.points.size(), set.frames});
        positions.insert(positions.end(), set.points.begin(), set.points.end());
        materials.insert(materials.end(), set.material_of_patch.begin(),
                         set.material_of_patch.end());
        if (rational)
            append<float>(weights, set.weights, set,
                          {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
        if (textured)
            append<vec2>(corner_uvs, set.corner_uvs, set, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    }
    std::vector<vec3> normals(moving.empty() ? 0 : positions.size(), vec3(0));
    positions_.assign(stream, positions);
    normals_.assign(stream, normals);
    if (!moving.empty()) animator_.set(stream, std::move(moving), positions, normals);
    materials_.assign(stream, materials);
    corner_uvs_.assign(stream, corner_uvs);
    pieces_ = PatchPieces(stream, positions, weights);
}

std::size_t LivePatches::count_pieces(const Scene& scene, DeviceKind kind) {
    std::size_t n_pieces = 0;
    for (auto& set : scene.patches) n_pieces += tl::count_pieces(set.points, flat_piece_of(kind));
    return n_pieces;
}

std::size_t LivePatches::bytes_for(const Scene& scene, std::size_t n_pieces) {
    // A patch: positions, material, texture coordinates.
    constexpr std::size_t kPatch = 192 + 36;
    return scene.patch_count() * kPatch + PatchPieces::bytes_for(scene.patch_count(), n_pieces);
}

void LivePatches::update(Stream& stream, double phase, float duration) {
    if (are_made_ && animator_.empty()) return;
    are_made_ = false;
    if (!animator_.empty())
        animator_.run(stream, phase, duration, positions_.view(), normals_.view());
    pieces_.update(stream, positions_.view());
    are_made_ = true;
}

void LivePatches::show(SceneView& view) const {
    if (empty()) return;
    view.tree.patches = pieces_.view();
    view.tree.patches.first_primitive = view.n_simple();
    view.n_pieces = static_cast<std::uint32_t>(pieces_.size());
    view.piece_boxes = pieces_.boxes().data;
    view.patch_materials = materials_.data();
    view.patch_uvs = corner_uvs_.data();
}

std::size_t LivePatches::bytes() const {
    return animator_.bytes() + positions_.bytes() + normals_.bytes() + materials_.bytes() +
           corner_uvs_.bytes() + pieces_.bytes();
}

}  // namespace tl
