// Cuts patches into the pieces that leaves of a tree hold, so that most rays meet a piece flat
// enough to be decided at once.
#pragma once

#include "accel/box.h"
#include "accel/patch/bernstein.h"
#include "accel/patch/patches.h"

TL_DEVICE_BEGIN

/// A piece's control points, each rounded once. Sets its reach and weight and returns a box that
/// holds its surface; one that is not valid where a coordinate is no number.
TL_HD inline Box make_piece(const PatchPoints& points, const PatchWeights* weights,
                            PatchPiece& piece, PatchPoints& piece_points,
                            PatchWeights* piece_weights) {
    Cell<double> part{double(piece.u0), double(piece.u0 + piece.size_u), double(piece.v0),
                      double(piece.v0 + piece.size_v)};
    auto cut = [&](const float* from, float* to) {
        Net<double> net;
        for (int k = 0; k < PatchPoints::kCount; ++k) net.at[k] = double(from[k]);
        net = restricted(net, part);
        for (int k = 0; k < PatchPoints::kCount; ++k) to[k] = static_cast<float>(net.at[k]);
    };
    for (int axis = 0; axis < 3; ++axis) cut(points.of_axis[axis], piece_points.of_axis[axis]);
    if (weights) cut(weights->at, piece_weights->at);

    Box box;
    float reach = 0, heaviest = weights ? 0.0f : 1.0f, farthest = 0, sum = 0;
    for (int k = 0; k < PatchPoints::kCount; ++k) {
        vec3 p(piece_points.of_axis[0][k], piece_points.of_axis[1][k], piece_points.of_axis[2][k]);
        sum += p.x + p.y + p.z;
        vec3 size = glm::abs(p);
        reach = maximum(reach, maximum(size.x, maximum(size.y, size.z)));
        if (weights) {
            heaviest = maximum(heaviest, piece_weights->at[k]);
            p /= piece_weights->at[k];
            size = glm::abs(p);
        }
        farthest = maximum(farthest, maximum(size.x, maximum(size.y, size.z)));
        box.extend(p);
    }
    piece.reach = reach;
    piece.heaviest = heaviest;
    if (!(sum - sum == 0)) return {};
    // The rounding of control points and of the division.
    float margin = 0x1p-22f * farthest;
    box.lo -= margin;
    box.hi += margin;
    return box;
}

TL_DEVICE_END
