// Matches in the form that kernels use: in working coordinates, in random order, on a device.
#pragma once

#include "solvers/pose/estimate_pose.h"
#include "solvers/pose/ransac/ransac_kernels.h"

namespace tl {

struct WorkingMatches {
    /// Match by match, in the order given: image points are relative to the principal point and
    /// divided by the focal length, or by `scale` where that is unknown; points in space are
    /// relative to `center` and divided by `size`. For matrices, image points are scaled by
    /// `views`.
    std::vector<double> coordinates;
    double scale = 1;  ///< pixels of a unit in the image
    double center[3] = {0, 0, 0};
    double size = 1;
    ViewScaling views;
    /// random: order[i] is the given index of the device's match i
    std::vector<std::uint32_t> order;
    std::vector<double> on_host;  ///< as `exact`
    DeviceArray<double> exact;
    DeviceArray<float> rounded;
    MatchView view;

    /// The matches in host memory, without those that are rounded.
    [[nodiscard]] MatchView host_view() const;

    /// The pose in the coordinates given.
    [[nodiscard]] CameraPose original(const CameraPose& pose, PoseKind kind) const;
    /// The matrix between points in pixels.
    [[nodiscard]] ViewMatrix original(const ViewMatrix& matrix, PoseKind kind) const;
};

/// Throws UserError as check_matches() does.
[[nodiscard]] WorkingMatches make_working_matches(Stream& stream, PoseKind kind,
                                                  const PinholeCamera& camera,
                                                  std::span<const double> matches,
                                                  std::uint64_t seed);

}  // namespace tl
