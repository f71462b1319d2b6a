#include "renderer/scene/live/live_patches.h"

#include <algorithm>

#include "renderer/scene/live/cut_patches.h"

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
    std::vector<PatchPiece> pieces = cut_patches(scene, flat_piece_of(stream.device().kind()));
    std::vector<vec3> normals(moving.empty() ? 0 : positions.size(), vec3(0));
    positions_.assign(stream, positions);
    normals_.assign(stream, normals);
    if (!moving.empty()) animator_.set(stream, std::move(moving), positions, normals);
    control_weights_.assign(stream, weights);
    materials_.assign(stream, materials);
    corner_uvs_.assign(stream, corner_uvs);
    points_.resize_discard(stream, materials.size());
    pieces_.assign(stream, pieces);
    piece_points_.resize_discard(stream, pieces.size());
    if (rational) {
        weights_.resize_discard(stream, materials.size());
        piece_weights_.resize_discard(stream, pieces.size());
    } else {
        frames_.resize_discard(stream, pieces.size());
        nets_.resize_discard(stream, pieces.size());
    }
    boxes_.resize_discard(stream, pieces.size());
}

std::size_t LivePatches::bytes_for(const Scene& scene, std::size_t n_pieces) {
    // A patch: points twice, weights, material, texture coordinates. A piece: points, weights or
    // its frame, and its box.
    constexpr std::size_t kPatch = 2 * 192 + 2 * 64 + 36;
    constexpr std::size_t kPiece =
        sizeof(PatchPiece) + 192 + sizeof(PieceFrame) + sizeof(PieceNet) + sizeof(Box);
    return scene.patch_count() * kPatch + n_pieces * kPiece;
}

void LivePatches::update(Stream& stream, double phase, float duration) {
    if (are_made_ && animator_.empty()) return;
    are_made_ = false;
    if (!animator_.empty())
        animator_.run(stream, phase, duration, positions_.view(), normals_.view());
    PatchUpdate update{positions_.view(),     control_weights_.view(), points_.view(),
                       weights_.view(),       pieces_.view(),          piece_points_.view(),
                       piece_weights_.view(), frames_.view(),          nets_.view(),
                       boxes_.view()};
    TL_DISPATCH(stream.device(), gather_patch_points(stream, update));
    TL_DISPATCH(stream.device(), make_pieces(stream, update));
    are_made_ = true;
}

void LivePatches::show(SceneView& view) const {
    if (empty()) return;
    PatchesView& patches = view.tree.patches;
    patches.points = points_.data();
    patches.weights = weights_.data();
    patches.pieces = pieces_.data();
    patches.piece_points = piece_points_.data();
    patches.piece_weights = piece_weights_.data();
    patches.frames = frames_.data();
    patches.nets = nets_.data();
    patches.first_primitive = view.n_simple();
    view.n_pieces = static_cast<std::uint32_t>(pieces_.size());
    view.piece_boxes = boxes_.data();
    view.patch_materials = materials_.data();
    view.patch_uvs = corner_uvs_.data();
}

std::size_t LivePatches::bytes() const {
    return animator_.bytes() + positions_.bytes() + normals_.bytes() + control_weights_.bytes() +
           materials_.bytes() + corner_uvs_.bytes() + points_.bytes() + piece_points_.bytes() +
           weights_.bytes() + piece_weights_.bytes() + frames_.bytes() + nets_.bytes() +
           pieces_.bytes() + boxes_.bytes();
}

}  // namespace tl
