// Cuts patches into the pieces that the leaves of a tree hold, so that most rays hit a piece flat
// enough to be decided at once.
#pragma once

#include "accel/box.h"
#include "accel/patch/cell_proof.h"
#include "accel/patch/patches.h"

TL_DEVICE_BEGIN

/// The frame of a piece, and the piece in its frame. If the mean derivatives define no normal, the
/// frame never proves a root unique and never lets a line miss the piece.
TL_HD inline void make_frame(const Net<double>& px, const Net<double>& py, const Net<double>& pz,
                             PieceFrame& frame, PieceNet& flat) {
    constexpr double kVanishing = 1e-6;
    using Vec = glm::dvec3;
    auto at = [&](int k) { return Vec(px.at[k], py.at[k], pz.at[k]); };
    Vec du = (at(12) - at(0) + at(15) - at(3)) / 2.0, dv = (at(3) - at(0) + at(15) - at(12)) / 2.0;
    Vec normal = glm::cross(du, dv);
    double area = glm::length(normal);
    frame = {};
    flat = {};
    flat.bend[0][0] = kInfinity;
    if (!(area > kVanishing * glm::length(du) * glm::length(dv)) || !(area < double(kInfinity)))
        return;
    normal /= sqrt(area);
    double determinant = area * sqrt(area);
    Vec x = glm::cross(dv, normal) / determinant, y = glm::cross(normal, du) / determinant;
    Vec z = normal / area;
    Vec middle(jet_at(px, 0.5, 0.5).value, jet_at(py, 0.5, 0.5).value, jet_at(pz, 0.5, 0.5).value);
    // Centres the frame within the piece's thickness, too.
    double lowest = 0, highest = 0;
    for (int k = 0; k < PatchPoints::kCount; ++k) {
        double height = glm::dot(z, at(k) - middle);
        lowest = least(lowest, height);
        highest = greatest(highest, height);
    }
    middle += (lowest + highest) / 2 * normal;
    frame.center = vec3(middle);
    frame.x = vec3(x);
    frame.y = vec3(y);
    frame.z = vec3(z);

    Net<double> own[3];
    double half[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < PatchPoints::kCount; ++k) {
            Vec row(axis == 0 ? frame.x : axis == 1 ? frame.y : frame.z);
            own[axis].at[k] = glm::dot(row, at(k) - Vec(frame.center));
            half[axis] = greatest(half[axis], magnitude(own[axis].at[k]));
            flat.points.of_axis[axis][k] = static_cast<float>(own[axis].at[k]);
        }
    // Margins for rounding and for points just beside the piece that the search visits.
    constexpr double kMore = 1.01, kRoundings = 1e-5;
    frame.half_x = static_cast<float>(half[0] + kRoundings);
    frame.half_y = static_cast<float>(half[1] + kRoundings);
    frame.half_z = static_cast<float>(half[2] + kRoundings);
    for (int axis = 0; axis < 3; ++axis) {
        double du = deviation(range_of_du(own[axis]), axis == 0 ? 1.0 : 0.0);
        double dv = deviation(range_of_dv(own[axis]), axis == 1 ? 1.0 : 0.0);
        flat.bend[axis][0] = static_cast<float>(kMore * du + kRoundings);
        flat.bend[axis][1] = static_cast<float>(kMore * dv + kRoundings);
    }
    auto sum = [](vec3 v) { return magnitude(v.x) + magnitude(v.y) + magnitude(v.z); };
    frame.error = 0x1p-20f * maximum(sum(frame.x), maximum(sum(frame.y), sum(frame.z)));
}

/// The control points of a piece, each rounded once. Sets its reach, its weight and, without
/// weights, its frame; returns a box around its surface, which is not valid if a coordinate is NaN.
TL_HD inline Box make_piece(const PatchPoints& points, const PatchWeights* weights,
                            PatchPiece& piece, PatchPoints& piece_points,
                            PatchWeights* piece_weights, PieceFrame* frame = nullptr,
                            PieceNet* flat = nullptr) {
    Cell<double> part{double(piece.u0), double(piece.u0 + piece.size_u), double(piece.v0),
                      double(piece.v0 + piece.size_v)};
    auto cut = [&](const float* from, float* to) {
        Net<double> net;
        for (int k = 0; k < PatchPoints::kCount; ++k) net.at[k] = double(from[k]);
        net = restricted(net, part);
        for (int k = 0; k < PatchPoints::kCount; ++k) to[k] = static_cast<float>(net.at[k]);
        return net;
    };
    Net<double> x = cut(points.of_axis[0], piece_points.of_axis[0]);
    Net<double> y = cut(points.of_axis[1], piece_points.of_axis[1]);
    Net<double> z = cut(points.of_axis[2], piece_points.of_axis[2]);
    if (weights) cut(weights->at, piece_weights->at);
    if (frame) make_frame(x, y, z, *frame, *flat);

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
    // Covers the rounding of control points and of the division.
    float margin = 0x1p-22f * farthest;
    box.lo -= margin;
    box.hi += margin;
    return box;
}

TL_DEVICE_END
