#include "solvers/pose/triangulate.h"

#include <limits>

namespace tl {
namespace {

/// The middle between the points at the depths along the two rays, in the first camera's frame.
void middle_of(const CameraPose& pose, const double* pair, double* point) {
    double depths[2];
    motion::depths_of(pose, pair, depths);
    const double second[3] = {pair[2] * depths[1], pair[3] * depths[1], depths[1]};
    for (int k = 0; k < 3; ++k) {
        // Column k of R is row k of its inverse.
        double back = 0;
        for (int i = 0; i < 3; ++i)
            back += pose.rotation[3 * i + k] * (second[i] - pose.translation[i]);
        double first = depths[0] * (k < 2 ? pair[k] : 1);
        point[k] = (first + back) / 2;
    }
}

}  // namespace

std::vector<double> triangulate(PoseKind kind, const PinholeCamera& camera,
                                const PoseEstimate& estimate, std::span<const double> matches) {
    const double fx = finds_focal(kind) ? estimate.pose.focal : camera.fx;
    const double fy = finds_focal(kind) ? estimate.pose.focal : camera.fy;
    std::vector<double> points(3 * estimate.inliers.size(),
                               std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < estimate.inliers.size(); ++i) {
        if (!estimate.inliers[i]) continue;
        double pair[4];
        for (int k = 0; k < 4; ++k) {
            bool along_x = k % 2 == 0;
            double pixel = matches[4 * i + static_cast<std::size_t>(k)];
            pair[k] = along_x ? (pixel - camera.cx) / fx : (pixel - camera.cy) / fy;
        }
        middle_of(estimate.pose, pair, &points[3 * i]);
    }
    return points;
}

}  // namespace tl
