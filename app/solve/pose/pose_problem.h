// Shared by the commands of poses: modes with their settings, and reports.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "solvers/pose/pose_solver.h"

namespace CLI {
class App;
}

namespace tl {

/// Creates the mode for a device, with the given settings ("pose.threshold").
[[nodiscard]] std::unique_ptr<PoseSolver> make_configured_pose(
    const std::string& mode, const Device& device, const std::map<std::string, std::string>& given);
/// Adds a flag for every setting (--pose-threshold).
void add_pose_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);

/// Returns {rotation, translation, focal, essential, homography, fundamental, inliers, rms, doubt,
/// log10_chance, samples, models, seconds}, without those that the kind does not have.
[[nodiscard]] nlohmann::ordered_json pose_json(const PoseEstimate& estimate, PoseKind kind);

}  // namespace tl
