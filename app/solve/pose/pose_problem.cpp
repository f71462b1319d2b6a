#include "app/solve/pose/pose_problem.h"

#include "app/commands/commands.h"
#include "core/device/registry.h"

namespace tl {

using Json = nlohmann::ordered_json;

std::unique_ptr<PoseSolver> make_configured_pose(const std::string& mode, const Device& device,
                                                 const std::map<std::string, std::string>& given) {
    auto solver = make_pose_solver(mode, device);
    set_given(solver->settings(), "pose", given, mode);
    return solver;
}

void add_pose_setting_flags(CLI::App& command, std::map<std::string, std::string>& given) {
    RansacConfig config;
    for (auto& setting : ransac_settings(config))
        add_setting_flag(command, "pose", setting.declaration(), given);
}

Json pose_json(const PoseEstimate& estimate, PoseKind kind) {
    auto rows = [](const double* m) {
        return Json{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
    };
    Json json = Json::object();
    if (finds_matrix(kind)) {
        json[row_of(kind).id] = rows(estimate.matrix.m);
    } else {
        json["rotation"] = rows(estimate.pose.rotation);
        json["translation"] = estimate.pose.translation;
        if (finds_focal(kind)) json["focal"] = estimate.pose.focal;
        if (is_relative(kind)) json["essential"] = rows(estimate.essential);
    }
    json["inliers"] = estimate.n_inliers;
    json["rms"] = estimate.rms;
    json["doubt"] = words_of(estimate.doubt);
    json["log10_chance"] = estimate.log_chance;
    json["samples"] = estimate.n_samples;
    json["models"] = estimate.n_models;
    json["seconds"] = estimate.seconds;
    return json;
}

}  // namespace tl
