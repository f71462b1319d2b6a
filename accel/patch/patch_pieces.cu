#include "accel/patch/patch_pieces.h"

#include "accel/patch/pieces.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

void gather_patch_points(Stream& stream, const PatchUpdate& update) {
    PatchUpdate u = update;
    parallel_for(
        stream, "patch points", static_cast<std::uint32_t>(u.positions.size),
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t patch = i / PatchPoints::kCount, k = i % PatchPoints::kCount;
            float weight = u.control_weights.empty() ? 1.0f : u.control_weights[i];
            for (int axis = 0; axis < 3; ++axis)
                u.points[patch].of_axis[axis][k] = u.positions[i][axis] * weight;
            if (!u.weights.empty()) u.weights[patch].at[k] = weight;
        });
}

void make_pieces(Stream& stream, const PatchUpdate& update) {
    PatchUpdate u = update;
    parallel_for(
        stream, "patch pieces", static_cast<std::uint32_t>(u.pieces.size),
        TL_LAMBDA(std::uint32_t i) {
            bool rational = !u.weights.empty();
            std::uint32_t patch = u.pieces[i].patch;
            u.boxes[i] =
                make_piece(u.points[patch], rational ? &u.weights[patch] : nullptr, u.pieces[i],
                           u.piece_points[i], rational ? &u.piece_weights[i] : nullptr,
                           rational ? nullptr : &u.frames[i], rational ? nullptr : &u.nets[i]);
        });
}

TL_DEVICE_END
